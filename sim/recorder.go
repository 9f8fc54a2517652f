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
	USD      float64 // spent from the run's start to To
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
	// that was granted in pool p, and that job j holds.
	Instance(now Time, j, p, n int, what InstanceEvent)
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
