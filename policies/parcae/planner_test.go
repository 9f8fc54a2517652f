package parcae_test

import (
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/parcae"
	"pgregory.net/rapid"
)

// broad is a network of as many layers as it may have stages, from 6 on, whose
// pipelines lose some speed with depth and with width.
func broad(largest int) *pipeline.Parcae {
	gpt, err := pipeline.LoadParcae("gpt-1.5b")
	if err != nil {
		panic(err)
	}
	m := pipeline.Parcae{MinPipelines: 1, Restart: gpt.Restart, Transfer: gpt.Transfer}
	var speeds []pipeline.LayoutSpeed
	for p := 6; p <= largest; p++ {
		m.Depths = append(m.Depths, p)
		for d := 1; d*p <= largest; d++ {
			speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: d, Stages: p,
				SamplesPerS: 2 * math.Pow(float64(d*p), 0.9) / math.Pow(float64(p), 0.1)})
		}
	}
	for range largest {
		m.Layers = append(m.Layers, 30740800)
	}
	return pipeline.NewParcae(m, speeds)
}

// future has preemptions and additions in turn.
func future(n, largest, horizon int) []parcae.Turnover {
	var out []parcae.Turnover
	for i := range horizon {
		var e parcae.Turnover
		switch i % 4 {
		case 0:
			e.Removed = 1 + i%3
		case 2:
			e.Added = min(2, largest-n)
		}
		n += e.Added - e.Removed
		out = append(out, e)
	}
	return out
}

// The optimiser finds what trying every plan finds, and its samples are what the
// plan's costs add up to.
func TestPlannerExhaustive(t *testing.T) {
	check := near.Count(t)
	m := broad(14)
	for _, start := range []parcae.State{
		{Instances: 14}, {Instances: 14, Shape: parcae.Shape{Pipelines: 2, Stages: 7}},
		{Instances: 12, Shape: parcae.Shape{Pipelines: 1, Stages: 9}},
		{Instances: 13, Shape: parcae.Shape{Pipelines: 2, Stages: 6}, Stalled: true, Rest: 9000},
	} {
		for _, interval := range []float64{60, 10} {
			p := parcae.NewPlanner(m, 14, interval)
			events := future(start.Instances, 14, 3)
			plan := p.Plan(start, events, nil)
			want := exhaustive(m, p, start, events, interval)
			if got := plan[len(plan)-1].Samples; check.OffRel(got, want, 1e-9) {
				t.Errorf("%+v, %v s: %v samples, want %v", start, interval, got, want)
			}
			if next := p.Next(start, events); next != plan[0].Shape {
				t.Errorf("%+v: next %v, plan %v", start, next, plan)
			}
		}
	}
}

// Whatever the events, what is left out does not matter: the plan is at least as
// good as that of the recurrence with all its states, and that of all sequences
// where no migration outlasts an interval. (Where one does, the recurrence may
// keep a state with more samples and lose one with less left to migrate.)
func TestPlannerExhaustiveAtRandom(t *testing.T) {
	check := near.Count(t)
	m := broad(13)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(6, 13).Draw(t, "instances")
		s := parcae.State{Instances: n}
		if d := rapid.IntRange(0, n/6).Draw(t, "pipelines"); d > 0 {
			s.Shape = parcae.Shape{Pipelines: d, Stages: rapid.IntRange(6, n/d).Draw(t, "stages")}
			s.Rest = rapid.Float64Range(0, 30_000).Draw(t, "rest")
			s.Stalled = s.Rest > 0
		}
		var events []parcae.Turnover
		for range rapid.IntRange(1, 4).Draw(t, "intervals") {
			to := rapid.IntRange(6, 13).Draw(t, "next")
			events = append(events, parcae.Turnover{Added: max(0, to-n), Removed: max(0, n-to)})
			n = to
		}
		p := parcae.NewPlanner(m, 13, rapid.SampledFrom([]float64{10, 60, 300}).Draw(t, "interval"))
		p.Objective = rapid.SampledFrom([]parcae.Objective{parcae.Throughput, parcae.Liveput}).Draw(t, "objective")
		plan := p.Plan(s, events, nil)
		got := plan[len(plan)-1].Samples
		smallest, outlasts := recurrence(m, p, s, events)
		largest := exhaustive(m, p, s, events, p.Interval)
		if check.Outside(got, smallest*(1-1e-9), largest*(1+1e-9)) || !outlasts && check.Below(got, largest*(1-1e-9)) {
			t.Errorf("%v samples, want %v to %v; a migration outlasts an interval: %v", got, smallest, largest, outlasts)
		}
	})
}

