package describe

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Lifetime is how long one machine was observed to live.
type Lifetime struct {
	Pool     int32
	From, To int64 // us UTC
	// Lost tells that it was taken or ended for a cause that is not recorded. Else
	// it is censored: it was given back by its user, or was last seen at To.
	Lost bool
}

// Hours returns its length, 0 of a machine that came and went at one instant of the
// source's clock.
func (l Lifetime) Hours() float64 { return float64(l.To-l.From) / series.HourUs }

// Lifetimes returns the lifetimes of a set's machines by pool, in the order in which
// they end. A machine that comes again after it went begins another.
//
// Who is there when a gap begins is censored there: whether it outlives the gap is
// known only of those of which a later record speaks, and to count these alone would
// count the longer lifetimes. The gaps have nothing to do with ages, so that
// censoring them all leaves Kaplan and Meier's estimate unbiased. The end of the
// observation is such a gap. Machines that go but were never seen to come have no
// length; unborn counts them.
func Lifetimes(s *traces.Set) (all []Lifetime, unborn int) {
	n := len(s.Pools)
	events := series.ByPool(s.InstanceEvents, n)
	gaps := series.GapsByPool(s.Gaps, n)
	until := series.Ends(s)
	for i := range n {
		list, missed := PoolLifetimes(events[i], gaps[i], until[i])
		all = append(all, list...)
		unborn += missed
	}
	return all, unborn
}

// PoolLifetimes returns the lifetimes of the machines of one pool, from its events and
// gaps in order of time; until is the end of its observation, us UTC.
func PoolLifetimes(events []traces.InstanceEventRow, gaps []traces.GapRow, until int64) (list []Lifetime, unborn int) {
	w := watch{born: map[string]int64{}, last: map[string]fate{}}
	for i := range events {
		e := &events[i]
		for len(gaps) > 0 && gaps[0].TStart < e.T {
			w.loseSight(gaps[0].TStart, e.PoolID)
			gaps = gaps[1:]
		}
		w.see(e)
	}
	if len(events) > 0 {
		for _, g := range gaps {
			w.loseSight(g.TStart, events[0].PoolID)
		}
		w.loseSight(until, events[0].PoolID)
	}
	return w.out, w.unborn
}

// fate is what was last heard of a machine that is not watched.
type fate uint8

const (
	unheard   fate = iota
	gone           // it went
	unwatched      // it was there when a gap began
)

// watch follows the machines of one pool.
type watch struct {
	born   map[string]int64 // machines that are there
	order  []string         // in which they came
	last   map[string]fate
	out    []Lifetime
	unborn int
}

// see takes what happens to a machine. One that is seen to run after a gap that it
// was there before is of an unknown age: whether it lived through the gap, or came
// anew in it, is not recorded.
func (w *watch) see(e *traces.InstanceEventRow) {
	since, up := w.born[e.InstanceID]
	switch was := w.last[e.InstanceID]; {
	case e.Comes() && !up:
		if was != unwatched || e.Kind == traces.KindLaunch {
			w.born[e.InstanceID] = e.T
			w.order = append(w.order, e.InstanceID)
		}
	case e.Goes():
		if up {
			delete(w.born, e.InstanceID)
			w.out = append(w.out, Lifetime{e.PoolID, since, e.T, e.Reason != traces.ReasonUser})
		} else if was == unheard {
			w.unborn++
		}
		w.last[e.InstanceID] = gone
	}
}

// loseSight censors those that are there at an instant.
func (w *watch) loseSight(at int64, pool int32) {
	for _, id := range w.order {
		if since, up := w.born[id]; up {
			w.out = append(w.out, Lifetime{Pool: pool, From: since, To: max(since, at)})
			w.last[id] = unwatched
		}
	}
	clear(w.born)
	w.order = w.order[:0]
}
