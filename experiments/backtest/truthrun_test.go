// These files make runs whose parameters are known, with the simulator and noise, to see whether a fit finds them again
// and whether the intervals of predictions hold as often as they say.
package backtest_test

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// Run makes the run of a seed. Its clock is that of the world, from a day of 2026.
func (t *Truth) Run(seed uint64) (*ownruns.Run, error) {
	m := &maker{truth: t, from: sim.Rand{Seed: seed}.Stream(sim.PurposeUser, sim.NameEntity("truth"))}
	holdings := m.holdings()
	pool := sim.Pool{Name: Zone + "/" + t.Type, Zone: Zone, InstanceType: t.Type,
		Boot: sim.Boot{Median: span(t.Boot.Median), Sigma: t.Boot.Sigma}}
	policy := policies.NewRecorded(holdings, nil, span(t.SaveEvery))
	end := sim.Time(0).Add(span(m.horizon()))
	market, err := sim.NewMarket(end, policy.Traces([]sim.Pool{pool}, [][]sim.Price{{{USD: t.USDPerH}}}))
	if err != nil {
		return nil, err
	}
	j := &journal{truth: t}
	w, err := sim.New(sim.Config{Market: market, Policy: policy, Seed: seed, Recorder: j,
		Jobs: []sim.Job{{Name: "run", Model: m.model(), Objective: sim.Objective{Within: end.Sub(0)}}}})
	if err != nil {
		return nil, err
	}
	totals := w.Run()
	if !totals.Jobs[0].Finished {
		return nil, fmt.Errorf("truth: seed %d: the run does not end in %v", seed, end.Sub(0))
	}
	j.end(totals.End)
	return ownruns.New(fmt.Sprintf("run-%d", seed), false, []string{"truth"}, j.events)
}

// maker draws what happens to one run.
type maker struct {
	truth *Truth
	from  sim.Stream
	n     uint64
}

func (m *maker) normal() float64 { m.n++; return m.from.Normal(m.n) }

func (m *maker) draw(l Lognormal) float64 { return l.Median * math.Exp(l.Sigma*m.normal()) }

func (m *maker) horizon() float64 { return 4 * m.truth.Steps / m.truth.Speed(m.truth.Workers) }

// holdings draws when instances come and go.
func (m *maker) holdings() (out []policies.Holding) {
	t := m.truth
	for range t.Workers {
		for at := 0.0; at < m.horizon(); {
			m.n++
			gone := at + t.Life*m.from.Exponential(m.n)
			if gone <= at+1 {
				continue
			}
			out = append(out, policies.Holding{Pool: Zone + "/" + t.Type, From: span(at), To: span(gone), Taken: true})
			at = gone + m.draw(t.Wait)
		}
	}
	return out
}

// model is how one run trains. Unlike other models it draws a time anew at each call, and is for one run only.
type model struct {
	maker *maker
	speed []float64 // by number of instances
}

func (m *maker) model() *model {
	x := &model{maker: m}
	more := math.Exp(m.truth.Spread * m.normal())
	for n := range m.truth.Workers + 1 {
		x.speed = append(x.speed, more*m.truth.Speed(n))
	}
	return x
}

// Rate implements sim.Model.
func (m *model) Rate(l *sim.Layout) sim.Rate {
	n := l.Total()
	if n == 0 {
		return sim.Rate{}
	}
	return sim.Rate{Progress: m.speed[n], Iterations: m.speed[n], Samples: m.speed[n], Working: int32(n), Step: 1}
}

// Begin implements sim.Model.
func (*model) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (m *model) Goal(loss float64) float64 { return m.maker.truth.Steps - loss }

// Loss implements sim.Model.
func (m *model) Loss(progress float64) float64 { return m.maker.truth.Steps - progress }

// Change implements sim.Model.
func (m *model) Change(c *sim.Change) sim.Pause {
	if c.Lost == 0 && !c.Vacated {
		return sim.Pause{}
	}
	return sim.Pause{Stall: span(m.maker.draw(m.maker.truth.Restart)), As: sim.Restoring, Rollback: true}
}

// SaveTime implements sim.Model.
func (m *model) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	return span(m.maker.draw(m.maker.truth.Save)), 0
}
