package skynomad

import (
	"cmp"
	"math"
	"slices"
)

// Job is one training job, by the clock of ticks.
type Job struct {
	TickS        float64 // at whose starts everything happens
	WorkS        float64 // on one instance
	DeadlineS    float64
	RestartS     float64 // after each launch, before work goes on
	CheckpointGB float64 // that a move between regions carries
}

// State is what is known of a job at the start of a tick.
type State struct {
	Now       float64 // s
	Done      float64 // s of work
	OverheadS float64 // of the restart that is left
}

// Left returns the work left, s.
func (j *Job) Left(s *State) float64 { return j.WorkS - s.Done }

// roundUp rounds a span up to whole ticks.
func (j *Job) roundUp(span float64) float64 { return math.Ceil(span/j.TickS) * j.TickS }

// ticksLeft returns the time to the deadline in whole ticks, s.
func (j *Job) ticksLeft(s *State) float64 {
	return math.Floor((j.DeadlineS-s.Now)/j.TickS) * j.TickS
}

// MustRun reports whether only an instance on demand from now on meets the deadline.
func (j *Job) MustRun(s *State) bool {
	return j.roundUp(j.Left(s)+j.RestartS) >= j.ticksLeft(s)
}

// Progress is Uniform Progress's answer (Can't Be Late, NSDI 2024) for a job that
// holds one kind, where spot is available or not. stay tells that it went from on-demand
// to spot only because progress is ahead of the line (hysteresis).
func (j *Job) Progress(s *State, held Kind, available bool) (want Kind, stay bool) {
	ahead := (s.Now+2*j.RestartS)*j.WorkS/j.DeadlineS - s.Done
	want = j.line(s, held, available, ahead, false)
	if j.MustRun(s) {
		want = OnDemand
		if held == Spot && s.OverheadS < 1e-3 || j.RestartS == 0 && available {
			want = Spot
		}
	}
	if held == OnDemand && available && want == OnDemand && ahead < 0 {
		return Spot, true
	}
	return want, false
}

// line is what uniform progress alone asks for; early counts the last moment itself as
// too late.
func (j *Job) line(s *State, held Kind, available bool, ahead float64, early bool) Kind {
	want := None
	if available {
		want = Spot
	}
	if s.Done-s.Now*j.WorkS/j.DeadlineS < 0 && !available {
		want = OnDemand
	}
	if held == OnDemand && (!available || ahead >= 0) {
		want = OnDemand
	}
	late := j.roundUp(j.Left(s)+2*j.RestartS) - j.ticksLeft(s)
	if (late > 0 || early && late == 0) && held != Spot {
		want = OnDemand
	}
	return want
}

// ProgressInOne is Uniform Progress's answer for a job in a single zone: held is what is
// held now, and asked what was asked for at the tick before.
func (j *Job) ProgressInOne(s *State, held, asked Kind, available bool) Kind {
	ahead := (s.Now+2*j.RestartS)*j.WorkS/j.DeadlineS - s.Done
	want := j.line(s, held, available, ahead, true)
	late := j.MustRun(s)
	if late {
		want = OnDemand
		if asked == Spot && s.OverheadS < 1e-3 {
			want = Spot
		}
	}
	if want == Spot && !available {
		want = None
		if late {
			want = OnDemand
		}
	}
	return want
}

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
	if s.Now == 0 {
		return 0
	}
	if s.Now < 600 {
		return s.Done / s.Now
	}
	from := max(0, s.Now-p.windowH*3600)
	first := min(int(math.Floor(from/j.TickS)), len(p.ticks))
	sum := 0.0
	for _, seconds := range p.ticks[first:] {
		sum += seconds
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
	for _, offer := range offers {
		if offer.ExpectedH > restart && offer.Availability > 0 {
			list = append(list, offer)
		}
	}
	p.offers = list
	slices.SortStableFunc(list, func(a, b Offer) int { return cmp.Compare(price(a), price(b)) })
	for _, offer := range list {
		if work <= 0 {
			break
		}
		there := offer.Availability * (j.DeadlineS - s.Now) * (offer.ExpectedH - restart) / offer.ExpectedH
		part := min(work, there)
		usd += part / 3600 * price(offer)
		work -= part
		zones++
	}
	return usd, max(work, 0), zones
}
