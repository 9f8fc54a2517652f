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

// byPool groups rows by pool, keeping their order.
func byPool[T any, R row[T]](rows []T, pools int) [][]T {
	sizes := make([]int, pools)
	for i := range rows {
		_, _, p := R(&rows[i]).key()
		sizes[p]++
	}
	groups := make([][]T, pools)
	for p, n := range sizes {
		groups[p] = make([]T, 0, n)
	}
	for i := range rows {
		_, _, p := R(&rows[i]).key()
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

// comes and goes classify an instance event.
func (r *InstanceEventRow) comes() bool { return r.Kind == KindRunning || r.Kind == KindLaunch }
func (r *InstanceEventRow) goes() bool  { return r.Kind == KindPreempt || r.Kind == KindTerminate }

// eventSteps returns how many machines there are after each instant at which
// one came or went. A machine that comes twice or goes twice counts once.
func eventSteps(rows []InstanceEventRow) []step {
	var steps []step
	up := map[string]bool{}
	for _, r := range rows {
		switch {
		case r.comes():
			up[r.InstanceID] = true
		case r.goes():
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
