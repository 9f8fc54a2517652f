package ownruns

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Event is one thing that was recorded.
type Event struct {
	T        int64   // us UTC since 1970; of a Relative run since its own beginning
	Value    float64 // what KindInfo.Value says; NaN: none
	Instance string  // the machine; empty: the run as a whole, or not recorded
	Type     string  // instance type; empty: not recorded
	Zone     string  // zone; empty: not recorded
	File     int32   // source: place in Run.Files
	Line     int32   // source: line in that file, from 1; 0: it has none
	Kind     Kind
	OnDemand bool // else spot; the market of machines whose source does not say it is spot
}

// Run is what was recorded of one training run. Importers, Merge and ReadCSV return sound
// ones: events in order, values in range.
type Run struct {
	Name string
	// Relative says that the clock counts from the run's own beginning, not the world's.
	Relative bool
	Zero     int64    // us: when the run began, the instant of its time zero
	Events   []Event  // by T, then File, then Line
	Files    []string // where the events came from
	Notes    []string // what was left out, assumed or is doubtful; for people
}

// MaxEvents is the most events of one run.
const MaxEvents = 8 << 20

// Missing is an instant that was not recorded.
const Missing = math.MinInt64

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

// mostCounts is the most numbers of machines, by pool and change, of a run.
const mostCounts = 16 << 20

// bounded refuses a run of which what follows from it would not fit into memory.
func (r *Run) bounded() error {
	pools, changes := map[Pool]bool{}, 1
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind.OfMachine() {
			pools[Pool{Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand}] = true
			changes++
		}
	}
	if len(pools) > mostCounts/changes {
		return fmt.Errorf("run %q has %d events of machines in %d pools (type and zone), expected a product of at most %d; cut it into shorter ones",
			r.Name, changes-1, len(pools), mostCounts)
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

// Note adds a note, once.
func (r *Run) Note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// repeatable reports whether two equal events may both be true: charges, and requests that
// do not say for which machine.
func (e *Event) repeatable() bool {
	return e.Kind == Charge || e.Instance == "" && (e.Kind == Requested || e.Kind == Refused)
}

// dropRepeats drops the second of two events that say the same of one instant.
func (r *Run) dropRepeats() int {
	n, at, kept := len(r.Events), int64(math.MinInt64), r.Events[:0]
	seen := map[Event]bool{} // at one instant
	for i, e := range r.Events {
		if e.T != at {
			at = e.T
			if len(seen) > 0 {
				seen = map[Event]bool{}
			}
		}
		alone := len(seen) == 0 && (i+1 == n || r.Events[i+1].T != at)
		if !alone && !e.repeatable() {
			key := e.said()
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		kept = append(kept, e)
	}
	clear(r.Events[len(kept):])
	r.Events = kept
	return n - len(kept)
}

// said is what an event says, apart from where it stands: equal events are equal.
func (e Event) said() Event {
	e.File, e.Line = 0, 0
	if math.IsNaN(e.Value) {
		e.Value = math.Inf(1) // equal to itself, and no value that an event has
	}
	return e
}

// begin is the first Start, or else the first event that is not of money.
func (r *Run) begin() int64 {
	first := int64(Missing)
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind == Start {
			return e.T
		}
		if first == Missing && !e.Kind.OfMoney() {
			first = e.T
		}
	}
	if first == Missing && len(r.Events) > 0 {
		return r.Events[0].T
	}
	return max(first, 0)
}

// Finish returns when the run ended, us, and whether it reached its goal: the last End or
// Aborted, or else the last event that is not of money, with false.
func (r *Run) Finish() (at int64, done bool) {
	at = r.Zero
	for i := len(r.Events) - 1; i >= 0; i-- {
		if k := r.Events[i].Kind; k == End || k == Aborted {
			return r.Events[i].T, k == End
		}
	}
	for i := range r.Events {
		if !r.Events[i].Kind.OfMoney() {
			at = max(at, r.Events[i].T)
		}
	}
	return at, false
}

// Since returns the seconds from time zero to an instant.
func (r *Run) Since(at int64) float64 { return float64(at-r.Zero) / 1e6 }

// Source names the place of an event, for messages: file:line.
func (r *Run) Source(e *Event) string {
	if int(e.File) >= len(r.Files) {
		return "?"
	}
	if e.Line == 0 {
		return r.Files[e.File]
	}
	return fmt.Sprintf("%s:%d", r.Files[e.File], e.Line)
}
