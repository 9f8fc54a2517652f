package sim

import "time"

// Totals are the books of one run.
type Totals struct {
	End   Time // of the run
	Bill  Bill
	Jobs  []JobTotals
	Pools []PoolTotals

	Events        int64 // market records and timers that the run went through; those that cannot touch it are left out
	Requests      int64 // instances asked for
	Grants        int64
	Preemptions   int64 // instances that the cloud took
	Notices       int64
	Unannounced   int64 // preemptions without a notice
	Decisions     int64
	Wakes         int64 // of them on the policy's own timer
	PlanChanges   int64
	QuotaRefusals int64 // instances asked for beyond a quota
}

// JobTotals are the books of one job.
type JobTotals struct {
	Finished     bool
	Lost         bool                      // ended by the loss of its chief (Pause.Fatal)
	Elapsed      time.Duration             // from submission to the finish, or to the run's end
	Done         float64                   // share of the way from the start of training to the goal
	Loss         float64                   // reached; +Inf if training never began
	Iterations   float64                   // normalised, without what was lost
	Samples      float64                   // without what was lost
	Activities   [Activities]time.Duration // instance time
	InstanceTime time.Duration             // their sum
}

// PoolTotals are the books of one pool.
type PoolTotals struct {
	USD         float64 // at the price of each moment, without the bill's other lines
	Grants      int64
	Preemptions int64
}

func (t *Totals) reset(pools, jobs int) {
	*t = Totals{Jobs: resize(t.Jobs, jobs), Pools: resize(t.Pools, pools)}
	clear(t.Jobs)
	clear(t.Pools)
}

func (t *Totals) copyFrom(src *Totals) {
	jobs, pools := append(t.Jobs[:0], src.Jobs...), append(t.Pools[:0], src.Pools...)
	*t = *src
	t.Jobs, t.Pools = jobs, pools
}

func (w *World) finishTotals() {
	t := &w.totals
	t.End = w.now
	t.Bill = w.bill()
	n := len(w.pools)
	for j := range w.jobs {
		for p := range w.pools {
			t.Pools[p].USD += w.held[j*n+p].usd
		}
		w.finishJobTotals(j, &t.Jobs[j])
	}
}

func (w *World) finishJobTotals(j int, t *JobTotals) {
	s := &w.jobs[j]
	t.Finished, t.Lost = s.phase == phaseDone, s.phase == phaseLost
	t.Loss = w.loss(j)
	t.Done = w.done(j)
	t.Iterations, t.Samples = s.base.iterations, s.base.samples
	t.Elapsed = max(min(s.finish, w.now).Sub(s.submit), 0)
	act := s.act
	act[Useful], act[Redundant] = s.base.useful, s.base.redundant
	for a, us := range act {
		t.Activities[a] = time.Duration(us) * time.Microsecond
		t.InstanceTime += t.Activities[a]
	}
}

// done returns how much of the way from the start of training to the goal is
// behind job j, in [0, 1].
func (w *World) done(j int) float64 {
	s := &w.jobs[j]
	if !s.begun {
		return 0
	}
	if s.goal <= s.first {
		return 1
	}
	return min(max((s.progress(w.now)-s.first)/(s.goal-s.first), 0), 1)
}

// Recorder is told what happens in a run, for timelines and explanations. The
// views and spans are valid during the call only.
type Recorder interface {
	// Span is told every stretch in which nothing changed.
	Span(s *Span)
	// Decision is told every decision, and whether it changed the plan.
	Decision(v View, plan *Plan, changed bool)
}

// Span is a stretch of a run in which nothing changed.
type Span struct {
	From, To Time
	Pools    []PoolSpan
	Jobs     []JobSpan
	USD      float64 // spent at To, since the run began
}

// PoolSpan is one pool in a span, all jobs together.
type PoolSpan struct {
	Price    float64 // USD per instance-hour
	Capacity int     // that can be held; -1 where the history does not limit it
	Waiting  int
	Starting int
	Ready    int
	Noticed  int
}

// JobSpan is one job in a span.
type JobSpan struct {
	// Activity is that of the layout; Redone while it does again what was lost.
	Activity Activity
	Rate     float64 // progress per second, in the model's unit
	Done     float64 // share of the way to the goal at To
	Loss     float64 // at To
}

// Reason returns the reason that the policy gave, for recorders.
func (p *Plan) Reason() string { return p.why }

// touch is called before anything changes that a span shows.
func (w *World) touch() {
	if w.cfg.Recorder != nil && w.recordedUntil != w.now {
		w.record()
	}
}

// record fills the span that ends now. It is told when the next one begins, so
// that its dollars hold all that is charged at its end.
func (w *World) record() {
	w.emitSpan()
	s := &w.span
	s.From, s.To, w.recordedUntil, w.spanFilled = w.recordedUntil, w.now, w.now, true
	bill := w.bill()
	s.USD = bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage
	s.Pools, s.Jobs = resize(s.Pools, len(w.pools)), resize(s.Jobs, len(w.jobs))
	for p := range w.pools {
		s.Pools[p] = w.poolSpan(p, s.From)
	}
	for j := range w.jobs {
		x := &w.jobs[j]
		s.Jobs[j] = JobSpan{Activity: x.activity(), Done: w.done(j), Loss: w.loss(j)}
		if x.phase == phaseTraining {
			s.Jobs[j].Rate = x.rate.Progress
		}
	}
}

// emitSpan tells the recorder the span that is filled.
func (w *World) emitSpan() {
	if w.spanFilled {
		w.span.USD += w.totals.Bill.TopUp - w.totals.Bill.Refund
		w.cfg.Recorder.Span(&w.span)
		w.spanFilled = false
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
	for j := range w.jobs {
		h := &w.held[j*len(w.pools)+p]
		out.Waiting += int(h.waiting)
		out.Starting += int(h.starting)
		out.Ready += int(h.ready)
		out.Noticed += int(h.noticed)
	}
	return out
}
