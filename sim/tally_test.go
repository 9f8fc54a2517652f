package sim

import (
	"math"
	"testing"
)

// TestTallyAddAll compares it with Add of one pool after another, to the last bit.
func TestTallyAddAll(t *testing.T) {
	draws := Rand{Seed: 1}
	for n := range uint64(200) {
		counts, workers := make([]int32, n%9), make([]Worker, n%9)
		for i := range counts {
			counts[i] = int32(draws.Intn(PurposeUser, n, uint64(i), 4))
			workers[i] = Worker{Rate: draws.Uniform(PurposeUser+1, n, uint64(i)), Speed: math.Floor(4 * draws.Uniform(PurposeUser+2, n, uint64(i)))}
		}
		first := Worker{Rate: 0.5, Speed: 2}
		var want, got Tally
		want.Add(int(n%3), first)
		got = want
		for i, k := range counts {
			want.Add(int(k), workers[i])
		}
		if got.AddAll(counts, workers); got != want {
			t.Fatalf("%v of %v: %+v, want %+v", counts, workers, got, want)
		}
	}
}
