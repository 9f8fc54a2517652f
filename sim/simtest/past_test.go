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
		n += float64(v.Held(0, p).Active())
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
		if c.seen < 300 {
			t.Errorf("%d comparisons", c.seen)
		}
	}
}

// The policy of a fork may remember other instants than its parent's, from the
// fork on.
func TestPastOfAFork(t *testing.T) {
	w, err := sim.New(sim.Config{Market: simtest.Market(1, 3*time.Hour, sim.Never), Jobs: simtest.Jobs(1),
		Policy: &chronicler{t: t, every: time.Minute, keep: 7}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(sim.At(3600))
	var fork sim.World
	other := &counter{every: 7 * time.Minute, keep: 3}
	w.Fork(&fork, other)
	fork.RunUntil(sim.At(3600 + 700)) // with the minutes 63 and 70
	if got := other.lengths; got[0] != 0 || slices.Max(got) != 2 || !slices.IsSorted(got) {
		t.Errorf("instants remembered from the fork on: %v, want 0 to 2", got)
	}
	if w.Run(); fork.Run() == nil || slices.Max(other.lengths) != 3 {
		t.Errorf("instants remembered: %v, want up to 3", other.lengths)
	}
}

// counter counts the instants that are remembered.
type counter struct {
	every   time.Duration
	keep    int
	lengths []int
}

func (*counter) Name() string { return "counter" }

func (c *counter) Decide(v sim.View, plan *sim.Plan) {
	plan.Remember(c.every, c.keep)
	c.lengths = append(c.lengths, len(v.Job(0).Past(nil)))
	plan.WakeIn(11 * time.Second)
}
