package ownruns

import (
	"cmp"
	"slices"
	"time"
)

// Holding is one machine, from when it was asked for until it went. Instants are us on the
// run's clock, Missing where they were not recorded.
type Holding struct {
	Instance   string
	Type, Zone string // empty: not recorded
	OnDemand   bool
	Requested  int64
	Launched   int64 // granted: it boots
	Ready      int64 // it can train
	Noticed    int64 // the first warning that it will be taken
	Gone       int64 // when it went; of one that was held to the end, when the run ended
	// End says how it went: Preempted, Released, Failed or Terminated; None if it was held
	// to the end. One that ended soon after it was warned counts as Preempted, where the
	// record does not say who ended it.
	End Kind
	// Seen is the first instant at which it is known to have been there: From where its
	// beginning was recorded, else the run's beginning.
	Seen int64
}

// WarnedEnd is how long after a warning an end that nobody is named for counts as a
// preemption: clouds warn by 30 s to 10 min.
const WarnedEnd = 15 * time.Minute

// Lost reports whether the run lost the machine: it was preempted or broke.
func (h *Holding) Lost() bool { return h.End == Preempted || h.End == Failed }

// Pool names the machine's pool: zone/type, with ":on-demand" behind those on demand.
func (h *Holding) Pool() string {
	name := cmp.Or(h.Zone, "unknown zone") + "/" + cmp.Or(h.Type, "unknown type")
	if h.OnDemand {
		name += onDemand
	}
	return name
}

// Holdings returns the machines that the run held, in the order in which they came. A name
// that is launched again after its machine went is another machine.
func (r *Run) Holdings() []Holding {
	f := fleet{run: r, at: map[string]int{}}
	for i := range r.Events {
		f.see(&r.Events[i])
	}
	end, _ := r.Finish()
	for i := range f.held {
		holding := &f.held[i]
		if holding.Gone == Missing {
			holding.Gone = max(end, holding.Seen)
		}
	}
	slices.SortStableFunc(f.held, func(a, b Holding) int { return cmp.Compare(a.Seen, b.Seen) })
	return f.held
}

// fleet gathers the machines of a run.
type fleet struct {
	run     *Run
	held    []Holding
	at      map[string]int // the last machine of a name
	waiting []request
}

// request is what was asked for and has not come yet.
type request struct {
	at         int64
	kind, zone string
	onDemand   bool
	instance   string
	left       int
}

func (f *fleet) see(e *Event) {
	switch {
	case e.Kind == Requested && len(f.waiting) < maxWaiting:
		f.waiting = append(f.waiting, request{e.T, e.Type, e.Zone, e.OnDemand, e.Instance, howMany(e)})
	case e.Kind == Refused:
		f.grant(e, howMany(e))
	case e.Kind.OfMachine():
		f.machine(e)
	}
}

// maxWaiting is the most requests that wait at one time: of more, it is not worked out
// which machine came for which.
const maxWaiting = 1024

// howMany is the number of machines of a request.
func howMany(e *Event) int {
	if e.Value >= 1 {
		return int(e.Value)
	}
	return 1
}

// grant takes machines off the oldest requests that they may answer, and returns when the
// last of these was made.
func (f *fleet) grant(e *Event, n int) int64 {
	at := int64(Missing)
	for i := range f.waiting {
		waiting := &f.waiting[i]
		if n == 0 {
			break
		}
		if waiting.left == 0 || !waiting.answers(e) {
			continue
		}
		take := min(n, waiting.left)
		waiting.left -= take
		n -= take
		at = waiting.at
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(q request) bool { return q.left == 0 })
	return at
}

// answers reports whether a machine may be what was asked for.
func (q *request) answers(e *Event) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(q.instance, e.Instance) && same(q.kind, e.Type) && same(q.zone, e.Zone) && q.onDemand == e.OnDemand
}

// machine adds what an event says of its machine.
func (f *fleet) machine(e *Event) {
	i, known := f.at[e.Instance]
	if known && f.settleEnd(i, e) {
		return
	}
	if !known || f.held[i].Gone != Missing {
		i = f.come(e)
	}
	h := &f.held[i]
	h.Type = cmp.Or(h.Type, e.Type)
	h.Zone = cmp.Or(h.Zone, e.Zone)
	h.OnDemand = h.OnDemand || e.OnDemand
	switch {
	case e.Kind == Ready && h.Ready == Missing:
		h.Ready = e.T
	case e.Kind == Notice && h.Noticed == Missing:
		h.Noticed = e.T
	case e.Kind.Goes():
		h.Gone = e.T
		h.End = e.Kind
		if e.Kind == Terminated && h.warned(e.T) {
			h.End = Preempted
		}
	}
}

// come adds a machine that an event is the first to tell of.
func (f *fleet) come(e *Event) int {
	h := Holding{Instance: e.Instance, Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand, Seen: e.T,
		Requested: Missing, Launched: Missing, Ready: Missing, Noticed: Missing, Gone: Missing}
	switch e.Kind {
	case Launched:
		h.Launched = e.T
		h.Requested = f.grant(e, 1)
	case Ready:
		h.Requested = f.grant(e, 1)
	default: // it was there before
		h.Seen = min(f.run.Zero, e.T)
	}
	f.held = append(f.held, h)
	f.at[e.Instance] = len(f.held) - 1
	return len(f.held) - 1
}

// settleEnd takes in what an event says of a machine's end, and reports whether it adds nothing else: one that says
// once more that the machine is there, or that it went.
func (f *fleet) settleEnd(i int, e *Event) bool {
	h := &f.held[i]
	if h.Gone == Missing {
		if e.Kind != Launched {
			return false
		}
		if h.Launched == Missing && h.Ready == Missing {
			return false
		}
		if e.T-h.Seen <= int64(WarnedEnd/time.Microsecond) {
			return true
		}
		h.Gone = e.T
		h.End = Terminated // its end was not recorded
		return false
	}
	if e.Kind == Launched || e.Kind == Ready {
		return false
	}
	if h.End == Terminated && e.Kind.Goes() {
		h.End = e.Kind
	}
	return true
}

// warned reports whether the machine was warned shortly before an instant.
func (h *Holding) warned(at int64) bool {
	return h.Noticed != Missing && at-h.Noticed <= int64(WarnedEnd/time.Microsecond)
}
