package pipeline

import (
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// The closed forms against every set of up to six of up to sixteen places.
func TestCopiesByEnumeration(t *testing.T) {
	check := near.Count(t)
	cases := 0
	for n := 2; n <= 16; n++ {
		for m := 2; m <= min(n, 4); m++ {
			for _, ring := range []bool{false, true} {
				c := Copies{N: m, Ring: ring}
				for k := 0; k <= min(n, 6) && (ring || n%m == 0); k++ {
					alive, sets := 0, 0
					for set := combin.NewCombinationGenerator(n, k); set.Next(); sets++ {
						if c.Survive(set.Combination(nil), n) {
							alive++
						}
					}
					cases++
					if got, want := c.Survival(n, k), float64(alive)/float64(max(sets, 1)); k > 0 && check.Off(got, want, 1e-9) {
						t.Errorf("%d copies of %d places (ring %v), %d lost: %v, by enumeration %v", m, n, ring, k, got, want)
					}
				}
			}
		}
	}
	if cases < 380 {
		t.Errorf("%d cases only", cases)
	}
}

// Gemini's figures: with two copies of 16 machines a second failure is survived with 14/15, and a group of more never
// less.
func TestCopiesByArithmetic(t *testing.T) {
	check := near.Count(t)
	groups, ring := Copies{N: 2}, Copies{N: 2, Ring: true}
	if check.Off(groups.Survival(16, 2), 14/15.0, 1e-12) || check.Off(ring.Survival(16, 2), 13/15.0, 1e-12) {
		t.Errorf("%v and %v", groups.Survival(16, 2), ring.Survival(16, 2))
	}
	// Five places in groups of two: one group, and a ring of three.
	for place, want := range [][]int{{0, 1}, {1, 0}, {2, 3}, {3, 4}, {4, 2}} {
		if got := groups.holders(place, 5, nil); !slices.Equal(got, want) {
			t.Errorf("place %d: %v, want %v", place, got, want)
		}
	}
	// A rack of two places is a group: its loss is never survived, though two of sixteen are in 14 of 15 cases.
	if groups.Survive([]int{6, 7}, 16) || !groups.Survive([]int{7, 8}, 16) {
		t.Error("a rack that is a group")
	}
}

// Two pipelines of two stages, ten samples a step of 5 s. At 62 s a stage is lost: 120 samples were copied at 60 s.
// With a copy of 12 s, every third step is copied: 90 at 45 s. Two of a group take training back to the save.
func TestCopiesInTraining(t *testing.T) {
	speeds := []LayoutSpeed{{2, 2, 2}}
	change := func(r Recovery, lost ...sim.Place) sim.Pause {
		m, err := New(1000, 10, speeds, r)
		if err != nil {
			t.Fatal(err)
		}
		l := sim.Layout{Workers: []int32{4}, Pipelines: 2, Stages: 2}
		return m.Change(&sim.Change{From: &l, To: &l, LostPlaces: lost, Lost: int32(len(lost)), Grid: sim.Place{Pipeline: 2, Stage: 2}})
	}
	r := Recovery{Restart: 100 * time.Second, Copies: Copies{N: 2, Time: 12 * time.Second, Restart: 30 * time.Second}}
	if got := change(r, sim.Place{Pipeline: 1, Stage: 0}); got != (sim.Pause{Stall: 30 * time.Second, As: sim.Restoring, DropStep: true}) {
		t.Errorf("one is lost: %+v", got)
	}
	if got := change(r, sim.Place{Pipeline: 1, Stage: 0}, sim.Place{Pipeline: 1, Stage: 1}); !got.Rollback || got.Stall != 100*time.Second {
		t.Errorf("a group is lost: %+v", got)
	}
	if got := change(r, sim.Place{Pipeline: 0, Stage: 1}, sim.Place{Pipeline: 1, Stage: 1}); got.Rollback {
		t.Errorf("one of each group is lost: %+v", got)
	}
	m, err := New(1000, 10, speeds, r)
	if err != nil {
		t.Fatal(err)
	}
	if step := m.Rate(&sim.Layout{Workers: []int32{4}, Pipelines: 2, Stages: 2}).Step; step != 30 {
		t.Errorf("copies each %v samples, want 30", step)
	}
	r.Loss = LossCovered
	r.Slowdown = 1
	if _, err := New(1000, 10, speeds, r); err == nil {
		t.Error("copies of covered pipelines")
	}
}

// Survival returns the probability that the state of all of n places is left when any k of them are lost at once, each
// set of k with the same probability: the closed form of Gemini (SOSP 2023) for k below 2 N, by inclusion and exclusion
// for more. In groups, n is a multiple of N; a ring has at least N. It is not that of racks: losses that come together
// where copies are close together break it.
func (c *Copies) Survival(n, k int) float64 {
	if c.Ring {
		return c.ringSurvival(n, k)
	}
	if n%c.N != 0 {
		panic("pipeline: Copies.Survival: the places are no whole groups")
	}
	alive := 0.0
	for j := 0; j*c.N <= k && j <= n/c.N; j++ { // j groups are gone
		sign := 1.0
		if j%2 == 1 {
			sign = -1
		}
		alive += sign * choose(n/c.N, j) * choose(n-j*c.N, k-j*c.N)
	}
	return alive / choose(n, k)
}

// ringSurvival counts the sets of k of n places around a ring in which no N follow one another: n/(n-k) of the ways to
// put k lost ones into the n-k spans between those that are left, fewer than N in each.
func (c *Copies) ringSurvival(n, k int) float64 {
	if k >= n {
		return 0
	}
	ways, spans := 0.0, n-k
	for j := 0; j*c.N <= k && j <= spans; j++ {
		sign := 1.0
		if j%2 == 1 {
			sign = -1
		}
		ways += sign * choose(spans, j) * choose(k-j*c.N+spans-1, spans-1)
	}
	return float64(n) / float64(spans) * ways / choose(n, k)
}
