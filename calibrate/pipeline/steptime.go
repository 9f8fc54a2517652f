package pipeline

import (
	"slices"
	"time"
)

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
	stage := &stages[i]
	if waits && stage.forwards > 0 && stage.gradientOfNext() > stage.free {
		stage.forwardFirst()
		stage.ready = stage.when(waits)
		return
	}
	done := stage.tasks[stage.next]
	stage.next++
	stage.free = stage.ready + st.Stages[i].Forward
	switch done.kind {
	case forward:
		stage.forwards--
	case backward:
		stage.free = stage.ready + st.Stages[i].Backward
	}
	stage.ready = stage.when(waits)
	switch {
	case done.kind == forward && i+1 < len(stages):
		stages[i+1].activation[done.batch] = stage.free + st.Send
		stages[i+1].ready = stages[i+1].when(waits)
	case done.kind == backward && i > 0:
		stages[i-1].gradient[done.batch] = stage.free + st.Send
		stages[i-1].ready = stages[i-1].when(waits)
	}
}
