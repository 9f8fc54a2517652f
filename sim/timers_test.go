package sim_test

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/sim"
)

// naive is what Timers does, written down.
type naive struct {
	at     []sim.Time
	latest sim.Time
}

func newNaive(owners int, latest sim.Time) *naive {
	at := make([]sim.Time, owners)
	for i := range at {
		at[i] = sim.Never
	}
	return &naive{at, latest}
}

func (n *naive) set(slot int, at sim.Time) {
	if at > n.latest {
		at = sim.Never
	}
	n.at[slot] = at
}

// first returns the earliest instant and the lowest slot that is set for it.
func (n *naive) first() (sim.Time, int) {
	at := slices.Min(n.at)
	return at, slices.Index(n.at, at)
}

// compare fails t where timers differ from the model.
func (n *naive) compare(t rapid.TB, timers *sim.Timers) {
	at, slot := timers.First()
	wantAt, wantSlot := n.first()
	if at != wantAt || at != sim.Never && slot != wantSlot {
		t.Fatalf("First() = %d, %d, want %d, %d of %v", at, slot, wantAt, wantSlot, n.at)
	}
	if next := timers.Next(); next != at && !(at == sim.Never && next > n.latest) {
		t.Fatalf("next() = %d, want %d, or an instant after %d if that is never", next, at, n.latest)
	}
	for slot, want := range n.at {
		if got := timers.Get(slot); got != want {
			t.Fatalf("Get(%d) = %d, want %d", slot, got, want)
		}
	}
}

// latests are bounds that take the packed form (the first two, for fewer than
// 2^12 owners) and the two-word form.
var latests = []sim.Time{100, 1 << 51, 1 << 62, sim.Never - 1, sim.Never}

// genAt draws instants that often meet, lie about latest, or are Never.
func genAt(latest sim.Time) *rapid.Generator[sim.Time] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 5), func(us int64) sim.Time { return sim.Time(us) }),
		rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(us int64) sim.Time { return sim.Time(us) }),
		rapid.SampledFrom([]sim.Time{latest - 1, latest, latest.Add(time.Microsecond)}),
		rapid.Just(sim.Never),
	)
}

func TestTimersAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var timers sim.Timers
		model := reset(t, &timers)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				slot := rapid.IntRange(0, len(model.at)-1).Draw(t, "slot")
				at := genAt(model.latest).Draw(t, "at")
				timers.Set(slot, at)
				model.set(slot, at)
			},
			"fire": func(t *rapid.T) {
				if at, slot := timers.First(); at != sim.Never {
					next := at.Add(time.Microsecond)
					timers.Set(slot, next)
					model.set(slot, next)
				}
			},
			"cancel": func(t *rapid.T) {
				slot := rapid.IntRange(0, len(model.at)-1).Draw(t, "slot")
				timers.Set(slot, sim.Never)
				model.set(slot, sim.Never)
			},
			"reset": func(t *rapid.T) { model = reset(t, &timers) },
			"":      func(t *rapid.T) { model.compare(t, &timers) },
		})
	})
}

func reset(t *rapid.T, timers *sim.Timers) *naive {
	owners := rapid.IntRange(1, 40).Draw(t, "owners")
	latest := rapid.SampledFrom(latests).Draw(t, "latest")
	timers.Reset(owners, latest)
	return newNaive(owners, latest)
}

// The two forms fire the same owners at the same instants, whatever the number
// of owners.
func TestTimersFormsAgree(t *testing.T) {
	for _, owners := range []int{1, 2, 3, 5, 8, 31, 33, 100, 1000} {
		t.Run(fmt.Sprint(owners), func(t *testing.T) {
			var packed, wide sim.Timers
			packed.Reset(owners, 1<<51)
			wide.Reset(owners, sim.Never)
			draws := splitmix(1)
			for i := range owners {
				at := sim.Time(draws.next() % 4)
				packed.Set(i, at)
				wide.Set(i, at)
			}
			for range 20 * owners {
				at, slot := packed.First()
				wideAt, wideSlot := wide.First()
				if at != wideAt || slot != wideSlot {
					t.Fatalf("packed fires %d at %d, two-word %d at %d", slot, at, wideSlot, wideAt)
				}
				next := at + sim.Time(draws.next()%4)
				packed.Set(slot, next)
				wide.Set(slot, next)
			}
		})
	}
}

