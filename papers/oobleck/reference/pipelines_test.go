package reference

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func ints(t testing.TB, s string) (out []int) {
	t.Helper()
	for _, f := range strings.Fields(s) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func floats(t testing.TB, s string) (out []float64) {
	t.Helper()
	for _, f := range strings.Fields(s) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

func TestOobleckSets(t *testing.T) {
	for _, r := range oracleRows(t, "oobleck_instantiation.csv") {
		n, f := ints(t, r[2])[0], ints(t, r[3])[0]
		var sets []string
		Sets(ints(t, r[1]), n, f+1, func(counts []int) bool {
			sets = append(sets, plain(counts))
			return true
		})
		if got := strings.Join(sets[:min(len(sets), 20)], " ; "); len(sets) != ints(t, r[5])[0] || got != r[6] {
			t.Errorf("case %s: %d sets: %s", r[0], len(sets), got)
		}
	}
	n := 0
	Sets([]int{1, 2}, 10, 0, func([]int) bool { n++; return n < 3 })
	if n != 3 {
		t.Errorf("%d sets after the third was to be the last", n)
	}
}

func TestOobleckBatches(t *testing.T) {
	for _, r := range oracleRows(t, "oobleck_batch_distribution.csv") {
		for i, weighted := range []bool{false, true} {
			got, err := Batches(floats(t, r[1]), ints(t, r[2]), ints(t, r[3])[0], weighted)
			if err != nil || plain(got) != r[5+2*i] {
				t.Errorf("case %s, weighted %v: %v, %v, want %s", r[0], weighted, got, err, r[5+2*i])
			}
		}
	}
	if _, err := Batches([]float64{1, 1}, []int{2, 0}, 7, false); !errors.Is(err, ErrNoBatches) {
		t.Errorf("7 micro-batches on two equal pipelines: %v", err)
	}
}

// The search against brute force.
func TestOobleckBatchesAreBest(t *testing.T) {
	check := near.Count(t)
	for seed := range 40 {
		seconds := []float64{1 + float64(seed%7)*0.3, 0.7 + float64(seed%5)*0.41, 1.3 + float64(seed%3)*0.77}
		counts := []int{1 + seed%3, seed % 2, 1 + seed%2}
		batches := 9 + seed
		got, err := Batches(seconds, counts, batches, true)
		best := -1.0
		for a := 1; a <= batches; a++ {
			for b := range batches {
				for c := 1; c <= batches; c++ {
					if a*counts[0]+b*counts[1]+c*counts[2] != batches || (b == 0) != (counts[1] == 0) {
						continue
					}
					if x := deviations(seconds, counts, []int{a, b, c}); best < 0 || x < best {
						best = x
					}
				}
			}
		}
		if err != nil {
			if !(best < 0) {
				t.Errorf("seed %d: %v, and there is one of %v", seed, err, best)
			}
			continue
		}
		if x := deviations(seconds, counts, got); check.Above(x, best+1e-9) {
			t.Errorf("seed %d: %v gives %v, the best is %v", seed, got, x, best)
		}
	}
}

func deviations(seconds []float64, counts, batches []int) float64 {
	n, sum := 0, 0.0
	for i, k := range counts {
		n, sum = n+k, sum+float64(k*batches[i])*seconds[i]
	}
	out := 0.0
	for i, k := range counts {
		d := float64(batches[i])*seconds[i] - sum/float64(n)
		out += float64(k) * d * d
	}
	return out
}

func TestOobleckReconfigure(t *testing.T) {
	for _, r := range oracleRows(t, "oobleck_reconfigure.csv") {
		after, borrowed, merged, err := Reconfigure(ints(t, r[0]), ints(t, r[1]), ints(t, r[2])[0])
		if strings.HasPrefix(r[3], "STOP") {
			if !errors.Is(err, ErrTooFewNodes) {
				t.Errorf("%v: %v, %v", r, after, err)
			}
			continue
		}
		slices.Sort(after)
		want := ints(t, r[3])
		slices.Sort(want)
		steps := strings.TrimSpace(strings.Repeat("borrow ", borrowed) + strings.Repeat("merge ", merged))
		if steps == "" {
			steps = "none"
		}
		if err != nil || !slices.Equal(after, want) || steps != r[4] {
			t.Errorf("%v: %v by %s, %v", r, after, steps, err)
		}
	}
}