// recurrence is the dynamic program without any cuts: by layout, trained or
// stalled, the state with the most samples. It says whether it met one that was
// stalled.
func recurrence(m *pipeline.Parcae, p *parcae.Planner, s parcae.State, events []parcae.Turnover) (best float64,
	outlasts bool) {
	type key struct {
		shape   parcae.Shape
		stalled bool
	}
	type state struct{ samples, rest float64 }
	now := map[key]state{{s.Shape, s.Stalled}: {0, s.Rest}}
	outlasts = s.Stalled
	n := s.Instances
	for _, e := range events {
		next := map[key]state{}
		for from, x := range now {
			for _, stages := range m.Stages() {
				for d := 1; d*stages <= n+e.Added-e.Removed; d++ {
					to := parcae.Shape{Pipelines: d, Stages: stages}
					value := m.Speed(d, stages)
					if p.Objective == parcae.Liveput {
						value = m.Liveput(d, stages, max(n, to.Size()), e.Removed)
					}
					left := p.Interval - (x.rest+p.Expect(n, e.Removed, from.shape, to))/1000
					at, y := key{to, left < 0}, state{x.samples + value*max(0, left), max(0, -1000*left)}
					outlasts = outlasts || at.stalled
					if z, there := next[at]; !there || y.samples > z.samples || y.samples == z.samples && y.rest < z.rest {
						next[at] = y
					}
				}
			}
		}
		now = next
		n += e.Added - e.Removed
	}
	for _, x := range now {
		best = max(best, x.samples)
	}
	return best, outlasts
}

// exhaustive tries every sequence of shapes.
func exhaustive(m *pipeline.Parcae, p *parcae.Planner, s parcae.State, events []parcae.Turnover,
	interval float64) float64 {
	if len(events) == 0 {
		return 0
	}
	e, best := events[0], 0.0
	n := s.Instances + e.Added - e.Removed
	for _, stages := range m.Stages() {
		for d := 1; d*stages <= n; d++ {
			to := parcae.Shape{Pipelines: d, Stages: stages}
			rest := s.Rest + p.Expect(s.Instances, e.Removed, s.Shape, to)
			left := interval - rest/1000
			value := m.Speed(d, stages)
			if p.Objective == parcae.Liveput {
				value = m.Liveput(d, stages, max(s.Instances, to.Size()), e.Removed)
			}
			next := parcae.State{Instances: n, Shape: to, Stalled: left < 0, Rest: max(0, -1000*left)}
			best = max(best, value*max(0, left)+exhaustive(m, p, next, events[1:], interval))
		}
	}
	return best
}

// Where no layout fits there is none, and training begins again when one does.
func TestPlannerSuspends(t *testing.T) {
	p := parcae.NewPlanner(broad(14), 14, 60)
	events := []parcae.Turnover{{Removed: 6}, {}, {Added: 8}}
	plan := p.Plan(parcae.State{Instances: 9, Shape: parcae.Shape{Pipelines: 1, Stages: 9}}, events, nil)
	if plan[0].Shape != (parcae.Shape{}) || plan[1].Samples != 0 || !(plan[2].Samples > 0) {
		t.Errorf("plan %v", plan)
	}
}

// With the paper's objective a layout that preemptions tear apart is worth less.
func TestParcaeLiveput(t *testing.T) {
	m := broad(32)
	s := parcae.State{Instances: 32, Shape: parcae.Shape{Pipelines: 2, Stages: 16}}
	events := []parcae.Turnover{{Removed: 4}, {Added: 4}, {Removed: 4}, {Added: 4}}
	p := parcae.NewPlanner(m, 32, 60)
	throughput := p.Plan(s, events, nil)
	p.Objective = parcae.Liveput
	liveput := p.Plan(s, events, nil)
	if last := len(events) - 1; !(liveput[last].Samples < throughput[last].Samples) || !(liveput[last].Samples > 0) {
		t.Errorf("%v against %v", liveput, throughput)
	}
}

func TestPlannerAllocatesNothing(t *testing.T) {
	p := parcae.NewPlanner(broad(32), 32, 60)
	s := parcae.State{Instances: 32, Shape: parcae.Shape{Pipelines: 4, Stages: 8}}
	events := future(32, 32, 12)
	p.Next(s, events)
	if n := testing.AllocsPerRun(20, func() { p.Next(s, events); p.Next(s, events[:3]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
