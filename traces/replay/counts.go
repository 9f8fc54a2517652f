package replay

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

func scaled(n, scale float64) int { return int(math.Min(math.Round(n*scale), math.MaxInt32)) }

// countCap returns the counts of a pool times scale, rounded to the nearest;
// the falls of one notice after the window are there, for they are announced
// within it.
func (t *Trace) countCap(pool int, w Window, notice time.Duration, scale float64) []sim.Capacity {
	return t.capacity(pool, w, notice, func(n float64) int { return scaled(n, scale) })
}

// binaryAll returns room for n machines where the count is at least one.
func (t *Trace) binaryAll(pool int, w Window, notice time.Duration, n int) []sim.Capacity {
	return t.capacity(pool, w, notice, func(count float64) int {
		if count >= 1 {
			return n
		}
		return 0
	})
}

func (t *Trace) capacity(pool int, w Window, notice time.Duration, capacityOf func(float64) int) []sim.Capacity {
	var out []sim.Capacity
	w.steps(t.series[pool].counts, w.cutoff(notice.Microseconds()), func(at sim.Time, v float64) {
		if n := capacityOf(v); len(out) == 0 || out[len(out)-1].N != n {
			out = append(out, sim.Capacity{At: at, N: n})
		}
	})
	return out
}
