package sim

import (
	"time"
)

// Totals are the results of one run.
type Totals struct {
	End   Time // of the run
	Bill  Bill
	Jobs  []JobTotals
	Pools []PoolTotals

	Events        int64 // market records and timers processed; records that cannot affect the run are left out
	Requests      int64 // instances requested
	Grants        int64
	Preemptions   int64 // instances that the cloud took
	Notices       int64
	Unannounced   int64 // preemptions without a notice
	Decisions     int64
	Wakes         int64 // decisions on the policy's own timer
	PlanChanges   int64
	QuotaRefusals int64 // instances requested beyond a quota
	Moves         int64 // of a job's state to a pool where it was not, if they cost anything (Config.Moves)
}

// JobTotals are the results of one job.
type JobTotals struct {
	Finished     bool
	Lost         bool                      // ended by the loss of its chief (Pause.Fatal)
	Elapsed      time.Duration             // from submission to the finish, or to the run's end
	Done         float64                   // share of the training from its start to the goal
	Loss         float64                   // reached; +Inf if training never began
	Iterations   float64                   // normalised, without what was lost
	Samples      float64                   // without what was lost
	Activities   [Activities]time.Duration // instance time
	InstanceTime time.Duration             // their sum
}

// PoolTotals are the results of one pool, all jobs together.
type PoolTotals struct {
	USD         float64 // at the price of each moment, without the other parts of the bill
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

// accounts is the totals of a run, and what its recorder is to be told.
type accounts struct {
	totals           Totals
	recorder         Recorder         // nil keeps totals only
	instanceRecorder InstanceRecorder // the recorder, if it implements this
	recordedUntil    Time             // the end of the last span
	span             Span
	tax              float64 // Billing.Tax
	spanFilled       bool    // the recorder is still to be told span
}

// reset empties the accounts of a run that begins at start.
func (a *accounts) reset(r Recorder, pools, jobs int, start Time) {
	a.recorder = r
	a.instanceRecorder, _ = r.(InstanceRecorder)
	a.totals.reset(pools, jobs)
	a.recordedUntil, a.spanFilled = start, false
}

// copyFrom makes a equal to src, but without a recorder, reusing a's memory.
func (a *accounts) copyFrom(src *accounts) {
	a.totals.copyFrom(&src.totals)
	a.recorder, a.instanceRecorder = nil, nil
	a.recordedUntil, a.span, a.spanFilled, a.tax = src.recordedUntil, Span{}, false, src.tax
}

// instanceEvent tells the recorder what happens to an instance.
func (a *accounts) instanceEvent(now Time, x *instance, what InstanceEvent) {
	if a.instanceRecorder != nil {
		a.instanceRecorder.Instance(now, int(x.job), int(x.pool), int(x.ordinal), what)
	}
}

// emitSpan tells the recorder the span that is filled.
func (a *accounts) emitSpan() {
	if a.spanFilled {
		b := &a.totals.Bill
		a.span.USD += (b.TopUp + b.Transfers - b.Refund) * (1 + a.tax)
		a.recorder.Span(&a.span)
		a.spanFilled = false
	}
}
