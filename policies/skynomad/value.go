package skynomad

import (
	"cmp"
	"math"
	"slices"
)

// Offer is what one zone is expected to give.
type Offer struct {
	SpotUSD      float64 // USD per hour
	ExpectedH    float64 // hours that an instance is expected to live
	Availability float64 // share of the time, 0 to 1
}

// Pace is how a job has come on: what it did tick by tick.
type Pace struct {
	ticks   []float64
	windowH float64
	offers  []Offer // scratch
}

// NewPace returns a pace that looks back over n hours.
func NewPace(windowH float64) *Pace { return &Pace{windowH: windowH} }

// Add notes the seconds of work of a tick.
func (p *Pace) Add(seconds float64) { p.ticks = append(p.ticks, seconds) }

// rate returns the work per second of late, 0 to 1.
func (p *Pace) rate(j *Job, s *State) float64 {
	switch {
	case s.Now == 0:
		return 0
	case s.Now < 600:
		return s.Done / s.Now
	}
	from, sum := max(0, s.Now-p.windowH*3600), 0.0
	for _, x := range p.ticks[min(int(math.Floor(from/j.TickS)), len(p.ticks)):] {
		sum += x
	}
	return min(max(sum/(s.Now-from), 0), 1)
}

// onDemandShare returns the share of the work that will have to be done on demand, if the
// job goes on at its pace until it is late.
func (p *Pace) onDemandShare(j *Job, s *State) float64 {
	rate := p.rate(j, s)
	switch {
	case s.Now == 0:
		return 0
	case math.Abs(s.Done-s.Now) < 1e-6:
		return 0.5
	case math.Abs(rate-1) < 1e-6:
		return 0
	}
	late := (rate*s.Now - s.Done + j.WorkS + 2*j.RestartS - j.DeadlineS) / (rate - 1)
	switch {
	case late >= j.DeadlineS:
		return 0
	case late <= 0:
		return 1
	}
	return min(max((j.DeadlineS-late)/(j.DeadlineS-s.Now), 0), 1)
}

// margin is by how much progress is worth more than it is expected to cost.
const margin = 1.2

// minMoveUSD is what a gigabyte costs at least between two regions.
const minMoveUSD = 0.02

// Value returns what an hour of work is worth, USD: what the rest of the job is expected
// to cost on the cheapest zones, as far as these are there, and on demand.
func (p *Pace) Value(j *Job, s *State, offers []Offer, onDemandUSD float64) float64 {
	left := j.Left(s)
	onDemand := p.onDemandShare(j, s) * left
	usd, missing, zones := p.cheapest(j, s, offers, left-onDemand)
	onDemand += missing
	if onDemand > 0 {
		usd += onDemand / 3600 * onDemandUSD
		zones++
	}
	if zones > 1 {
		usd += float64(zones-1) * j.CheckpointGB * minMoveUSD
	}
	return margin * usd / (left / 3600)
}

// cheapest fills work, in seconds, with the zones that are cheapest for an hour of it.
func (p *Pace) cheapest(j *Job, s *State, offers []Offer, work float64) (usd, missing float64, zones int) {
	restart := j.RestartS / 3600
	price := func(o Offer) float64 { return o.SpotUSD * o.ExpectedH / max(o.ExpectedH-restart, 1e-6) }
	list := p.offers[:0]
	for _, o := range offers {
		if o.ExpectedH > restart && o.Availability > 0 {
			list = append(list, o)
		}
	}
	p.offers = list
	slices.SortStableFunc(list, func(a, b Offer) int { return cmp.Compare(price(a), price(b)) })
	for _, o := range list {
		if work <= 0 {
			break
		}
		part := min(work, o.Availability*(j.DeadlineS-s.Now)*(o.ExpectedH-restart)/o.ExpectedH)
		usd, work, zones = usd+part/3600*price(o), work-part, zones+1
	}
	return usd, max(work, 0), zones
}
