package schedulers

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// FIFO starts jobs in the order of their submission and lets them run to their end. With
// Consolidated placement it is the scheduler of YARN that Tiresias compares with (YARN-CS).
type FIFO struct {
	Placement Placement `set:"placement" names:"anywhere,consolidated,closest" doc:"which GPUs a job may have: anywhere, consolidated (as few servers as it fills, at one switch; it waits for them) or closest (those that are free, as close together as they are: one server, one rack, and so on)"`
	// Backfill passes over a job that does not fit, else it keeps those behind it waiting.
	Backfill bool
}

// Name implements sim.Policy.
func (f *FIFO) Name() string {
	if f.Backfill {
		return "first-fit"
	}
	return "fifo"
}

// Traits says what the policy is.
func (*FIFO) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*FIFO) RentsOnDemand() bool { return false }

// queueing is what schedulers with a queue remember: what is free, and who waits.
type queueing struct {
	gpus   gpus
	line   line
	misfit []bool // scratch: kinds of jobs for which there is no place now
	free   []int  // scratch, by part of the cluster
	where  Placement
}

// NewState implements sim.Stateful.
func (*FIFO) NewState(from, used any) any {
	if was, ok := from.(*queueing); ok {
		return &queueing{gpus: was.gpus.clone(), line: was.line.clone()}
	}
	if s, own := used.(*queueing); own {
		s.empty()
		return s
	}
	return &queueing{}
}

// empty makes it what it is at first, in the memory that it has.
func (s *queueing) empty() {
	*s = queueing{gpus: s.gpus.empty(), line: s.line.empty(), misfit: s.misfit[:0], free: s.free[:0]}
}

// Decide implements sim.Policy.
func (f *FIFO) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*queueing)
	s.gpus.setUp(v)
	s.where = f.Placement
	for _, change := range v.JobChanges() {
		switch change.What {
		case sim.JobSubmitted:
			of := s.gpus.meet(v, plan, change.Job, f.Placement)
			if plan.Held(change.Job) == 0 {
				s.line.push(change.Job, of, false)
			}
		case sim.JobFinished, sim.JobLost:
			s.end(plan, change.Job)
		}
	}
	s.gpus.watch(v, plan, f.Placement, func(j int) {
		s.gpus.stop(plan, j)
		s.line.push(j, s.gpus.meet(v, plan, j, f.Placement), true)
	})
	s.start(plan, f.Backfill)
	if plan.Recorded() {
		s.say(v, plan, f.Backfill, "", "")
	}
}

// end takes in that a job is over: it may have been put back into the queue, and done on GPUs that the cloud was to
// take.
func (s *queueing) end(plan *sim.Plan, j int) {
	s.gpus.freeAll(plan, j)
	if s.line.waits(j) {
		s.line.remove(j)
	}
}

// start gives the jobs of the queue their GPUs, in order.
func (s *queueing) start(plan *sim.Plan, backfill bool) {
	s.misfit = s.misfit[:0]
	for s.line.waiting > 0 {
		s.free = s.free[:0]
		for k := range s.gpus.parts {
			free := math.MaxInt
			if backfill {
				free = s.gpus.parts[k].free
			}
			s.free = append(s.free, free)
		}
		if backfill {
			s.misfit = append(s.misfit, make([]bool, len(s.line.kinds)-len(s.misfit))...)
		}
		k := s.line.first(s.free, s.misfit)
		if k == none {
			return
		}
		head, _ := s.line.head(k)
		if s.gpus.place(plan, head.job, s.line.kinds[k].gang, s.where) {
			s.line.remove(head.job)
		} else if backfill {
			s.misfit[k] = true // what is free only becomes less now
		} else {
			return
		}
	}
}

// say says why the jobs of the queue wait.
func (s *queueing) say(v sim.View, plan *sim.Plan, backfill bool, cloud, more string) {
	order := "first come, first served"
	if backfill {
		order = "the first job that fits what is free"
	}
	say(v, plan, order+cloud, func(j, gpus, ahead int) string {
		cluster := &s.gpus.parts[s.gpus.partOf[j]]
		switch {
		case !cluster.holds(s.gpus.quota, gpus, s.where):
			return fmt.Sprintf("no part of the cluster on which it runs could have %d GPUs "+
				"as close together as they are to be, even if it were empty%s", gpus, more)
		case ahead > 0 && !backfill:
			return fmt.Sprintf("it needs %d GPUs, and none passes those ahead of it%s", gpus, more)
		case gpus > cluster.free && backfill:
			return fmt.Sprintf("it needs %d GPUs, and fewer are free: smaller jobs pass it%s", gpus, more)
		case gpus > cluster.free:
			return fmt.Sprintf("it is next and needs %d GPUs: %d are free%s", gpus, cluster.free, more)
		}
		return fmt.Sprintf("it needs %d GPUs on as few servers as they fill: as many are free, but not there%s",
			gpus, more)
	})
}
