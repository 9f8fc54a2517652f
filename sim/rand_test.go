package sim

import (
	"testing"
	"time"
)

// TestBootsKept checks that boot times that a world keeps are those that are drawn, of any seed, pool, distribution and
// instance, and in runs of other numbers of pools.
func TestBootsKept(t *testing.T) {
	var kept boots
	back := 0
	for round, pools := range []int{3, 3, 3, 2, 2, 2000, 2000} {
		for k := range 3 * seedsKept {
			seed := uint64(k/2) % (seedsKept + 9) // most come back, at once and later
			facts := Pool{Boot: Boot{Median: 126 * time.Second, Sigma: 0.1 * float64(round%3)}}
			all := make([]poolState, pools)
			for p := range all {
				all[p] = poolState{id: int32(p), facts: &facts, bootTimes: Rand{seed}.Stream(PurposeBoot, uint64(p))}
			}
			if kept.reset(seed, all); len(kept.now) > 0 {
				back++
			}
			for n := range 2 * bootsKept {
				for p := range 2 {
					if got, want := kept.draw(&all[p], n), facts.Boot.draw(all[p].bootTimes, n); got != want {
						t.Fatalf("round %d, seed %d, pool %d, instance %d: %v, want %v", round, seed, p, n, got, want)
					}
				}
			}
		}
	}
	if back < 700 {
		t.Errorf("draws were kept in %d runs, expected those of seeds that came back", back)
	}
}
