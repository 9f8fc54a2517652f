package synth

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
)

// independentExponential lets each machine die by itself, at a constant rate,
// and come back by itself. It has the availability and the mean time between
// preemptions of its trace, no bulk and no correlation: the assumption of
// much published work, and the baseline that fails the check. Of 16 machines
// with the recorded mean time of 2.08 h it loses all within five minutes once
// in 3e22 such spans; the record has 128 in 12,719.
type independentExponential struct {
	MeanLifeHours []float64 `json:"mean_life_h"` // by pool: 0: none ever dies
	MeanGapHours  []float64 `json:"mean_gap_h"`  // by pool: until the next comes in its place; 0: at once
}

var exponentialEntry = modelEntry{
	name: "exponential", what: "baseline: independent exponential lifetimes",
	blank: func() Model { return new(independentExponential) },
	fit:   fitExponential,
	standard: func() (Model, []GeneratorPool) {
		// The 16-machine probes of AWS V100 (andylizf/skynomad-artifact at
		// 62b9aaa1): 2.08 h, availability .547.
		return &independentExponential{[]float64{2.08}, []float64{2.08 * (1/.547 - 1)}}, standardPool(16)
	},
}

func (e *independentExponential) rate(pools []GeneratorPool) float64 {
	largest := 0.0
	for i, life := range e.MeanLifeHours {
		if life > 0 {
			largest = max(largest, 2*float64(pools[i].Cap)/(life+max(minGapHours, e.MeanGapHours[i])))
		}
	}
	return largest
}

func (e *independentExponential) check(pools []GeneratorPool) error {
	if err := each("mean_life_h", len(e.MeanLifeHours), pools); err != nil {
		return err
	}
	if err := each("mean_gap_h", len(e.MeanGapHours), pools); err != nil {
		return err
	}
	for i, life := range e.MeanLifeHours {
		if life != 0 && !within(life, minGapHours, describe.MaxLifetimeHours) ||
			!within(e.MeanGapHours[i], 0, describe.MaxLifetimeHours) {
			return fmt.Errorf("pool %s: mean_life_h %v, mean_gap_h %v, expected 0 or %v to %d, and 0 to %d", pools[i].Name, life,
				e.MeanGapHours[i], minGapHours, describe.MaxLifetimeHours, describe.MaxLifetimeHours)
		}
	}
	return nil
}

// make lets one machine after the other come or go: with n there, the next goes
// at n/life an hour, and the next comes at (cap-n)/gap an hour.
func (e *independentExponential) make(m *making) {
	for i, p := range m.pools {
		if p.Cap == 0 {
			continue
		}
		id, x := sim.NameEntity(p.Name), &m.generated[i]
		life, gap := e.MeanLifeHours[i], max(minGapHours, e.MeanGapHours[i])
		up := 1.0 // share of time
		if life > 0 {
			up = life / (life + gap)
		}
		for k := range p.Cap {
			if m.dice.Uniform(purposeBegin, id, uint64(k)) < up {
				x.start++
			}
		}
		n := x.start
		for t, k := int64(0), uint64(0); life > 0; k++ {
			goes, comes := float64(n)/life, float64(p.Cap-n)/gap
			if t = later(m.dice, t, m.end, purposeClock, id, k, goes+comes); t >= m.end {
				break
			}
			v := move{t, 0, 1}
			if m.dice.Uniform(purposeMark, id, k)*(goes+comes) < goes {
				v = move{t, 1, 0}
			}
			n += v.came - v.gone
			x.moves = append(x.moves, v)
		}
	}
}

func fitExponential(h *trace, _ FitOptions) (Model, error) {
	if !h.counted() {
		return nil, fmt.Errorf("no counts or machines were recorded, expected a trace with them")
	}
	e := &independentExponential{make([]float64, len(h.courses)), make([]float64, len(h.courses))}
	for i := range h.courses {
		c := &h.courses[i]
		_, lost := c.lost()
		hours, machines := c.hours(), c.machineHours()
		if lost > 0 && machines > 0 {
			e.MeanLifeHours[i] = max(minGapHours, machines/float64(lost))
			e.MeanGapHours[i] = max(0, e.MeanLifeHours[i]*(hours*float64(c.top)/machines-1))
		}
	}
	return e, nil
}
