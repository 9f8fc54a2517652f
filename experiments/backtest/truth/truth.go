// Package truth makes runs whose parameters are known, with the simulator and noise, to see whether a fit finds them again and whether the
// intervals of predictions hold as often as they say.
package truth

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/policies/recorded"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// Truth is how runs are made. Times are in seconds.
type Truth struct {
	Type      string
	Workers   int     // instances that a run holds; what is taken is replaced
	Steps     float64 // of a run
	LogEvery  float64 // steps between two that are recorded
	Alone     float64 // steps per second of one instance
	Power     float64 // n instances do n^Power times as many
	Spread    float64 // standard deviation of the logarithm of a run's speed
	Boot      Lognormal
	Restart   Lognormal // training stands after a loss, and goes back to the last save
	Save      Lognormal
	SaveEvery float64
	Life      float64   // mean time until an instance is taken
	Wait      Lognormal // from a loss to the grant of another instance
	USDPerH   float64
}

// Lognormal is a distribution of times.
type Lognormal struct{ Median, Sigma float64 }

// Usual is the truth of the tests: 8 instances, about 30,000 s, about 10 losses in a run.
func Usual() Truth {
	return Truth{Type: "p3.2xlarge", Workers: 8, Steps: 60000, LogEvery: 50, Alone: 0.5, Power: 0.9, Spread: 0.03, Boot: Lognormal{120, 0.2},
		Restart: Lognormal{90, 0.3}, Save: Lognormal{12, 0.2}, SaveEvery: 900, Life: 20000, Wait: Lognormal{200, 0.8}, USDPerH: 0.918}
}

// Speed returns the median speed of n instances, steps per second.
func (t *Truth) Speed(n int) float64 { return t.Alone * math.Pow(float64(n), t.Power) }

// Run makes the run of a seed. Its clock is that of the world, from a day of 2026.
func (t *Truth) Run(seed uint64) (*ownruns.Run, error) {
	m := &maker{truth: t, from: sim.Rand{Seed: seed}.Stream(sim.PurposeUser, sim.NameEntity("truth"))}
	holdings := m.holdings()
	pool := sim.Pool{Name: Zone + "/" + t.Type, Zone: Zone, InstanceType: t.Type,
		Boot: sim.Boot{Median: span(t.Boot.Median), Sigma: t.Boot.Sigma}}
	policy := recorded.New(holdings, nil, span(t.SaveEvery))
	end := sim.Time(0).Add(span(m.horizon()))
	market, err := sim.NewMarket(end, policy.Histories([]sim.Pool{pool}, [][]sim.Price{{{USD: t.USDPerH}}}))
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

// Zone is where the instances are.
const Zone = "us-east-1a"

func span(seconds float64) time.Duration { return time.Duration(seconds * 1e9).Round(time.Microsecond) }

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
func (m *maker) holdings() (out []recorded.Holding) {
	t := m.truth
	for range t.Workers {
		for at := 0.0; at < m.horizon(); {
			m.n++
			gone := at + t.Life*m.from.Exponential(m.n)
			if gone <= at+1 {
				continue
			}
			out = append(out, recorded.Holding{Pool: Zone + "/" + t.Type, From: span(at), To: span(gone), Taken: true})
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
func (m *model) SaveTime(*sim.Layout) time.Duration { return span(m.maker.draw(m.maker.truth.Save)) }
