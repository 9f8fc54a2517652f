package parallel_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// holder holds a number of instances of the first pool, and saves at an instant.
type holder struct {
	n    int
	save time.Duration
}

func (*holder) Name() string { return "holder" }

func (h *holder) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = h.n
	switch left := sim.Time(0).Add(h.save).Sub(v.Now()); {
	case h.save == 0:
	case left > 0:
		plan.WakeIn(left)
	case left == 0:
		plan.Jobs[0].Save = true
	}
}

// capacity is a market of one pool whose instances go and come at instants in seconds, without boots and notices.
func capacity(t testing.TB, quota int, at ...sim.Capacity) *sim.Market {
	t.Helper()
	h := sim.Trace{Pool: sim.Pool{Name: "a", InstanceType: "a", Quota: quota}, Prices: []sim.Price{{USD: 1}},
		Capacity: append([]sim.Capacity{{N: quota}}, at...)}
	m, err := sim.NewMarket(sim.At(24*3600), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func train(t testing.TB, g parallel.Groups, m *sim.Market, p sim.Policy) sim.JobTotals {
	t.Helper()
	model, err := parallel.NewReplicated(g, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 10 * time.Hour}}}, Policy: p, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run().Jobs[0]
}

// Four groups train 4 samples a second, in steps of 10 s and 40 samples.
func TestReplicaGroupsByArithmetic(t *testing.T) {
	check := near.Count(t)
	four := parallel.Groups{Samples: 1000, Batch: 40, Groups: 4, Workers: 1, Min: 1, Step: 10 * time.Second, Restart: 50 * time.Second}
	with := func(change func(*parallel.Groups)) parallel.Groups {
		g := four
		change(&g)
		return g
	}
	for name, c := range map[string]struct {
		g    parallel.Groups
		m    *sim.Market
		p    holder
		want float64
	}{
		"none is lost": {four, capacity(t, 4), holder{n: 4}, 250},
		// 420 samples at 105 s; the step that fails takes 10 s in all, the rest 3 samples a second.
		"a group goes": {four, capacity(t, 4, sim.Capacity{At: sim.At(105), N: 3}), holder{n: 4}, 105 + 10 + 580/3.0},
		// Kept batches: the step of three groups that fails takes 13.333 s.
		"the batch is kept": {with(func(g *parallel.Groups) { g.Kept = true }), capacity(t, 4, sim.Capacity{At: sim.At(105), N: 3}), holder{n: 4},
			105 + 40/3.0 + 580/3.0},
		// It comes back at 200 s: 255 samples more by then, and the others wait for 5 s at each change.
		"a group comes back": {with(func(g *parallel.Groups) { g.Stall = 5 * time.Second }),
			capacity(t, 4, sim.Capacity{At: sim.At(105), N: 3}, sim.Capacity{At: sim.At(200), N: 4}), holder{n: 4}, 200 + 5 + (580-3*(200-120))/4.0},
		// Two of eight instances, of groups of two: those that are left fill one group's places.
		"two workers go": {with(func(g *parallel.Groups) { g.Workers = 2 }), capacity(t, 8, sim.Capacity{At: sim.At(105), N: 7},
			sim.Capacity{At: sim.At(140), N: 6}), holder{n: 8}, 140 + 10 + (1000-420-3*(140-115))/3.0},
		// Outer steps of 10 s each five inner ones: 12 s a step, 10/3 samples a second. At 105 s a round of 60 s began
		// 45 s ago; the lost group did 37.5 samples in it.
		"outer steps": {with(func(g *parallel.Groups) { g.Every, g.Sync = 5, 10*time.Second }), capacity(t, 4, sim.Capacity{At: sim.At(105), N: 3}),
			holder{n: 4}, 105 + (1000-350+37.5)/2.5},
		// A ring of four sends 1.5 times 8 GB over 1.2 GB/s: 10 s; of three 1.333 times: 8.889 s.
		"outer steps over links": {with(func(g *parallel.Groups) { g.Every, g.SyncGB, g.LinkGBS = 5, 8, 1.2 }),
			capacity(t, 4, sim.Capacity{At: sim.At(105), N: 3}), holder{n: 4}, 105 + (1000-350+37.5)/(30/(10+80/9.0/5))},
		// All go at 105 s and come at 200 s: back to the save of 80 s (320 samples, a microsecond), after a restart.
		"all go": {with(func(g *parallel.Groups) { g.Interval = time.Hour }), capacity(t, 4, sim.Capacity{At: sim.At(105)},
			sim.Capacity{At: sim.At(200), N: 4}), holder{4, 80 * time.Second}, 200 + 50 + 680/4.0},
		// Three of four go: the last has the state.
		"one is left": {four, capacity(t, 4, sim.Capacity{At: sim.At(105), N: 1}, sim.Capacity{At: sim.At(205), N: 4}), holder{n: 4},
			205 + (580-90)/4.0},
		// At least two are needed: the one that is left waits, and has the state. The step that failed is done again.
		"below the least": {with(func(g *parallel.Groups) { g.Min = 2 }), capacity(t, 4, sim.Capacity{At: sim.At(105), N: 1},
			sim.Capacity{At: sim.At(205), N: 4}), holder{n: 4}, 205 + 10 + 580/4.0},
		// Of a group of two one is left, which has a half of the state: all begins anew.
		"half a group": {with(func(g *parallel.Groups) { g.Workers, g.Groups = 2, 1 }), capacity(t, 2, sim.Capacity{At: sim.At(105), N: 1},
			sim.Capacity{At: sim.At(205), N: 2}), holder{n: 2}, 205 + 50 + 250},
	} {
		if got := train(t, c.g, c.m, &c.p); !got.Finished || check.Off(got.Elapsed.Seconds(), c.want, 1e-4) {
			t.Errorf("%s: %v s (finished %v), want %v", name, got.Elapsed.Seconds(), got.Finished, c.want)
		}
	}
}

