package sim

import (
	"time"
)

// Billing is a cloud's rules for what an instance costs. An instance is billed from
// its grant (the time that it starts included) to its release or revocation, at the
// price of each moment. The zero value bills by the microsecond.
type Billing struct {
	// Increment is the unit to which the billed time of an instance is rounded
	// up when it ends, at its last price: one second on AWS, GCP and Azure.
	Increment time.Duration
	// Minimum is the least billed time of an instance: 60 s on AWS and GCP.
	Minimum time.Duration
	// FreeFirstHour refunds an instance that the cloud takes back within its
	// first hour, as AWS did for most of the spot market's history.
	FreeFirstHour bool
	// SkipParameterServers leaves parameter servers out of the bill, as the spotDNN
	// paper does (its Eq. 11).
	SkipParameterServers bool
	// DiskUSDPerHour is what each instance's own disk costs for as long as the instance is
	// billed, without minimum and rounding; parameter servers have none.
	DiskUSDPerHour float64
	// Tax is the share of all the rest of the bill that is added to it; 0.2 for 20 %.
	Tax float64
}

// PerSecond returns the rules of AWS and GCP: by the second, one minute at least.
func PerSecond() Billing { return Billing{Increment: time.Second, Minimum: time.Minute} }

// topUp returns what the rules add to a billed time of span.
func (b *Billing) topUp(span time.Duration) time.Duration {
	return Granularity{b.Increment, b.Minimum}.topUp(span)
}

// Granularity is how a cloud counts the billed time of an instance (Pool.Granularity): per
// second with a minimum of a minute, or in whole hours.
type Granularity struct {
	Increment time.Duration // as Billing.Increment
	Minimum   time.Duration // as Billing.Minimum
}

func (g Granularity) topUp(span time.Duration) time.Duration {
	paid := max(span, g.Minimum)
	if g.Increment > 0 {
		if part := paid % g.Increment; part != 0 {
			paid += g.Increment - part
		}
	}
	return paid - span
}

// granularity returns the rules of a pool.
func (b *Billing) granularity(p *Pool) Granularity {
	if p.Granularity != nil {
		return *p.Granularity
	}
	return Granularity{b.Increment, b.Minimum}
}

// Commitment is instances of a pool that are paid for a time, whether they are used or
// not: a reservation, a savings plan, or a capacity block (History.Commitments). On a pool
// that is bought on demand they are used first: as many as are committed cost nothing
// more.
type Commitment struct {
	Instances  int
	USDPerHour float64 // of each
	// From and Until are its ends, instants of the histories. A run pays from From, or from its own
	// start if that is later, until Until, even if its jobs end before; with an Until of
	// Never until the run ends, as the run's part of a long reservation.
	From, Until Time
}

// usd returns what the commitment costs from start until now.
func (c *Commitment) usd(start, now Time) float64 {
	paid := max(min(c.Until, now)-max(c.From, start), 0)
	return float64(float64(c.Instances) * c.USDPerHour * float64(paid) / microsecondsPerHour)
}

// Checkpoints is what the saves of a job that are kept cost (Job.Checkpoints). The zero value costs
// nothing. A save is paid from the moment at which it begins to be written, beside those
// that it will replace, until newer ones replace it or the job ends.
type Checkpoints struct {
	GB    float64 // of one
	Keep  int     // the number of finished ones that are kept, at least 1
	Price float64 // USD per GB and month of 730 h
}

// copies counts the saves of a job that are kept.
type copies struct {
	n       int32 // with the one that is being written
	writing bool
	since   Time        // kept is complete until here
	kept    MachineTime // of all copies
}

// until counts the time to now.
func (c *copies) until(now Time) {
	c.kept += machineTime(c.n, now-c.since)
	c.since = now
}

// write begins another one.
func (c *copies) write(now Time) {
	c.until(now)
	if !c.writing {
		c.n, c.writing = c.n+1, true
	}
}

// drop abandons the one that is being written.
func (c *copies) drop(now Time) {
	c.until(now)
	if c.writing {
		c.n, c.writing = c.n-1, false
	}
}

// written ends the one that is being written, and those that it replaces.
func (c *copies) written(now Time, keep int32) {
	c.until(now)
	c.n, c.writing = min(c.n, keep), false
}

// Bill is a cost by part, in USD: of a run, of one of its jobs, of a pool. Refund is subtracted from the others, and tax
// is on what is then left.
type Bill struct {
	Spot             float64
	OnDemand         float64
	ParameterServers float64
	Storage          float64
	Transfers        float64 // of jobs' state between pools (Config.Moves)
	Disks            float64 // of instances (Billing.DiskUSDPerHour)
	Checkpoints      float64 // saves that are kept (Job.Checkpoints)
	Commitments      float64 // paid whether used or not (History.Commitments)
	TopUp            float64 // rounding up and minimum charges
	Refund           float64 // of free first hours
	Tax              float64 // on all of these (Billing.Tax)
}

// at returns the part for instances, of a pool.
func (b *Bill) at(p *Pool) *float64 {
	if p.OnDemand {
		return &b.OnDemand
	}
	return &b.Spot
}

// add adds a bill.
func (b *Bill) add(x *Bill) {
	b.Spot += x.Spot
	b.OnDemand += x.OnDemand
	b.ParameterServers += x.ParameterServers
	b.Storage += x.Storage
	b.Transfers += x.Transfers
	b.Disks += x.Disks
	b.Checkpoints += x.Checkpoints
	b.Commitments += x.Commitments
	b.TopUp += x.TopUp
	b.Refund += x.Refund
	b.Tax += x.Tax
}

// tax sets the tax on all the rest.
func (b *Bill) tax(share float64) { b.Tax = float64(share * b.net()) }

// Total returns the sum to pay, USD.
func (b *Bill) Total() float64 { return b.net() + b.Tax }

// net is the sum without tax.
func (b *Bill) net() float64 {
	return b.Spot + b.OnDemand + b.ParameterServers + b.Storage + b.Transfers + b.Disks + b.Checkpoints + b.Commitments + b.TopUp - b.Refund
}
