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
	paid := max(span, b.Minimum)
	if over := b.Increment; over > 0 && paid%over != 0 {
		paid += over - paid%over
	}
	return paid - span
}

// Bill is the cost of a run by part, in USD. Refund is subtracted from the others, and tax
// is on what is then left.
type Bill struct {
	Spot             float64
	OnDemand         float64
	ParameterServers float64
	Storage          float64
	Transfers        float64 // of jobs' state between pools (Config.Moves)
	Disks            float64 // of instances (Billing.DiskUSDPerHour)
	TopUp            float64 // rounding up and minimum charges
	Refund           float64 // of free first hours
	Tax              float64 // on all of these (Billing.Tax)
}

// Total returns the sum to pay, USD.
func (b *Bill) Total() float64 { return b.net() + b.Tax }

// net is the sum without tax.
func (b *Bill) net() float64 {
	return b.Spot + b.OnDemand + b.ParameterServers + b.Storage + b.Transfers + b.Disks + b.TopUp - b.Refund
}
