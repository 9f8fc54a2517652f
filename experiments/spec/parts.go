package spec

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// The parts of recorded traces: what learns or chooses runs in one, and what judges it in the other.
const (
	Train = "train"
	Judge = "judge"
)

// maxBlocks is into how many blocks of equal length traces are cut at most: the first belongs to Train, the second to Judge, and so on.
const maxBlocks = 8

// Window is when runs may begin: within spans of recorded traces, whose ends count.
type Window struct {
	spans []span
	total time.Duration // of all spans
}

type span struct{ from, length time.Duration }

// WindowOf returns when runs of at most a horizon may begin in a part (Train or Judge) of traces that end at an instant, or in all of them where
// part is empty. All of a run lies within a block of its part, and ends a horizon before the next block: no instant is in runs of both
// parts, and as long as a run lies between them. There are eight blocks, or four or two where these would be shorter than four horizons.
func WindowOf(part string, end, horizon time.Duration) (*Window, error) {
	w := &Window{}
	if part == "" {
		w.add(0, max(end-horizon, 0))
		return w, nil
	}
	n := time.Duration(maxBlocks)
	for n > 2 && end/n < 4*horizon {
		n /= 2
	}
	if end/n < 2*horizon+time.Second {
		return nil, fmt.Errorf("traces of %v are too short for two parts: each needs two horizons (%v each); expected longer traces, or a shorter horizon_s",
			end, horizon)
	}
	for k := range n {
		if (k%2 == 0) != (part == Train) {
			continue
		}
		from, until := end*k/n, end*(k+1)/n-2*horizon
		if k == n-1 {
			until += horizon // nothing follows
		}
		from = (from + time.Second - 1).Truncate(time.Second)
		w.add(from, until-from)
	}
	return w, nil
}

func (w *Window) add(from, length time.Duration) {
	w.spans, w.total = append(w.spans, span{from, length}), w.total+length
}

// Total returns how long the spans are together.
func (w *Window) Total() time.Duration { return w.total }

// At returns the instant that comes so long after the first, what lies between the spans left out; at most the last.
func (w *Window) At(after time.Duration) time.Duration {
	for _, s := range w.spans {
		if after < s.length {
			return s.from + after
		}
		after -= s.length
	}
	last := w.spans[len(w.spans)-1]
	return last.from + last.length
}

// Before returns how long the spans are together before an instant.
func (w *Window) Before(at time.Duration) (sum time.Duration) {
	for _, s := range w.spans {
		sum += min(max(at-s.from, 0), s.length)
	}
	return sum
}

// Has reports whether a run may begin at an instant.
func (w *Window) Has(at time.Duration) bool {
	for _, s := range w.spans {
		if at >= s.from && at <= s.from+s.length {
			return true
		}
	}
	return false
}

// Draw returns the k-th start of a seed: a whole second, uniformly.
func (w *Window) Draw(seed, k uint64) time.Duration {
	n := sim.Rand{Seed: seed}.Intn(purposeStart, 0, k, int(w.total/time.Second)+1)
	return w.At(time.Duration(n) * time.Second).Truncate(time.Second)
}
