package ownruns

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
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

// NewEvent is an event that says nothing but its kind.
func NewEvent(at int64, kind Kind) Event {
	return Event{T: at, Kind: kind, Value: math.NaN()}
}

// MachineEvent is an event of a machine.
func MachineEvent(at int64, kind Kind, instance, zone string) Event {
	e := NewEvent(at, kind)
	e.Instance, e.Zone = instance, zone
	return e
}

// ValueEvent is an event of the run with a value.
func ValueEvent(at int64, kind Kind, value float64) Event {
	e := NewEvent(at, kind)
	e.Value = value
	return e
}

// check says what is wrong with an event of n files.
func (e *Event) check(files int) error {
	if e.Kind == None || e.Kind >= kinds {
		return fmt.Errorf("%v, expected one of Kinds", e.Kind)
	}
	if e.File < 0 || int(e.File) >= max(files, 1) || e.Line < 0 {
		return fmt.Errorf("%v at place %d:%d, expected one of the %d files", e.Kind, e.File, e.Line, files)
	}
	if e.T < 0 || e.T > traces.MaxInstant {
		return fmt.Errorf("%v at %d us, expected an instant from 1970 to 2199", e.Kind, e.T)
	}
	if err := e.Kind.check(e.Value); err != nil {
		return fmt.Errorf("%v has the value %v, %w", e.Kind, e.Value, err)
	}
	for _, name := range []string{e.Instance, e.Type, e.Zone} {
		if err := read.CheckName(name); name != "" && err != nil {
			return fmt.Errorf("%v of %s, %w", e.Kind, read.Quote(name), err)
		}
	}
	return e.whole()
}

// whole says what an event lacks.
func (e *Event) whole() error {
	switch {
	case e.Kind.OfMachine() && e.Instance == "":
		return fmt.Errorf("event %q without a machine, expected its name in the column instance", e.Kind)
	case e.Kind == Price && e.Type == "":
		return fmt.Errorf("event %q without an instance type, expected one in the column type", e.Kind)
	}
	return nil
}

// number writes a value in the fewest digits that give it back.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
