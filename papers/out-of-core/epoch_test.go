package outofcore

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

func TestSwaps(t *testing.T) {
	for _, r := range testutil.Rows(t, "papers/out-of-core/testdata/buffer_swaps.csv") {
		p, c := int(testutil.Number(t, r["partitions"])), int(testutil.Number(t, r["buffer"]))
		if got, want := MinSwaps(p, c), int(testutil.Number(t, r["lower_bound_swaps"])); got != want {
			t.Errorf("bound of %d, %d: %d, want %d", p, c, got, want)
		}
		if got, want := Swaps(p, c), int(testutil.Number(t, r["beta_swaps"])); got != want {
			t.Errorf("swaps of %d, %d: %d, want %d", p, c, got, want)
		}
	}
}

// A walk of the order meets every pair, with as many swaps as the closed form says.
func TestWalk(t *testing.T) {
	for p := 2; p <= 24; p++ {
		for c := 2; c <= p; c++ {
			met, swaps := walk(p, c)
			if met != p*(p-1)/2 || swaps != Swaps(p, c) || swaps < MinSwaps(p, c) {
				t.Errorf("%d partitions, buffer %d: %d pairs of %d, %d swaps, want %d, at least %d", p, c, met, p*(p-1)/2, swaps, Swaps(p, c), MinSwaps(p, c))
			}
		}
	}
}

// walk follows BETA: it counts pairs that met, and swaps.
func walk(p, c int) (met, swaps int) {
	seen, buffer := map[[2]int]bool{}, make([]int, c)
	load := func(place, x int) {
		buffer[place] = x
		for _, y := range buffer {
			seen[[2]int{min(x, y), max(x, y)}] = true
		}
		swaps++
	}
	var rest []int // those that have not been kept
	for x := range p {
		if x < c {
			load(x, x) // the empty places count as partition 0, which is there
		}
		rest = append(rest, x)
	}
	swaps = 0
	stream := c - 1 // the place through which they pass
	kept := append([]int{}, buffer[:c-1]...)
	for {
		var left []int
		for _, x := range rest {
			if !slices.Contains(kept, x) {
				left = append(left, x)
			}
		}
		rest = left
		if len(rest) == 0 {
			break
		}
		for _, x := range rest {
			if !slices.Contains(buffer, x) {
				load(stream, x)
			}
		}
		kept = []int{buffer[stream]} // the last stays, and others join it
		for place := range buffer {
			for _, x := range rest {
				if place != stream && len(kept) < c-1 && !slices.Contains(buffer, x) {
					load(place, x)
					kept = append(kept, x)
					break
				}
			}
		}
		for place, x := range buffer {
			if !slices.Contains(kept, x) {
				stream = place
			}
		}
	}
	for x := range p {
		delete(seen, [2]int{x, x})
	}
	return len(seen), swaps
}

func TestEpochs(t *testing.T) {
	check := near.Count(t)
	for _, r := range testutil.Rows(t, "papers/out-of-core/testdata/outofcore_epochs.csv") {
		number := func(column string) float64 { return testutil.Number(t, r[column]) }
		x := Training{SizeGB: number("size_gb"), Learned: r["learned"] == "1", ComputeS: number("compute_s"), DiskGBPerS: number("disk_gb_per_s"),
			Prefetch: r["prefetch"] == "1"}
		e := x.Epoch(int(number("partitions")), int(number("buffer")))
		for column, got := range map[string]float64{"swaps": float64(e.Swaps), "io_gb": e.ReadWriteGB, "epoch_s": e.Seconds,
			"usd_at_3.06_per_h": e.Seconds / 3600 * 3.06} {
			if check.Off(got, number(column), 1.1e-6) {
				t.Errorf("%v: %s %v", r, column, got)
			}
		}
	}
}
