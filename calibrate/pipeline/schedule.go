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

var schedules = []string{"gpipe", "1f1b", "varuna"}

// ParseSchedule reads "gpipe", "1f1b" or "varuna".
func ParseSchedule(s string) (Schedule, error) {
	if i := slices.Index(schedules, s); i >= 0 {
		return Schedule(i), nil
	}
	return 0, fmt.Errorf("schedule %q, expected one of %v", s, schedules)
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

// when returns when the stage can begin its next task. Where recomputation waits
// for its gradient, forward passes that are left may come first: the stage
// decides as soon as it is free.
func (x *pipeStage) when(waits bool) time.Duration {
	if x.next == len(x.tasks) {
		return never
	}
	next := x.tasks[x.next]
	switch {
	case next.kind == forward:
		return max(x.free, x.activation[next.batch])
	case next.kind == recompute && waits && x.forwards == 0:
		return max(x.free, x.gradient[next.batch])
	case next.kind == recompute:
		return x.free
	}
	return max(x.free, x.gradient[next.batch])
}

// gradientOfNext returns when the gradient for the next task is there, if that
// is a recomputation; else 0.
func (x *pipeStage) gradientOfNext() time.Duration {
	next := x.tasks[x.next]
	if next.kind == recompute {
		return x.gradient[next.batch]
	}
	return 0
}

// forwardFirst makes the next forward pass, of which there is one, the next task.
func (x *pipeStage) forwardFirst() {
	at := x.next
	for x.tasks[at].kind != forward {
		at++
	}
	task := x.tasks[at]
	copy(x.tasks[x.next+1:at+1], x.tasks[x.next:at])
	x.tasks[x.next] = task
}
