package reference

import (
	"math"

	"github.com/marigram/marigram/policies/skynomad"
)

// planned is the worth of an hour of work by what the rest is expected to cost.
func planned(n *nomad, w *world) float64 {
	offers := make([]skynomad.Offer, len(n.zones))
	for v := range n.zones {
		offers[v] = n.zones[v].Offer
		offers[v].ExpectedH = min(offers[v].ExpectedH, (w.DeadlineS-w.state.Now)/3600)
	}
	return n.pace.Value(&w.Job.Job, &w.state, offers, w.minOnDemand())
}

// minSpot is the least price that is known, USD per hour.
func (n *nomad) minSpot() float64 {
	smallest := math.Inf(1)
	for v := range n.zones {
		smallest = min(smallest, n.zones[v].SpotUSD)
	}
	return smallest
}

// rateRatio is the worth by how much faster than so far the job has to go on.
func rateRatio(n *nomad, w *world) float64 {
	s := &w.state
	return max(w.minOnDemand()*w.Left(s)*w.DeadlineS/((w.DeadlineS-s.Now)*w.WorkS), n.minSpot())
}

// ablations are other worths of an hour of work: functions of the price on demand and the
// time, progress, work and deadline, and rate: how much faster than the line from start to
// deadline the job has to go on.
var ablations = map[string]func(usd, now, done, work, deadline, rate float64) float64{
	"alpha_0.5":   func(usd, _, _, _, _, rate float64) float64 { return usd * math.Sqrt(rate) },
	"exponential": func(usd, _, _, _, _, rate float64) float64 { return usd * math.Exp(min(max(rate-1, -20), 20)) },
	"quadratic": func(usd, now, done, work, deadline, _ float64) float64 {
		return usd * now / (deadline - now) * (work - done) / work
	},
	"time_only": func(usd, now, _, _, deadline, _ float64) float64 { return usd * now / (deadline - now) },
	"neely": func(usd, now, done, work, deadline, _ float64) float64 {
		return usd * (1 + max(0, work*now/deadline-done)/(work-done))
	},
}

// ablation returns one of the other worths, never below the least price of spot.
func ablation(f func(usd, now, done, work, deadline, rate float64) float64) func(*nomad, *world) float64 {
	return func(n *nomad, w *world) float64 {
		s := &w.state
		rate := w.DeadlineS * (w.WorkS - s.Done) / ((w.DeadlineS - s.Now) * w.WorkS)
		return max(f(w.minOnDemand(), s.Now, s.Done, w.WorkS, w.DeadlineS, rate), n.minSpot())
	}
}
