package sim

import (
	"strings"
	"testing"
	"time"
)

// slowSaves is a model whose saves take a second a worker.
type slowSaves struct{ flat }

func (slowSaves) SaveTime(l *Layout) time.Duration { return time.Duration(l.Total()) * time.Second }

// grower holds one instance more every hour, and notes how long a save would take.
type grower struct{ saves []time.Duration }

func (*grower) Name() string { return "grower" }

func (g *grower) Decide(v View, plan *Plan) {
	plan.Jobs[0].Hold[0] = 1 + int(v.Now().Sub(v.Start()).Hours())
	g.saves = append(g.saves, v.Job(0).SaveTime())
	plan.WakeIn(time.Hour)
}

// TestSaveTime: a view says how long a save takes on the layout in force, in a fork too,
// and by the model that the policy believes in.
func TestSaveTime(t *testing.T) {
	m, err := NewMarket(Time(0).Add(4*time.Hour), []History{{Pool: Pool{Name: "a", Quota: 9}, Prices: []Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	g := &grower{}
	job := Job{Model: flat{}, Belief: slowSaves{}, Objective: Objective{Within: time.Hour}}
	w, err := New(Config{Market: m, Jobs: []Job{job}, Policy: g})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(Time(0).Add(90 * time.Minute))
	var fork World
	other := &grower{}
	w.Fork(&fork, other)
	fork.Run()
	w.Run()
	check := func(who string, got []time.Duration, most int) {
		t.Helper()
		for _, span := range got {
			if span < 0 || span > time.Duration(most)*time.Second {
				t.Errorf("%s: a save takes %v, expected at most a second for each of %d instances", who, span, most)
			}
		}
		if last := got[len(got)-1]; last != time.Duration(most)*time.Second {
			t.Errorf("%s: a save takes %v at last, expected %d s", who, last, most)
		}
	}
	check("run", g.saves, 4)
	check("fork", other.saves, 4)
}

// swapper gives Hold memory of its own, of so many pools.
type swapper int

func (swapper) Name() string { return "swapper" }

func (s swapper) Decide(_ View, plan *Plan) {
	plan.Jobs[0].Hold = make([]int, s)
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = 2
	}
}

// TestHoldOfOnesOwn: a policy may replace Hold, but not by one for other pools.
func TestHoldOfOnesOwn(t *testing.T) {
	if got := askWorld(t, swapper(1)).Run().Grants; got != 2 {
		t.Errorf("%d instances are granted, expected the 2 that the plan wants", got)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "one number for each pool") {
			t.Errorf("a plan for two pools of one says %q", text)
		}
	}()
	askWorld(t, swapper(2)).Run()
}

// TestSame goes through lengths below and above those that same compares at once.
func TestSame(t *testing.T) {
	for n := range 14 {
		a, b := make([]int, n), make([]int, n)
		for i := range a {
			a[i], b[i] = 3*i, 3*i
		}
		if !same(a, b) {
			t.Errorf("%d equal elements are told to differ", n)
		}
		for i := range b {
			b[i]++
			if same(a, b) {
				t.Errorf("of %d elements, another one at %d is not noticed", n, i)
			}
			b[i]--
		}
	}
}
