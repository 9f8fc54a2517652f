package sim_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// counter counts its decisions in what the world remembers for it, and decides by the count.
type counter struct{ firstCome }

type count struct{ decisions int }

func (counter) NewState(from, _ any) any {
	if was, ok := from.(*count); ok {
		return &count{was.decisions}
	}
	return &count{}
}

func (c counter) Decide(v sim.View, plan *sim.Plan) {
	v.State().(*count).decisions++
	c.firstCome.Decide(v, plan)
}

// last returns the count of a world at its end.
func last(w *sim.World) int {
	n := -1
	w.Fork(new(sim.World), spy{&n})
	return n
}

// spy looks at what a run remembers.
type spy struct{ n *int }

func (spy) Name() string               { return "spy" }
func (spy) Decide(sim.View, *sim.Plan) {}
func (s spy) NewState(from, _ any) any { *s.n = from.(*count).decisions; return nil }

// What a policy remembers begins anew with every run, and a fork has its own.
func TestState(t *testing.T) {
	c := clusterConfig(t, 50)
	c.Policy = counter{}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(sim.Time(0).Add(5 * time.Hour))
	before := last(w)
	var fork sim.World
	w.Fork(&fork, c.Policy)
	fork.Run()
	if after := last(w); before < 1 || after != before {
		t.Errorf("%d decisions before a fork ran, %d after", before, after)
	}
	w.Run()
	if a, b := last(w), last(&fork); a != b || int64(a) != w.Totals().Decisions {
		t.Errorf("%d decisions of %d counted, %d in the fork", a, w.Totals().Decisions, b)
	}
	if err := w.Reset(c); err != nil || last(w) != 0 {
		t.Errorf("%d decisions remembered at the beginning of a run, %v", last(w), err)
	}
}
