package traces

import (
	"fmt"
	"math"
	"slices"
)

// Fleet is the machines of laws of lifetimes: as many as there are places in a
// pool, each living a life drawn from the law, and followed by another after an
// exponential gap. All are new at time 0. Machines die independently, so that
// losses in bulk and correlations are not those of the history: the laws of
// lifetimes are about lives.
type Fleet struct {
	MeanGapHours []float64 `json:"mean_gap_h"` // by pool; 0: the next comes at once
	MaxLifeHours float64   `json:"max_life_h"` // every machine is gone by then; 0: no end
}

// LivesResampled draws lives from the Kaplan-Meier estimate of recorded ones:
// a machine that was not seen to die counts as long as it was seen.
type LivesResampled struct {
	Fleet
	Survival Survival `json:"kaplan_meier"`
}

// LivesBathtub draws lives from the bathtub law.
type LivesBathtub struct {
	Fleet
	Bathtub
}

var kaplanMeierEntry = lawEntry{
	name: "kaplan-meier", what: "lives drawn from the Kaplan-Meier estimate of recorded ones",
	blank: func() Law { return new(LivesResampled) },
	fit: func(h *history, opt FitOptions) (Law, error) {
		curve := KaplanMeier(slices.Concat(h.lifetimes...))
		if err := curve.Check(); err != nil {
			return nil, err
		}
		return &LivesResampled{fitFleet(h, curve, opt), curve}, nil
	},
}

var bathtubEntry = lawEntry{
	name: "bathtub", what: "lives by the bathtub law: many early deaths, few for long, all by an age",
	blank: func() Law { return new(LivesBathtub) },
	fit: func(h *history, opt FitOptions) (Law, error) {
		curve := KaplanMeier(slices.Concat(h.lifetimes...))
		if err := curve.Check(); err != nil {
			return nil, err
		}
		law, err := curve.FitBathtub()
		if err != nil {
			return nil, err
		}
		return &LivesBathtub{fitFleet(h, law, opt), law}, nil
	},
	standard: func() (Law, []GeneratorPool) {
		return &LivesBathtub{Fleet{MeanGapHours: []float64{.025}}, PublishedBathtub()}, standardPool(16)
	},
}

func (l *LivesResampled) rate(pools []GeneratorPool) float64 { return l.fleetRate(pools, l.Survival) }
func (l *LivesResampled) make(m *making)                     { l.fill(m, l.Survival) }
func (l *LivesResampled) check(pools []GeneratorPool) error {
	if err := l.Survival.Check(); err != nil {
		return err
	}
	return l.checkFleet(pools)
}

func (l *LivesBathtub) rate(pools []GeneratorPool) float64 { return l.fleetRate(pools, l.Bathtub) }
func (l *LivesBathtub) make(m *making)                     { l.fill(m, l.Bathtub) }
func (l *LivesBathtub) check(pools []GeneratorPool) error {
	if err := l.Bathtub.Check(); err != nil {
		return err
	}
	return l.checkFleet(pools)
}

func (f *Fleet) checkFleet(pools []GeneratorPool) error {
	if err := each("mean_gap_h", len(f.MeanGapHours), pools); err != nil {
		return err
	}
	for i, gap := range f.MeanGapHours {
		if !within(gap, 0, MaxLifetimeHours) {
			return fmt.Errorf("mean_gap_h[%d] %v, expected 0 to %d", i, gap, MaxLifetimeHours)
		}
	}
	if f.MaxLifeHours != 0 && !within(f.MaxLifeHours, leastGapHours, MaxLifetimeHours) {
		return fmt.Errorf("max_life_h %v, expected 0 or %v to %d", f.MaxLifeHours, leastGapHours, MaxLifetimeHours)
	}
	return nil
}

// life returns the u-th quantile of lives, at least a microsecond.
func (f *Fleet) life(law LifetimeDistribution, u float64) float64 {
	hours := math.Max(1/microsecondsPerHour, law.Quantile(u))
	if f.MaxLifeHours > 0 {
		return math.Min(hours, f.MaxLifeHours)
	}
	return hours
}

// mean returns the mean life, by a thousand quantiles.
func (f *Fleet) mean(law LifetimeDistribution) float64 {
	const n = 1000
	sum := 0.0
	for i := range n {
		sum += f.life(law, (float64(i)+.5)/n)
	}
	return sum / n
}

func (f *Fleet) fleetRate(pools []GeneratorPool, law LifetimeDistribution) float64 {
	places := 0
	for _, p := range pools {
		places = max(places, p.Cap)
	}
	return 2 * float64(places) / (f.mean(law) + leastGapHours)
}

// fill makes the machines of every pool, place by place.
func (f *Fleet) fill(m *making, law LifetimeDistribution) {
	for i, p := range m.pools {
		x, pool := &m.made[i], Entity(p.Name)
		next := 1
		for place := range p.Cap {
			id := pool + uint64(place)*0x9e3779b97f4a7c15
			for t, k := int64(0), uint64(0); t < m.end; k++ {
				x.machines = append(x.machines, machineEvent{t, next, true})
				if t += hoursUs(f.life(law, m.dice.Uniform(purposeLife, id, k))); t >= m.end {
					break
				}
				x.machines = append(x.machines, machineEvent{t, next, false})
				next++
				gap := max(leastGapHours, f.MeanGapHours[i]*m.dice.Exponential(purposeLaunch, id, k))
				t += hoursUs(gap)
			}
			next++
		}
		sortMachines(x.machines)
	}
}

// fitFleet chooses gaps such that the places are taken for the recorded share
// of time.
func fitFleet(h *history, law LifetimeDistribution, opt FitOptions) Fleet {
	f := Fleet{MeanGapHours: make([]float64, len(h.courses)), MaxLifeHours: opt.MaxLife.Hours()}
	mean := f.mean(law)
	for i := range h.courses {
		c := &h.courses[i]
		if machines := c.machineHours(); machines > 0 {
			f.MeanGapHours[i] = min(MaxLifetimeHours, max(0, mean*(c.hours()*float64(c.top)/machines-1)))
		}
	}
	return f
}
