package ownruns

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/marigram/marigram/traces"
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
	pools, changes := map[Pool]bool{}, 1
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind.OfMachine() {
			pools[Pool{Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand}] = true
			changes++
		}
	}
	if len(pools) > maxCounts/changes {
		return fmt.Errorf("run %q has %d events of machines in %d pools (type and zone), expected a product of at most %d; cut it into shorter ones",
			r.Name, changes-1, len(pools), maxCounts)
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

// Merge joins what several files recorded of one run: the fleet, the progress, the bill.
// Their clocks have to be of one kind: all of the world, or all from the run's own
// beginning, in which case they are taken to begin together. The name is that of the first
// where it is empty.
func Merge(name string, runs ...*Run) (*Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs to merge")
	}
	if name == "" {
		name = runs[0].Name
	}
	out := &Run{Name: name, Relative: runs[0].Relative}
	for _, r := range runs {
		if r.Relative != out.Relative {
			return nil, fmt.Errorf("%s counts time from the run's own beginning and %s does not; say when the run began "+
				"(--start), or bring both to one clock", clocked(runs, true), clocked(runs, false))
		}
		if len(out.Events)+len(r.Events) > MaxEvents {
			return nil, fmt.Errorf("the files have more than %d events together, expected at most that", MaxEvents)
		}
		first := int32(len(out.Files))
		out.Files = append(out.Files, r.Files...)
		for _, e := range r.Events {
			e.File += first
			out.Events = append(out.Events, e)
		}
		for _, note := range r.Notes {
			out.Note("%s", note)
		}
	}
	out.settle()
	return out, out.bounded()
}

// clocked names a run by its clock.
func clocked(runs []*Run, relative bool) string {
	for _, r := range runs {
		if r.Relative == relative {
			return fmt.Sprintf("%q", r.Name)
		}
	}
	return "none"
}

// StartAt puts the beginning of a run with a Relative clock at an instant of the world, us
// UTC. It panics for a run whose clock is the world's.
func (r *Run) StartAt(us int64) {
	if !r.Relative {
		panic("ownruns: StartAt of a run whose clock is the world's")
	}
	for i := range r.Events {
		r.Events[i].T += us
	}
	r.Relative, r.Zero = false, r.Zero+us
}

// fromTrace says which events of a trace's machines are which of a run's.
var fromTrace = map[string]Kind{
	"request":             Requested,
	traces.KindLaunch:     Launched,
	traces.KindLaunchFail: Refused,
	traces.KindRunning:    Ready,
	traces.KindNotice:     Notice,
	traces.KindRebalance:  Rebalance,
	traces.KindPreempt:    Preempted,
	traces.KindTerminate:  Terminated,
}

// FromTrace takes the machines' events and the prices of a trace for those of a run: what
// clouds tell about machines is imported by package formats. Machines of pools whose market
// is on_demand are on demand. Events of other kinds are left out, which a note says.
func FromTrace(set *traces.Set) (*Run, error) {
	var files []string
	for _, f := range set.Manifest.Source.Files {
		files = append(files, f.Path)
	}
	var events []Event
	left := map[string]bool{}
	for i := range set.InstanceEvents {
		x := &set.InstanceEvents[i]
		e := ofMachine(x, &set.Pools[x.PoolID])
		if e.Kind == None {
			left[x.Kind] = true
			continue
		}
		events = append(events, e)
	}
	for i := range set.Prices {
		x := &set.Prices[i]
		if pool := &set.Pools[x.PoolID]; pool.InstanceType != "" {
			events = append(events, Event{T: x.T, Kind: Price, Type: pool.InstanceType, Zone: pool.Zone,
				Value: traces.USD(x.PriceNanoUSD), OnDemand: pool.Market == marketOnDemand, File: x.SrcFile, Line: line(x.SrcRow)})
		}
	}
	r, err := New(set.Manifest.TraceID, set.Manifest.ClockKind == traces.ClockRelative, files, events)
	if err != nil {
		return nil, err
	}
	for _, kind := range slices.Sorted(maps.Keys(left)) {
		r.Note("events of machines of kind %q were left out", kind)
	}
	return r, nil
}

// marketOnDemand is what pools of machines on demand have for their market.
const marketOnDemand = "on_demand"

// ofMachine is one event of a trace's machine; its kind is None where a run has none.
func ofMachine(x *traces.InstanceEventRow, pool *traces.Pool) Event {
	e := Event{T: x.T, Kind: fromTrace[x.Kind], Instance: x.InstanceID, Type: pool.InstanceType, Zone: pool.Zone, Value: math.NaN(),
		OnDemand: pool.Market == marketOnDemand, File: x.SrcFile, Line: line(x.SrcRow)}
	switch {
	case e.Kind == Terminated && x.Reason == traces.ReasonUser:
		e.Kind = Released
	case e.Kind == Terminated && x.Reason == traces.ReasonHostError:
		e.Kind = Failed
	case e.Kind == Notice && x.NoticeUs != nil:
		e.Value = float64(*x.NoticeUs) / 1e6
	}
	return e
}

// line is a row of a source as a line.
func line(row int64) int32 { return int32(max(0, min(row, math.MaxInt32))) }