// At one instant the order is by slot, whoever was set first, and from whatever
// instant a timer was moved.
func TestTimersOrderAtOneInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var timers sim.Timers
		owners := len(reset(t, &timers).at)
		slots := make([]int, owners)
		for i := range slots {
			slots[i] = i
		}
		for _, slot := range rapid.Permutation(slots).Draw(t, "first set") {
			timers.Set(slot, sim.Time(slot%3))
		}
		for _, slot := range rapid.Permutation(slots).Draw(t, "moved") {
			timers.Set(slot, 7)
		}
		for want := range owners {
			at, slot := timers.First()
			if at != 7 || slot != want {
				t.Fatalf("First() = %d, %d, want 7, %d", at, slot, want)
			}
			timers.Set(slot, sim.Never)
		}
		if at, _ := timers.First(); at != sim.Never {
			t.Fatalf("First() = %d with none set, want Never", at)
		}
	})
}

// Instants and slots survive where a key is nearly full, and just beyond, where
// the two-word form takes over.
func TestTimersWidestKeys(t *testing.T) {
	for _, owners := range []int{1, 2, 3, 4, 5, 100, 128, 4096, 4097} {
		full := sim.Time(min(uint64(math.MaxUint64)>>bits.Len(uint(owners-1)), math.MaxInt64))
		for _, latest := range []sim.Time{full - 2, full - 1, full, full.Add(time.Microsecond)} {
			var timers sim.Timers
			timers.Reset(owners, latest)
			last := owners - 1
			at := min(latest, sim.Never-1)
			timers.Set(last, at)
			if gotAt, gotSlot := timers.First(); gotAt != at || gotSlot != last {
				t.Errorf("%d owners until %d: First() = %d, %d, want %d, %d", owners, latest, gotAt, gotSlot, at, last)
			}
			if got := timers.Get(last); got != at {
				t.Errorf("%d owners until %d: Get(%d) = %d, want %d", owners, latest, last, got, at)
			}
		}
	}
}

func TestTimersLaterThanLatestNeverFires(t *testing.T) {
	for _, latest := range []sim.Time{0, 10, 1 << 51, 1 << 62, sim.Never - 1} {
		var timers sim.Timers
		timers.Reset(3, latest)
		timers.Set(1, latest)
		timers.Set(1, latest+1) // moved beyond: no longer at latest either
		if at, _ := timers.First(); at != sim.Never {
			t.Errorf("latest %d: First() = %d, want Never", latest, at)
		}
		if at := timers.Get(1); at != sim.Never {
			t.Errorf("latest %d: Get(1) = %d, want Never", latest, at)
		}
		timers.Set(2, latest)
		if at, slot := timers.First(); at != latest || slot != 2 {
			t.Errorf("latest %d: First() = %d, %d, want %d, 2", latest, at, slot, latest)
		}
	}
}

func TestTimersResetReusesMemory(t *testing.T) {
	for _, latest := range []sim.Time{1 << 40, sim.Never} {
		var timers sim.Timers
		timers.Reset(100, latest)
		allocs := testing.AllocsPerRun(100, func() {
			for _, owners := range []int{100, 7, 1, 128} {
				timers.Reset(owners, latest)
				if at, _ := timers.First(); at != sim.Never {
					t.Fatalf("%d owners: a timer is set after Reset, for %d", owners, at)
				}
				timers.Set(owners-1, 5)
			}
		})
		if allocs != 0 {
			t.Errorf("latest %d: Reset allocates %v times, want 0", latest, allocs)
		}
	}
}

func TestAllocsTimers(t *testing.T) {
	for _, latest := range []sim.Time{1 << 51, sim.Never} {
		var timers sim.Timers
		timers.Reset(100, latest)
		draws := splitmix(1)
		allocs := testing.AllocsPerRun(1000, func() {
			at, slot := timers.First()
			if at == sim.Never {
				at = 0
			}
			timers.Set(slot, at+uniform(draws.next()))
			timers.Set(int(draws.next()%100), at+uniform(draws.next()))
			timers.Set(int(draws.next()%100), sim.Never)
		})
		if allocs != 0 {
			t.Errorf("latest %d: an event allocates %v times, want 0", latest, allocs)
		}
	}
}

func TestTimersResetRefusesSizes(t *testing.T) {
	for _, owners := range []int{-1, 0, 1<<30 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Reset(%d, ...) does not panic", owners)
				}
			}()
			new(sim.Timers).Reset(owners, 1)
		}()
	}
}
