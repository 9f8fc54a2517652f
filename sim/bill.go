package sim

import "time"

// Billing is a cloud's rules for what an instance costs. Instances are paid
// from the grant (starting is paid) to the release or the revocation, at the
// price of each moment. The zero value bills by the microsecond.
type Billing struct {
	// Increment is the unit to which the paid time of an instance is rounded
	// up when it ends, at its last price: one second on AWS, GCP and Azure.
	Increment time.Duration
	// Minimum is the least paid time of an instance: 60 s on AWS and GCP.
	Minimum time.Duration
	// FreeFirstHour refunds an instance that the cloud takes back within its
	// first hour (the rule of AWS for most of the market's history).
	FreeFirstHour bool
	// SkipParameterServers leaves the parameter servers out of the bill, as the
	// cost of the spotDNN paper does (its Eq. 11).
	SkipParameterServers bool
}

// PerSecond returns the rule of AWS and GCP: by the second, a minute at least.
func PerSecond() Billing { return Billing{Increment: time.Second, Minimum: time.Minute} }

// topUp returns what the rules add to span of paid time.
func (b *Billing) topUp(span time.Duration) time.Duration {
	paid := max(span, b.Minimum)
	if over := b.Increment; over > 0 && paid%over != 0 {
		paid += over - paid%over
	}
	return paid - span
}

// Bill is the one book of dollars, USD. All but Refund add up; Refund is taken off.
type Bill struct {
	Spot             float64
	OnDemand         float64
	ParameterServers float64
	Storage          float64
	TopUp            float64 // rounding up and minimum charges
	Refund           float64 // free first hours
}

// Total returns the dollars to pay.
func (b *Bill) Total() float64 {
	return b.Spot + b.OnDemand + b.ParameterServers + b.Storage + b.TopUp - b.Refund
}
