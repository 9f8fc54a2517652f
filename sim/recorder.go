package sim

// Recorder is told what happens in a run, for timelines and explanations. Views and
// spans are valid during the call only.
type Recorder interface {
	// Span is told every span of time in which nothing changed.
	Span(s *Span)
	// Decision is told every decision, and whether it changed the plan.
	Decision(v View, plan *Plan, changed bool)
}

// Span is a part of a run in which nothing changed.
type Span struct {
	From, To Time
	Pools    []PoolSpan
	Jobs     []JobSpan
	// Changed are the jobs of which Jobs may say something else than in the span before: most of many jobs are over
	// or not submitted. In the first span they are all jobs.
	Changed []int
	USD     float64 // spent from the run's start to To
}

// PoolSpan is one pool in a span, all jobs together.
type PoolSpan struct {
	Price    float64 // USD per instance-hour
	Capacity int     // instances that can be held; -1 where the history does not limit it
	Waiting  int
	Starting int
	Ready    int
	Noticed  int
}

// JobSpan is one job in a span.
type JobSpan struct {
	// Activity is that of the instances in the layout; Redone while they do again
	// what was lost.
	Activity Activity
	Rate     float64 // progress per second, in the model's unit
	Done     float64 // share of the training that is done at To
	Loss     float64 // at To
}

// InstanceRecorder is a Recorder that is told what happens to every instance.
type InstanceRecorder interface {
	Recorder
	// Instance is told that something happens now to the n-th instance, from 0,
	// that was granted in pool p, and that job j holds; -1: the run does, as a host (Packer).
	Instance(now Time, j, p, n int, what InstanceEvent)
}

// TaskRecorder is a Recorder that is told, under a Packer, where the tasks of jobs were.
type TaskRecorder interface {
	Recorder
	// Task is told that a task of job j had room on the n-th instance granted in pool p, from an instant until another, and how that
	// ended: InstanceRevoked, the cloud took an instance of the job; InstanceReleased, it left; InstanceReady, the run ended.
	Task(from, until Time, j, task, p, n int, end InstanceEvent)
}

// InstanceEvent is what happens to an instance. The events of one instance come in
// the order below; Ready and Noticed may be missing or come in the other order.
type InstanceEvent uint8

// The events of an instance.
const (
	InstanceGranted  InstanceEvent = iota
	InstanceReady                  // it can train
	InstanceNoticed                // its revocation is announced
	InstanceRevoked                // the cloud took it
	InstanceReleased               // the job gave it back, or ended
)

// changed marks the present instant as one that changes what a span shows.
func (w *World) changed() {
	w.touch()
	w.dirty = true
}

// touch is called before anything changes that a span shows.
func (w *World) touch() {
	if w.recorder != nil && w.recordedUntil != w.now {
		w.record()
	}
}

// record fills the span that ends now. The recorder is told it when the next one
// begins, so that its USD has all that is charged at its end.
func (w *World) record() {
	w.emitSpan()
	s := &w.span
	s.From, s.To, w.recordedUntil, w.spanFilled = w.recordedUntil, w.now, w.now, true
	bill := w.bill()
	s.USD = (bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage + bill.Disks + bill.Checkpoints + bill.Commitments) * (1 + w.cfg.Billing.Tax)
	s.Pools, s.Jobs = resize(s.Pools, len(w.pools)), resize(s.Jobs, w.count())
	for p := range w.pools {
		s.Pools[p] = w.poolSpan(p, s.From)
	}
	w.recordChanged()
}

// recordChanged fills what the span says of the jobs that were there since the span before.
func (w *World) recordChanged() {
	s := &w.span
	first := s.From == w.start
	s.Changed = append(s.Changed[:0], w.overJobs...)
	w.overJobs = w.overJobs[:0]
	if h := w.hostPool(); h >= 0 {
		w.addHeld(s.Pools, h)
	}
	for _, j := range w.active() {
		w.addHeld(s.Pools, j)
		s.Changed = append(s.Changed, j)
	}
	if first {
		s.Changed = s.Changed[:0]
		for j := range w.count() {
			s.Changed = append(s.Changed, j)
		}
	}
	for _, j := range s.Changed {
		w.recordJob(j)
	}
}

// recordJob fills what the span says of job j.
func (w *World) recordJob(j int) {
	x := &w.jobs[j]
	s := &w.span.Jobs[j]
	*s = JobSpan{Activity: x.activity(), Done: w.done(j, w.now), Loss: w.loss(j, w.now)}
	if x.phase == phaseTraining {
		s.Rate = x.rate.Progress
	}
}

func (w *World) poolSpan(p int, from Time) PoolSpan {
	s := &w.pools[p]
	out := PoolSpan{Price: w.market.Price(p, from), Capacity: int(s.capacity)}
	if s.nodes > 0 {
		out.Capacity = 0
		for _, holder := range w.nodes[s.node : s.node+s.nodes] {
			if holder != nodeGone {
				out.Capacity++
			}
		}
	}
	return out
}

// addHeld adds what job j has to the pools of a span.
func (w *World) addHeld(pools []PoolSpan, j int) {
	s := &w.jobs[j]
	for k := range s.held {
		h, out := &s.held[k], &pools[s.poolOf(k)]
		out.Waiting += int(h.waiting)
		out.Starting += int(h.starting)
		out.Ready += int(h.ready)
		out.Noticed += int(h.noticed)
	}
}
