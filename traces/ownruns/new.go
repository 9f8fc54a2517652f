package ownruns

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// New makes a run of events in any order: it sorts them, drops those that are there twice,
// and sets time zero. An event that is not sound is an error.
func New(name string, relative bool, files []string, events []Event) (*Run, error) {
	r := &Run{Name: name, Relative: relative, Files: files, Events: events}
	for i := range events {
		if err := events[i].check(len(files)); err != nil {
			return nil, fmt.Errorf("run %q, event %d: %w", name, i, err)
		}
	}
	r.settle()
	return r, r.bounded()
}

// maxCounts is the most numbers of machines, by pool and change, of a run.
const maxCounts = 16 << 20

// bounded refuses a run of which what follows from it would not fit into memory.
func (r *Run) bounded() error {
	pools := map[Pool]bool{}
	changes := 1
	for i := range r.Events {
		event := &r.Events[i]
		if event.Kind.OfMachine() {
			pools[Pool{Type: event.Type, Zone: event.Zone, OnDemand: event.OnDemand}] = true
			changes++
		}
	}
	if len(pools) > maxCounts/changes {
		return fmt.Errorf("run %q has %d events of machines in %d pools (type and zone), "+
			"expected a product of at most %d; cut it into shorter ones", r.Name, changes-1, len(pools), maxCounts)
	}
	return nil
}

// settle sorts, drops what is there twice and finds time zero.
func (r *Run) settle() {
	slices.SortStableFunc(r.Events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if n := r.dropRepeats(); n > 0 {
		r.Note("%d events that were recorded twice count once", n)
	}
	r.Zero = r.begin()
}

// repeatable reports whether two equal events may both be true: charges, and requests that
// do not say for which machine.
func (e *Event) repeatable() bool {
	return e.Kind == Charge || e.Instance == "" && (e.Kind == Requested || e.Kind == Refused)
}

// dropRepeats drops the second of two events that say the same of one instant.
func (r *Run) dropRepeats() int {
	count := len(r.Events)
	kept := r.Events[:0]
	at := int64(math.MinInt64)
	seen := map[Event]bool{} // at that instant
	for i, event := range r.Events {
		if event.T != at {
			at = event.T
			if len(seen) > 0 {
				seen = map[Event]bool{} // clear takes as long as the map was ever large
			}
		}
		alone := len(seen) == 0 && (i+1 == count || r.Events[i+1].T != at) // most are, and need no entry in the map
		if !alone && !event.repeatable() {
			key := event.said()
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		kept = append(kept, event)
	}
	clear(r.Events[len(kept):])
	r.Events = kept
	return count - len(kept)
}

// said is what an event says, apart from where it stands: equal events are equal.
func (e Event) said() Event {
	e.File = 0
	e.Line = 0
	if math.IsNaN(e.Value) {
		e.Value = math.Inf(1) // equal to itself, and no value that an event has
	}
	return e
}
