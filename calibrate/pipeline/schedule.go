package pipeline

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Schedule is the order in which the stages of a pipeline work on the
// micro-batches of a step.
type Schedule uint8

// The schedules.
const (
	// GPipe: all forward passes, then recomputation and backward passes in the
	// opposite order (Huang et al., "GPipe", NeurIPS 2019).
	GPipe Schedule = iota
	// OneFOneB: after its first forward passes a stage does a backward and a
	// forward pass in turn, without recomputation (PipeDream-flush; Narayanan et
	// al., ICML 2021).
	OneFOneB
	// Varuna: backward passes as early as may be, each right after its
	// recomputation; the last stage recomputes nothing. A stage whose next
	// recomputation has no gradient yet does its next forward pass before it
	// (Athlur et al., "Varuna", EuroSys 2022, section 3.2, and its simulator).
	Varuna
)

// Schedules returns the names of the schedules.
func Schedules() []string { return slices.Clone(schedules) }

var schedules = []string{"gpipe", "1f1b", "varuna"}

// ParseSchedule reads "gpipe", "1f1b" or "varuna".
func ParseSchedule(s string) (Schedule, error) {
	if i := slices.Index(schedules, s); i >= 0 {
		return Schedule(i), nil
	}
	return 0, fmt.Errorf("schedule %q, expected one of %v", s, schedules)
}

// stageTime is what one stage takes for one micro-batch; a recomputation takes
// as long as the forward pass.
type stageTime struct{ Forward, Backward time.Duration }

// step is one mini-batch on one pipeline.
type step struct {
	Stages       []stageTime   // from the first to the last, at least one
	MicroBatches int           // at least 1
	Send         time.Duration // of an activation or a gradient to the next stage; a stage works on meanwhile
	AllReduce    time.Duration // of gradients between pipelines, when all is done
}

// Time returns how long the step takes under a schedule. For P equal stages and
// M micro-batches GPipe's is M(2F+B) + (P-1)(F+B+2 Send) + AllReduce and, with
// Send 0, 1F1B's is (M+P-1)(F+B) + AllReduce.
func (st *step) Time(s Schedule) time.Duration {
	if len(st.Stages) == 0 || st.MicroBatches < 1 {
		panic("pipeline: Step.Time: a step has at least one stage and one micro-batch")
	}
	stages := make([]pipeStage, len(st.Stages))
	for i := range stages {
		arrives := func(atStart bool) []time.Duration {
			if atStart {
				return make([]time.Duration, st.MicroBatches)
			}
			return slices.Repeat([]time.Duration{never}, st.MicroBatches)
		}
		stages[i].forwards = st.MicroBatches
		stages[i].activation = arrives(i == 0)
		stages[i].gradient = arrives(i == len(stages)-1)
	}
	order(s, st.MicroBatches, stages)
	for {
		next := 0
		for i := range stages {
			if stages[i].ready < stages[next].ready {
				next = i
			}
		}
		if stages[next].ready == never {
			break
		}
		st.work(stages, next, s == Varuna)
	}
	end := time.Duration(0)
	for i := range stages {
		end = max(end, stages[i].free)
	}
	return end + st.AllReduce
}

const never = time.Duration(math.MaxInt64)

// task is what a stage does for one micro-batch.
type task struct {
	kind  taskKind
	batch int
}

type taskKind uint8

const (
	forward taskKind = iota
	recompute
	backward
)

// pipeStage is one stage in the course of a step.
type pipeStage struct {
	tasks      []task
	next       int             // index of the next task
	forwards   int             // forward passes that are left
	free       time.Duration   // when it has done those before
	ready      time.Duration   // when it can decide on or begin the next; never if that is not known
	activation []time.Duration // by micro-batch: when it is there
	gradient   []time.Duration
}

// work lets stage i do its next task, for which it is ready.
func (st *step) work(stages []pipeStage, i int, waits bool) {
	x := &stages[i]
	if waits && x.forwards > 0 && x.gradientOfNext() > x.free {
		x.forwardFirst()
		x.ready = x.when(waits)
		return
	}
	t := x.tasks[x.next]
	x.next++
	x.free = x.ready + st.Stages[i].Forward
	switch t.kind {
	case forward:
		x.forwards--
	case backward:
		x.free = x.ready + st.Stages[i].Backward
	}
	x.ready = x.when(waits)
	switch {
	case t.kind == forward && i+1 < len(stages):
		stages[i+1].activation[t.batch] = x.free + st.Send
		stages[i+1].ready = stages[i+1].when(waits)
	case t.kind == backward && i > 0:
		stages[i-1].gradient[t.batch] = x.free + st.Send
		stages[i-1].ready = stages[i-1].when(waits)
	}
}

// when returns when the stage can begin its next task. Where recomputation waits
// for its gradient, forward passes that are left may come first: the stage
// decides as soon as it is free.
func (x *pipeStage) when(waits bool) time.Duration {
	if x.next == len(x.tasks) {
		return never
	}
	t := x.tasks[x.next]
	switch {
	case t.kind == forward:
		return max(x.free, x.activation[t.batch])
	case t.kind == recompute && waits && x.forwards == 0:
		return max(x.free, x.gradient[t.batch])
	case t.kind == recompute:
		return x.free
	}
	return max(x.free, x.gradient[t.batch])
}

// gradientOfNext returns when the gradient for the next task is there, if that
// is a recomputation; else 0.
func (x *pipeStage) gradientOfNext() time.Duration {
	if t := x.tasks[x.next]; t.kind == recompute {
		return x.gradient[t.batch]
	}
	return 0
}

// forwardFirst makes the next forward pass, of which there is one, the next task.
func (x *pipeStage) forwardFirst() {
	k := x.next
	for x.tasks[k].kind != forward {
		k++
	}
	t := x.tasks[k]
	copy(x.tasks[x.next+1:k+1], x.tasks[x.next:k])
	x.tasks[x.next] = t
}
