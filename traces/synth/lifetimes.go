package synth

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// fleet is the machines of models of lifetimes: as many as there are places in a
// pool, each with a lifetime drawn from the distribution, and followed by another after an
// exponential gap. All are new at time 0. Machines die independently, so that
// losses in bulk and correlations are not those of the trace: the models of
// lifetimes are about lifetimes.
type fleet struct {
	MeanGapHours []float64 `json:"mean_gap_h"` // by pool; 0: the next comes at once
	MaxHours     float64   `json:"max_life_h"` // every machine is gone by then; 0: no end
}

// resampledLifetimes draws lifetimes from the Kaplan-Meier estimate of recorded ones:
// a machine that was not seen to die counts as long as it was seen.
type resampledLifetimes struct {
	fleet
	Survival describe.Survival `json:"kaplan_meier"`
}

// bathtubLifetimes draws lifetimes from the bathtub distribution.
type bathtubLifetimes struct {
	fleet
	describe.Bathtub
}

var kaplanMeierEntry = modelEntry{
	name: "kaplan-meier", what: "lifetimes drawn from the Kaplan-Meier estimate of the recorded ones",
	blank: func() Model { return new(resampledLifetimes) },
	fit: func(h *trace, opt FitOptions) (Model, error) {
		curve := describe.KaplanMeier(slices.Concat(h.lifetimes...))
		if err := curve.Check(); err != nil {
			return nil, err
		}
		return &resampledLifetimes{fitFleet(h, curve, opt), curve}, nil
	},
}

var bathtubEntry = modelEntry{
	name: "bathtub", what: "bathtub lifetimes: many end early, few in between, all by a maximum age",
	blank: func() Model { return new(bathtubLifetimes) },
	fit: func(h *trace, opt FitOptions) (Model, error) {
		curve := describe.KaplanMeier(slices.Concat(h.lifetimes...))
		if err := curve.Check(); err != nil {
			return nil, err
		}
		d, err := curve.FitBathtub()
		if err != nil {
			return nil, err
		}
		return &bathtubLifetimes{fitFleet(h, d, opt), d}, nil
	},
	standard: func() (Model, []GeneratorPool) {
		return &bathtubLifetimes{fleet{MeanGapHours: []float64{.025}}, describe.PublishedBathtub()}, standardPool(16)
	},
}

func (l *resampledLifetimes) rate(pools []GeneratorPool) float64 {
	return l.fleetRate(pools, l.Survival)
}
func (l *resampledLifetimes) make(m *making) { l.fill(m, l.Survival) }
func (l *resampledLifetimes) check(pools []GeneratorPool) error {
	if err := l.Survival.Check(); err != nil {
		return err
	}
	return l.checkFleet(pools)
}

func (l *bathtubLifetimes) rate(pools []GeneratorPool) float64 { return l.fleetRate(pools, l.Bathtub) }
func (l *bathtubLifetimes) make(m *making)                     { l.fill(m, l.Bathtub) }
func (l *bathtubLifetimes) check(pools []GeneratorPool) error {
	if err := l.Bathtub.Check(); err != nil {
		return err
	}
	return l.checkFleet(pools)
}

func (f *fleet) checkFleet(pools []GeneratorPool) error {
	if err := each("mean_gap_h", len(f.MeanGapHours), pools); err != nil {
		return err
	}
	for i, gap := range f.MeanGapHours {
		if !within(gap, 0, describe.MaxLifetimeHours) {
			return fmt.Errorf("mean_gap_h[%d] %v, expected 0 to %d", i, gap, describe.MaxLifetimeHours)
		}
	}
	if f.MaxHours != 0 && !within(f.MaxHours, minGapHours, describe.MaxLifetimeHours) {
		return fmt.Errorf("max_life_h %v, expected 0 or %v to %d", f.MaxHours, minGapHours, describe.MaxLifetimeHours)
	}
	return nil
}

// lifetime returns the u-th quantile of lifetimes, at least a microsecond.
func (f *fleet) lifetime(d describe.LifetimeDistribution, u float64) float64 {
	hours := math.Max(1/series.HourUs, d.Quantile(u))
	if f.MaxHours > 0 {
		return math.Min(hours, f.MaxHours)
	}
	return hours
}

// mean returns the mean life, by a thousand quantiles.
func (f *fleet) mean(d describe.LifetimeDistribution) float64 {
	const n = 1000
	sum := 0.0
	for i := range n {
		sum += f.lifetime(d, (float64(i)+.5)/n)
	}
	return sum / n
}

func (f *fleet) fleetRate(pools []GeneratorPool, d describe.LifetimeDistribution) float64 {
	places := 0
	for _, p := range pools {
		places = max(places, p.Cap)
	}
	return 2 * float64(places) / (f.mean(d) + minGapHours)
}

// fill makes the machines of every pool, place by place.
func (f *fleet) fill(m *making, d describe.LifetimeDistribution) {
	for i, p := range m.pools {
		x, pool := &m.generated[i], sim.NameEntity(p.Name)
		next := 1
		for place := range p.Cap {
			id := pool + uint64(place)*0x9e3779b97f4a7c15
			for t, k := int64(0), uint64(0); t < m.end; k++ {
				x.machines = append(x.machines, machineEvent{t, next, true})
				if t += hoursUs(f.lifetime(d, m.dice.Uniform(purposeLife, id, k))); t >= m.end {
					break
				}
				x.machines = append(x.machines, machineEvent{t, next, false})
				next++
				gap := max(minGapHours, f.MeanGapHours[i]*m.dice.Exponential(purposeLaunch, id, k))
				t += hoursUs(gap)
			}
			next++
		}
		sortMachines(x.machines)
	}
}

// fitFleet chooses gaps such that the places are taken for the recorded share
// of time.
func fitFleet(h *trace, d describe.LifetimeDistribution, opt FitOptions) fleet {
	f := fleet{MeanGapHours: make([]float64, len(h.courses)), MaxHours: opt.MaxLifetime.Hours()}
	mean := f.mean(d)
	for i := range h.courses {
		c := &h.courses[i]
		if machines := c.machineHours(); machines > 0 {
			f.MeanGapHours[i] = min(describe.MaxLifetimeHours, max(0, mean*(c.hours()*float64(c.top)/machines-1)))
		}
	}
	return f
}
