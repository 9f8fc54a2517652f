package experiments

import (
	"math"
	"sort"

	"github.com/marigram/marigram/sim"
)

// lasting returns the least seconds that a job takes if it uses every instance that the
// trace has, and all on demand: from the beginning of the trace or, where runs begin
// at any instant, from the best of them. It is +Inf if the job is not done at the end of
// the trace. Where each seed has a market of its own it is no limit.
func (s *Study) lasting(r *reach) float64 {
	m := s.Markets.Shared()
	if m == nil || math.IsInf(r.seconds, 1) || s.limitless(m) {
		return r.seconds
	}
	p := progressOn(m, r.rate)
	if !s.Markets.FromAnywhere() {
		return s.within(p.from(0, r.work), m)
	}
	last := s.Markets.LastStart().Seconds()
	smallest := math.Inf(1)
	try := func(start float64) {
		if start >= 0 && start <= last {
			smallest = min(smallest, p.from(start, r.work))
		}
	}
	// Progress is linear between changes: the shortest run begins or ends at one.
	try(last)
	for i, at := range p.at {
		try(at)
		try(p.until(i, r.work))
	}
	return smallest
}

// within is a time of a job, where a trace is known until the horizon of a run only: if
// the job is not done then, it is the horizon.
func (s *Study) within(seconds float64, m *sim.Market) float64 {
	if horizon := s.Spec.Horizon().Seconds(); math.IsInf(seconds, 1) && m.End().Sub(0).Seconds() >= horizon {
		return horizon
	}
	return seconds
}

// progress is what a job on all instances of a market has done by each instant at which
// their number changes: the first at 0, the last at the end of the market.
type progress struct{ at, done, rate []float64 }

// progressOn adds up the rates of n instances; beyond the last, of that many.
func progressOn(m *sim.Market, rate []float64) (p progress) {
	done := 0.0
	for _, c := range append(m.TotalCapacity(), sim.Capacity{At: m.End()}) {
		at := c.At.Sub(0).Seconds()
		if n := len(p.at); n > 0 {
			done += p.rate[n-1] * (at - p.at[n-1])
		}
		p.at, p.done, p.rate = append(p.at, at), append(p.done, done), append(p.rate, rate[min(c.N, len(rate)-1)])
	}
	return p
}

// from returns the seconds that work takes from an instant, in seconds; +Inf if it is not
// done at the end.
func (p *progress) from(start, work float64) float64 {
	i := max(sort.SearchFloat64s(p.at, math.Nextafter(start, math.Inf(1)))-1, 0)
	goal := p.done[i] + p.rate[i]*(start-p.at[i]) + work
	k := sort.SearchFloat64s(p.done, goal)
	if k == len(p.done) {
		return math.Inf(1)
	}
	if k == 0 {
		return 0
	}
	return p.at[k-1] + (goal-p.done[k-1])/p.rate[k-1] - start
}

// until returns the last start, in seconds, from which work is done by change i; negative
// if there is none.
func (p *progress) until(i int, work float64) float64 {
	begin := p.done[i] - work
	if begin < 0 {
		return -1
	}
	k := sort.SearchFloat64s(p.done, math.Nextafter(begin, math.Inf(1))) - 1 // the last change not after it
	if p.rate[k] == 0 {
		return p.at[k]
	}
	return p.at[k] + (begin-p.done[k])/p.rate[k]
}

// limitless reports whether the market on demand alone has the fastest cluster.
func (s *Study) limitless(m *sim.Market) bool {
	for p := range m.Pools() {
		if _, limited := m.Capacity(p, 0); limited {
			return false
		}
	}
	return true
}
