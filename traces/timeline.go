package traces

import (
	"iter"
	"slices"
)

// step is a value that holds from an instant on.
type step struct {
	t int64
	v float64
}

// piece is a span of known, constant value.
type piece struct {
	from, to int64 // us
	v        float64
}

func (p piece) hours() float64 { return float64(p.to-p.from) / microsecondsPerHour }

const microsecondsPerHour = 3600e6

// pieces yields the spans of a pool's steps until end, without the gaps, which
// are in ascending order.
func pieces(steps []step, gaps []GapRow, end int64) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for i, s := range steps {
			to := end
			if i+1 < len(steps) {
				to = steps[i+1].t
			}
			for len(gaps) > 0 && gaps[0].TEnd <= s.t {
				gaps = gaps[1:]
			}
			from := s.t
			for _, g := range gaps {
				if g.TStart >= to {
					break
				}
				if g.TStart > from && !yield(piece{from, g.TStart, s.v}) {
					return
				}
				from = max(from, g.TEnd)
			}
			if from < to && !yield(piece{from, to, s.v}) {
				return
			}
		}
	}
}

// ends returns until when each pool was observed, us UTC: a gap that lasts until the
// end of the observation ends that of its pool.
func ends(s *Set) []int64 {
	out := make([]int64, len(s.Pools))
	for i := range out {
		out[i] = s.Manifest.TEndUs
	}
	for _, g := range s.Gaps {
		if g.TEnd >= s.Manifest.TEndUs {
			out[g.PoolID] = min(out[g.PoolID], g.TStart)
		}
	}
	return out
}

// byPool groups rows by pool, keeping their order.
func byPool[T any, R Row[T]](rows []T, pools int) [][]T {
	sizes := make([]int, pools)
	for i := range rows {
		_, _, p := R(&rows[i]).Key()
		sizes[p]++
	}
	groups := make([][]T, pools)
	for p, n := range sizes {
		groups[p] = make([]T, 0, n)
	}
	for i := range rows {
		_, _, p := R(&rows[i]).Key()
		groups[p] = append(groups[p], rows[i])
	}
	return groups
}

func gapsByPool(gaps []GapRow, pools int) [][]GapRow {
	groups := make([][]GapRow, pools)
	for _, g := range gaps {
		groups[g.PoolID] = append(groups[g.PoolID], g)
	}
	return groups
}

func priceSteps(rows []PriceRow) []step {
	steps := make([]step, len(rows))
	for i, r := range rows {
		steps[i] = step{r.T, USD(r.PriceNanoUSD)}
	}
	return steps
}

func capacitySteps(rows []CapacityRow) []step {
	steps := make([]step, len(rows))
	for i, r := range rows {
		steps[i] = step{r.T, float64(r.Available)}
	}
	return steps
}

// eventSteps returns how many machines there are after each instant at which
// one came or went. A machine that comes twice or goes twice counts once.
func eventSteps(rows []InstanceEventRow) []step {
	var steps []step
	up := map[string]bool{}
	for _, r := range rows {
		switch {
		case r.Comes():
			up[r.InstanceID] = true
		case r.Goes():
			delete(up, r.InstanceID)
		default:
			continue
		}
		n := float64(len(up))
		if k := len(steps); k > 0 && steps[k-1].t == r.T {
			steps[k-1].v = n
		} else {
			steps = append(steps, step{r.T, n})
		}
	}
	return steps
}

// at returns the index of the step that holds at t, -1 before the first.
func at(steps []step, t int64) int {
	i, _ := slices.BinarySearchFunc(steps, t, func(s step, t int64) int {
		if s.t <= t {
			return -1
		}
		return 1
	})
	return i - 1
}

// changes drops the steps that repeat the one before.
func changes(steps []step) []step {
	var kept []step
	for _, s := range steps {
		if n := len(kept); n == 0 || kept[n-1].v != s.v {
			kept = append(kept, s)
		}
	}
	return kept
}

// changesByPool returns the changes of each pool, in memory of just their size:
// of a history that was polled most rows are none.
func changesByPool[T any, R Row[T]](rows []T, pools int, value func(*T) float64) [][]step {
	out := make([][]step, pools)
	for i := range rows {
		t, _, p := R(&rows[i]).Key()
		v := value(&rows[i])
		if n := len(out[p]); n == 0 || out[p][n-1].v != v {
			out[p] = append(out[p], step{t, v})
		}
	}
	for p, steps := range out {
		out[p] = append(make([]step, 0, len(steps)), steps...)
	}
	return out
}

// presentAt returns the machines there at an instant, with the event at which
// each came.
func presentAt(t int64, events []InstanceEventRow) map[string]int {
	there := map[string]int{}
	for i, e := range events {
		if e.T > t {
			break
		}
		if _, up := there[e.InstanceID]; e.Comes() && !up {
			there[e.InstanceID] = i
		} else if e.Goes() {
			delete(there, e.InstanceID)
		}
	}
	return there
}

// countSteps are the machines of a pool, of capacity rows, else of instance
// events, else of probes, and how many were asked for; 0: not recorded.
func countSteps(capacity []CapacityRow, events []InstanceEventRow, probes []ProbeRow) (steps []step, asked int) {
	for _, r := range capacity {
		asked = max(asked, int(r.Cap))
	}
	if len(capacity) > 0 {
		return capacitySteps(capacity), asked
	}
	if steps = eventSteps(events); len(steps) > 0 {
		return steps, 0
	}
	for _, r := range probes {
		steps = append(steps, step{r.T, float64(r.Fulfilled)})
		asked = max(asked, int(r.Requested))
	}
	return steps, asked
}
