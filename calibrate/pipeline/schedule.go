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

// order fills in the tasks of every stage for m micro-batches.
func order(s Schedule, m int, stages []pipeStage) {
	if s == Varuna {
		varunaOrder(m, stages)
	}
	for i := range stages {
		x := &stages[i]
		switch s {
		case GPipe:
			x.tasks = gpipeOrder(m)
		case OneFOneB:
			x.tasks = oneFOneBOrder(m, min(m, len(stages)-1-i))
		}
		x.ready = x.when(s == Varuna)
	}
}

func gpipeOrder(m int) (tasks []task) {
	for b := range m {
		tasks = append(tasks, task{forward, b})
	}
	for b := m - 1; b >= 0; b-- {
		tasks = append(tasks, task{recompute, b}, task{backward, b})
	}
	return tasks
}

// oneFOneBOrder is that of a stage with n stages behind it.
func oneFOneBOrder(m, behind int) (tasks []task) {
	for b := range behind {
		tasks = append(tasks, task{forward, b})
	}
	for b := range m {
		if b+behind < m {
			tasks = append(tasks, task{forward, b + behind})
		}
		tasks = append(tasks, task{backward, b})
	}
	return tasks
}

// varunaOrder finds Varuna's order in time slots of one forward pass, in which a
// backward pass takes two. In each slot a stage ends its backward pass, or begins
// one that it has recomputed for, or recomputes, or does a forward pass, whichever
// is the first that it can. A stage may recompute when the one behind it has done
// the first half of its backward pass: then the gradient comes when it is done.
func varunaOrder(m int, stages []pipeStage) {
	ends := make([]bool, len(stages)) // it is in the second half of a backward pass
	had := make([]queues, len(stages))
	had[0].waiting[forward] = m
	last := len(stages) - 1
	left := 3*m*len(stages) - m // the last stage recomputes nothing
	picked := make([]taskKind, len(stages))
	for left > 0 {
		for i := range had {
			if picked[i] = idle; ends[i] {
				ends[i] = false
				continue
			}
			if picked[i] = had[i].pick(); picked[i] != idle {
				stages[i].tasks = append(stages[i].tasks, task{picked[i], had[i].done[picked[i]]})
				had[i].done[picked[i]]++
				left--
			}
		}
		for i, kind := range picked {
			switch {
			case kind == forward && i < last:
				had[i+1].waiting[forward]++
			case kind == forward || kind == recompute:
				had[i].waiting[backward]++
			case kind == backward:
				if ends[i] = true; i > 0 {
					had[i-1].waiting[recompute]++
				}
			}
		}
	}
}

const idle taskKind = 3

// queues counts the tasks of one stage, by kind; each kind is done in the order
// of the micro-batches.
type queues struct{ waiting, done [idle]int }

// pick takes a task that waits: backward before recompute before forward.
func (q *queues) pick() taskKind {
	for _, kind := range [...]taskKind{backward, recompute, forward} {
		if q.waiting[kind] > 0 {
			q.waiting[kind]--
			return kind
		}
	}
	return idle
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
		panic("pipeline: a step has at least one stage and one micro-batch")
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
