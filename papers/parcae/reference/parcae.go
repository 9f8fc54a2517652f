package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/parcae"
)

// Model is a network in Parcae's simulator (JF-D/Parcae at efedee7,
// liveput/). pipeline.Parcae is one.
type Model interface {
	parcae.MigrationModel
	// Best returns the fastest layout for n instances, 0, 0 if none trains.
	Best(instances int) (pipelines, stages int)
	// Reload returns the ms of a restart from a checkpoint, join: with new
	// instances, first: there is none to save and read back.
	Reload(pipelines, stages int, join, first bool) float64
}

// Rule is how the simulator chooses layouts.
type Rule uint8

// The rules.
const (
	// Proactive plans ahead over a forecast, or over what will happen
	// (liveput.py; "Ideal" in the paper).
	Proactive Rule = iota
	// Reactive takes the fastest layout for the instances of now and starts
	// it again from a checkpoint at every change of their number (throughput.py).
	Reactive
	// Migrating takes the same layouts by migration: the paper's ablation
	// without the optimiser, which its simulator does not have.
	Migrating
	// Unhindered takes the same layouts at no cost: a bound.
	Unhindered
)

// Simulator replays a trace of minutes. What happens in one happens at its
// beginning, and migrations are paid for then.
type Simulator struct {
	Model   Model
	Rule    Rule
	Planner *parcae.Planner // of Proactive and Migrating
	Ahead   int             // intervals that it plans
	// Forecast returns the numbers of instances in n coming intervals, from
	// those until now. It is asked before every interval but the first, which
	// is known; nil knows the future.
	Forecast func(trace []int, horizon int) []int
	// Grow adds pipelines where there are more instances than the plan uses and
	// more pipelines are faster, as the paper says; its simulator only drops them.
	Grow bool

	now    parcae.State
	future []parcae.Turnover
}

// Minute is what became of an interval.
type Minute struct {
	Proposed    parcae.Shape // before it was known how many instances there are
	Shape       parcae.Shape // none: training is suspended
	MigrationMs float64      // cost of the change at its beginning
	OverheadMs  float64      // of the interval, for this change or earlier ones
	Samples     float64      // trained since the beginning
}

const parcaeMinuteMs = 60_000

// Replay runs through the numbers of instances by minute.
func (p *Simulator) Replay(trace []int) []Minute {
	p.now = parcae.State{}
	out := make([]Minute, len(trace))
	samples := 0.0
	for i, n := range trace {
		m := &out[i]
		if p.Rule == Proactive {
			p.proactive(trace, i, m)
		} else {
			p.fastest(i, n, m)
		}
		work := parcaeMinuteMs - p.now.Rest
		m.OverheadMs = min(p.now.Rest, parcaeMinuteMs)
		if p.now.Stalled = work < 0; !p.now.Stalled {
			samples += p.Model.Speed(m.Shape.Pipelines, m.Shape.Stages) * work / 1000
		}
		p.now.Rest = max(0, -work)
		p.now.Instances, p.now.Shape = n, m.Shape
		m.Samples = samples
	}
	return out
}

// proactive takes the first step of a plan, cut to what there really is.
func (p *Simulator) proactive(trace []int, i int, m *Minute) {
	p.fillFuture(trace, i)
	m.Proposed = p.Planner.Next(p.now, p.future)
	m.Shape = p.fit(m.Proposed, trace[i])
	e := parcae.TurnoverOf(p.now.Instances, trace[i])
	p.migrate(e, m)
}

// migrate pays for the migration to the minute's layout.
func (p *Simulator) migrate(e parcae.Turnover, m *Minute) {
	m.MigrationMs = p.Planner.Expect(p.now.Instances, e.Removed, p.now.Shape, m.Shape)
	if m.MigrationMs > 0 {
		if p.now.Rest > 0 && p.Model.DropsRemainder() {
			p.now.Rest = p.Planner.Concurrent(m.Shape)
		}
		p.now.Rest += m.MigrationMs
	}
}

// fillFuture fills in the future of interval i.
func (p *Simulator) fillFuture(trace []int, i int) {
	coming := trace[i:min(i+p.Ahead, len(trace))]
	switch {
	case p.Forecast != nil && i == 0:
		coming = slices.Repeat(coming[:1], len(coming))
	case p.Forecast != nil:
		coming = p.Forecast(trace[:i], len(coming))
	}
	p.future = p.future[:0]
	n := p.now.Instances
	for _, next := range coming {
		p.future = append(p.future, parcae.TurnoverOf(n, next))
		n = next
	}
}

// fit drops pipelines that there are no instances for. Where that leaves none, all
// instances are one pipeline, if it trains.
func (p *Simulator) fit(s parcae.Shape, n int) parcae.Shape {
	if s.Stages == 0 {
		return parcae.Shape{}
	}
	if largest := n / s.Stages; s.Size() > n || p.Grow &&
		p.Model.Speed(largest, s.Stages) > p.Model.Speed(s.Pipelines, s.Stages) {
		s.Pipelines = largest
	}
	switch {
	case s.Pipelines > 0:
		return s
	case p.Model.Speed(1, n) > 0:
		return parcae.Shape{Pipelines: 1, Stages: n}
	}
	return parcae.Shape{}
}

// fastest takes the fastest layout for what there is now.
func (p *Simulator) fastest(i, n int, m *Minute) {
	m.Shape.Pipelines, m.Shape.Stages = p.Model.Best(n)
	m.Proposed = m.Shape
	e := parcae.TurnoverOf(p.now.Instances, n)
	if p.Rule == Unhindered || e == (parcae.Turnover{}) || m.Shape.Stages == 0 {
		return
	}
	if p.Rule == Migrating {
		p.migrate(e, m)
		return
	}
	join := e.Added > 0 || i == 0
	m.MigrationMs = p.Model.Reload(m.Shape.Pipelines, m.Shape.Stages, join, i == 0)
	if p.now.Rest > 0 {
		p.now.Rest = p.Model.RestartTime(m.Shape.Pipelines, m.Shape.Stages, join)
	}
	p.now.Rest += m.MigrationMs
}
