package series

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/marigram/marigram/traces"
)

// Step is a value that holds from an instant on.
type Step struct {
	T int64
	V float64
}

// Piece is a span of known, constant value.
type Piece struct {
	From, To int64 // us
	V        float64
}

// Hours returns its length.
func (p Piece) Hours() float64 { return float64(p.To-p.From) / HourUs }

// HourUs is an hour, us.
const HourUs = 3600e6

// Pieces yields the spans of a pool's steps until end, without the gaps, which
// are in ascending order.
func Pieces(steps []Step, gaps []traces.GapRow, end int64) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for i, s := range steps {
			to := end
			if i+1 < len(steps) {
				to = steps[i+1].T
			}
			for len(gaps) > 0 && gaps[0].TEnd <= s.T {
				gaps = gaps[1:]
			}
			from := s.T
			for _, g := range gaps {
				if g.TStart >= to {
					break
				}
				if g.TStart > from && !yield(Piece{from, g.TStart, s.V}) {
					return
				}
				from = max(from, g.TEnd)
			}
			if from < to && !yield(Piece{from, to, s.V}) {
				return
			}
		}
	}
}

// Ends returns until when each pool was observed, us UTC: a gap that lasts until the
// end of the observation ends that of its pool.
func Ends(s *traces.Set) []int64 {
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

// ByPool groups rows by pool, keeping their order.
func ByPool[T any, R traces.Row[T]](rows []T, pools int) [][]T {
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

// GapsByPool groups gaps by pool, keeping their order.
func GapsByPool(gaps []traces.GapRow, pools int) [][]traces.GapRow {
	groups := make([][]traces.GapRow, pools)
	for _, g := range gaps {
		groups[g.PoolID] = append(groups[g.PoolID], g)
	}
	return groups
}

// PriceSteps returns prices, USD per hour.
func PriceSteps(rows []traces.PriceRow) []Step {
	steps := make([]Step, len(rows))
	for i, r := range rows {
		steps[i] = Step{r.T, traces.USD(r.PriceNanoUSD)}
	}
	return steps
}

// CapacitySteps returns numbers of machines.
func CapacitySteps(rows []traces.CapacityRow) []Step {
	steps := make([]Step, len(rows))
	for i, r := range rows {
		steps[i] = Step{r.T, float64(r.Available)}
	}
	return steps
}

// EventSteps returns how many machines there are after each instant at which
// one came or went. A machine that comes twice or goes twice counts once.
func EventSteps(rows []traces.InstanceEventRow) []Step {
	var steps []Step
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
		if k := len(steps); k > 0 && steps[k-1].T == r.T {
			steps[k-1].V = n
		} else {
			steps = append(steps, Step{r.T, n})
		}
	}
	return steps
}

// At returns the index of the step that holds at t, -1 before the first.
func At(steps []Step, t int64) int {
	return sort.Search(len(steps), func(i int) bool { return steps[i].T > t }) - 1
}

// Changes drops the steps that repeat the one before.
func Changes(steps []Step) []Step {
	var kept []Step
	for _, s := range steps {
		if n := len(kept); n == 0 || kept[n-1].V != s.V {
			kept = append(kept, s)
		}
	}
	return kept
}

// ChangesByPool returns the changes of each pool, in memory of just their size:
// of a trace that was polled most rows are none.
func ChangesByPool[T any, R traces.Row[T]](rows []T, pools int, value func(*T) float64) [][]Step {
	var out PoolChanges
	for i := range rows {
		t, _, p := R(&rows[i]).Key()
		out.Add(p, t, value(&rows[i]))
	}
	return out.Fitted(pools)
}

// PoolChanges gathers the changes of each pool from rows in their order.
type PoolChanges struct{ pools [][]Step }

// Add takes the value of a pool from t on.
func (c *PoolChanges) Add(pool int32, t int64, v float64) {
	if n := int(pool) + 1; n > len(c.pools) {
		c.pools = append(c.pools, make([][]Step, n-len(c.pools))...)
	}
	steps := c.pools[pool]
	if n := len(steps); n == 0 || steps[n-1].V != v {
		c.pools[pool] = append(steps, Step{t, v})
	}
}

// Fitted returns the changes of n pools, in memory of just their size.
func (c *PoolChanges) Fitted(pools int) [][]Step {
	out := make([][]Step, pools)
	for p, steps := range c.pools {
		out[p] = append(make([]Step, 0, len(steps)), steps...)
		c.pools[p] = nil
	}
	return out
}

// PresentAt returns the machines there at an instant, with the event at which
// each came.
func PresentAt(t int64, events []traces.InstanceEventRow) map[string]int {
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

// CountSteps are the machines of a pool, of capacity rows, else of instance
// events, else of probes, and how many were asked for; 0: not recorded.
func CountSteps(capacity []traces.CapacityRow, events []traces.InstanceEventRow,
	probes []traces.ProbeRow) (steps []Step, asked int) {
	for _, r := range capacity {
		asked = max(asked, int(r.Cap))
	}
	if len(capacity) > 0 {
		return CapacitySteps(capacity), asked
	}
	if steps = EventSteps(events); len(steps) > 0 {
		return steps, 0
	}
	for _, r := range probes {
		steps = append(steps, Step{r.T, float64(r.Fulfilled)})
		asked = max(asked, int(r.Requested))
	}
	return steps, asked
}

// Order gives the rows their final pool numbers, sorts them by (t, pool),
// keeping the order in which a pool's rows came, and numbers those of one t.
func Order[T any, R traces.Row[T]](rows []T, pools []int32) {
	for i := range rows {
		_, _, p := R(&rows[i]).Key()
		R(&rows[i]).SetKey(0, pools[p])
	}
	arrange(rows, SortedPlaces(rows, func(r *T) (int64, int64) {
		t, _, p := R(r).Key()
		return t, int64(p)
	}))
	var last int64
	var seq int32
	for i := range rows {
		t, _, p := R(&rows[i]).Key()
		if i == 0 || t != last {
			seq = 0
		}
		R(&rows[i]).SetKey(seq, p)
		last = t
		seq++
	}
}

// Place is where a row comes to stand.
type Place struct {
	first, second int64
	Index         int32
}

// SortedPlaces returns the places of the rows in the order of a key of two numbers,
// those of one key as they stand.
func SortedPlaces[T any](rows []T, key func(*T) (first, second int64)) []Place {
	places := make([]Place, len(rows))
	for i := range rows {
		a, b := key(&rows[i])
		places[i] = Place{a, b, int32(i)}
	}
	slices.SortFunc(places, func(x, y Place) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second), cmp.Compare(x.Index, y.Index))
	})
	return places
}

// arrange brings the rows to their places, each moved once.
func arrange[T any](rows []T, places []Place) {
	for i := range places {
		if int(places[i].Index) == i {
			continue
		}
		first := rows[i]
		to := i
		for from := int(places[to].Index); from != i; from = int(places[to].Index) {
			rows[to] = rows[from]
			places[to].Index = int32(to)
			to = from
		}
		rows[to] = first
		places[to].Index = int32(to)
	}
}