func TestReplicaGroupsAreChecked(t *testing.T) {
	good := parallel.Groups{Samples: 1, Batch: 1, Groups: 2, Workers: 2, Min: 1, Step: time.Second}
	for name, change := range map[string]func(*parallel.Groups){
		"no groups": func(g *parallel.Groups) { g.Groups = 0 }, "min": func(g *parallel.Groups) { g.Min = 3 }, "step": func(g *parallel.Groups) { g.Step = 0 },
		"link": func(g *parallel.Groups) { g.Every, g.SyncGB = 1, 1 }, "samples": func(g *parallel.Groups) { g.Samples = 0 },
		"workers": func(g *parallel.Groups) { g.Workers = 1 << 16 },
	} {
		g := good
		change(&g)
		if _, err := parallel.NewReplicated(g, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := parallel.NewReplicated(good, 1); err != nil {
		t.Error(err)
	}
}

// What a loss costs is a span of time, whatever is asked: of layouts that train, that do not, and of none.
func TestPausesOfReplicaGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(of string, low, high int) int { return rapid.IntRange(low, high).Draw(t, of) }
		g := parallel.Groups{Samples: 1e6, Batch: 64, Groups: number("groups", 1, 6), Workers: number("workers", 1, 3),
			Step: time.Duration(number("step_s", 1, 86400)) * time.Second, Kept: rapid.Bool().Draw(t, "kept"), Every: number("every", 0, 2),
			Sync: time.Minute, Stall: time.Duration(number("stall_s", 0, 60)) * time.Second, Restart: 2 * time.Minute, Interval: time.Hour}
		g.Min = number("min", 1, g.Groups)
		m, err := parallel.NewReplicated(g, 2)
		if err != nil {
			t.Fatal(err)
		}
		layout := func(of string) *sim.Layout {
			l := &sim.Layout{Workers: []int32{int32(number(of+", first pool", 0, 8)), int32(number(of+", second pool", 0, 8))}}
			if rapid.Bool().Draw(t, of+" is laid out") {
				d, stages := m.Best(l.Total())
				l.Pipelines, l.Stages = int32(d), int32(stages)
			}
			return l
		}
		from := layout("from")
		to := from
		if rapid.Bool().Draw(t, "changes") {
			to = layout("to")
		}
		c := sim.Change{From: from, To: to, Lost: int32(number("lost", 0, 3)), Worked: int32(number("worked", 0, from.Total()))}
		if from.Stages > 0 {
			c.Grid = sim.Place{Pipeline: from.Pipelines, Stage: 1}
			c.LostPlaces = make([]sim.Place, min(c.Lost, from.Pipelines))
		}
		longest := g.Restart + g.Stall + g.Step*time.Duration(g.Groups)
		p := m.Change(&c)
		if p.Stall < 0 || p.Stall > longest || !(p.DropShare >= 0 && p.DropShare <= 1) {
			t.Errorf("a pause of %+v, expected at most %v", p, longest)
		}
		left := from.Total() - int(c.Lost)
		if c.Lost > 0 && m.Rate(from).Progress > 0 && left < g.Workers && !p.Rollback {
			t.Errorf("no group is left, and nothing goes back: %+v", p)
		}
	})
}
