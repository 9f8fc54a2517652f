package ownruns

import (
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

// Run is what was recorded of one training run. Importers, Merge and New return sound
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

// onDemand ends the names of types, in the CSV, and of pools of machines on demand.
const onDemand = ":on-demand"

// Missing is an instant that was not recorded.
const Missing = math.MinInt64

// Note adds a note, once.
func (r *Run) Note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// Only reports whether there are events, all of one kind: prices alone, for one, say nothing of a run.
func (r *Run) Only(k Kind) bool {
	return len(r.Events) > 0 && !slices.ContainsFunc(r.Events, func(e Event) bool { return e.Kind != k })
}

// begin is the first Start, or else the first event that is not of money.
func (r *Run) begin() int64 {
	first := int64(Missing)
	for i := range r.Events {
		event := &r.Events[i]
		if event.Kind == Start {
			return event.T
		}
		if first == Missing && !event.Kind.OfMoney() {
			first = event.T
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
		kind := r.Events[i].Kind
		if kind == End || kind == Aborted {
			return r.Events[i].T, kind == End
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
