package simtest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// chronicler holds one instance of every spot pool, keeps its own notes of how
// many it has, and compares them with the world's.
type chronicler struct {
	t     *testing.T
	every time.Duration
	keep  int

	changes []change
	past    []float64
	seen    int // comparisons
}

type change struct {
	at sim.Time
	n  float64
}

func (*chronicler) Name() string { return "chronicler" }

func (c *chronicler) Decide(v sim.View, plan *sim.Plan) {
	plan.Remember(c.every, c.keep)
	n := 0.0
	for p := range v.Pools() {
		if !v.Pool(p).OnDemand {
			plan.Jobs[0].Hold[p] = 2
		}
		n += float64(v.Held(0, p).Coming())
	}
	c.changes = append(c.changes, change{v.Now(), n})
	plan.WakeIn(11 * time.Second)
	if len(c.changes) == 1 {
		plan.WakeIn(time.Microsecond) // to see what was granted at once
	}
	if c.past = v.Job(0).Past(c.past[:0]); len(c.past) == 0 {
		return
	}
	c.seen++
	var want []float64
	last := v.Now().Add(-(v.Now().Sub(v.Start()) % c.every))
	for at := last; at >= v.Start() && len(want) < c.keep; at = at.Add(-c.every) {
		want = append(want, c.at(at))
	}
	slices.Reverse(want)
	if !slices.Equal(c.past, want) {
		c.t.Fatalf("%v: %v, want %v", v.Now().Sub(0), c.past, want)
	}
}

// at returns how many there were when all that happened at an instant was over:
// what was granted then is seen a decision later.
func (c *chronicler) at(t sim.Time) float64 {
	i := len(c.changes) - 1
	for c.changes[i].at > t.Add(time.Microsecond) {
		i--
	}
	return c.changes[i].n
}

// The world remembers what a policy could have noted itself.
func TestPast(t *testing.T) {
	for seed := range uint64(5) {
		c := &chronicler{t: t, every: time.Minute, keep: 7}
		w, err := sim.New(sim.Config{Market: simtest.Market(seed, 3*time.Hour, sim.Never), Jobs: simtest.Jobs(1), Policy: c, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		if c.seen < 500 {
			t.Errorf("%d comparisons", c.seen)
		}
	}
}
