package eva

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// state is what Eva remembers.
type state struct {
	planner Planner
	full    []sim.Time  // by pool: until when it is not asked
	jobs    []int       // that are there, in the order of their arrival
	of      []*job      // by slot of job
	kinds   map[int]int // by number of a kind of task: its kind here, in the order in which they came
	moving  []moved     // by kind of task

	planned    map[int][]*Task // by host: in the order in which they were planned
	last       []*job          // movable at the last decision
	events     int             // jobs that came or went
	first, end sim.Time
	fullPlans  int // plans of all tasks that were taken

	running []Running // scratch
	hosts   []sim.Host
}

// job is what Eva knows of a job.
type job struct {
	slot    int
	tasks   []Task
	alone   float64 // USD/s of instances for it alone
	arrived sim.Time
	ended   sim.Time // Never while it is there
	movable bool     // at this decision
	left    bool     // it has been moved
}

// moved is the longest that tasks of a kind were seen to take for the parts of a move.
type moved struct{ launch, save float64 }

// hear notes which jobs came and went, and reports whether the cloud takes something.
func (s *state) hear(v sim.View, plan *sim.Plan) (urgent bool) {
	for _, x := range v.JobChanges() {
		switch x.What {
		case sim.JobSubmitted:
			s.add(v, plan, x.Job)
		case sim.JobFinished, sim.JobLost:
			s.of[x.Job].ended = v.Now()
			s.of[x.Job] = nil
			s.jobs = slices.DeleteFunc(s.jobs, func(j int) bool { return j == x.Job })
		case sim.JobHit:
			urgent = true
		}
	}
	return urgent || v.Trigger()&sim.TriggerGone != 0
}

// add adds a job that has come, with where its tasks are by the plan, on instances that were taken over.
func (s *state) add(v sim.View, plan *sim.Plan, slot int) {
	for len(s.of) <= slot {
		s.of = append(s.of, nil)
	}
	model := v.Job(slot).Model().(sim.TaskModel)
	j := &job{slot: slot, tasks: make([]Task, model.Gang()), arrived: v.Job(slot).Submitted(), ended: sim.Never}
	demand := make([]Resources, v.Pools())
	for p := range demand {
		need, runs := model.Demand(p)
		switch {
		case !runs:
			demand[p] = Nowhere
		case v.Pool(p).Full == (sim.Resources{}):
			demand[p] = whole
		default:
			demand[p] = need
		}
	}
	for k := range j.tasks {
		j.tasks[k] = Task{ID: slot<<taskBits + k, Kind: s.kindOf(model, k), Demand: demand, Tasks: len(j.tasks)}
		if host := plan.Assigned(slot, k); host != sim.Nowhere {
			s.planned[host] = append(s.planned[host], &j.tasks[k])
		}
	}
	s.of[slot] = j
	s.jobs = append(s.jobs, slot)
}

// taskBits is how many bits of Task.ID say which task of its job it is.
const taskBits = 20

// maxKinds is how many tasks of a job are distinguished.
const maxKinds = 8

// kindOf returns the kind of the k-th task of a job.
func (s *state) kindOf(m sim.TaskModel, k int) int {
	number := m.Kind()*maxKinds + min(k, maxKinds-1)
	kind, known := s.kinds[number]
	if !known {
		kind = len(s.kinds)
		s.kinds[number] = kind
		s.planner.Speed.Rank = append(s.planner.Speed.Rank, int32(number))
	}
	return kind
}

// jobOf returns the job of a task.
func (s *state) jobOf(t *Task) *job { return s.of[t.ID>>taskBits] }

// whole is an instance that is not shared.
var whole = sim.Resources{1}

// countFree says how many more of each type can be rented.
func (s *state) countFree(v sim.View) {
	for p := range s.planner.Types {
		free := v.Free(p)
		if s.full[p] > v.Now() {
			free = 0
		}
		s.planner.Types[p].Free = free
	}
	s.planner.Reset()
}
