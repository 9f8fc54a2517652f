// Package share has rules by which jobs share the GPUs of a cluster: what part of the time each
// is to run on GPUs of each model. They are those of Gavel (OSDI 2020) and of what it compares
// with, by its public code (stanford-futuredata/gavel at bc66833).
//
// A share is feasible if no part is below 0, no job has more than the whole time, and no model of
// GPU is used by more GPUs than there are.
package share

// Job is an unfinished job as a rule sees it.
type Job struct {
	ID    int       // unique; jobs are in ascending order of it, which is that of their arrival
	Kind  int       // jobs of a kind above 0 and of as many GPUs have the same speeds, alone and together with any other; 0: not known
	GPUs  int       // all at once, above 0
	Speed []float64 // alone, by model of GPU: steps/s, summed over its GPUs; 0: it does not run there

	Weight float64 // above 0
	Left   float64 // steps to do
	Age    float64 // s since its arrival
	Time   float64 // s until its deadline, +Inf for none; below 0: it is past
}

// Input is the state of a cluster when its GPUs are shared out.
type Input struct {
	GPUs  []int     // by model
	Price []float64 // USD/h by model, for rules that save money
	Jobs  []Job
	// Together returns the speeds of two jobs that share the GPUs of a model; nil: jobs do not
	// share GPUs. a and b are places in Jobs.
	Together func(a, b, model int) (of, other float64)
}

// Alone is Unit.B of a job that has its GPUs for itself.
const Alone = -1

// Unit is what gets a share: a job, or two jobs on the same GPUs. A is below B.
type Unit struct{ A, B int } // places in Input.Jobs

// Shares are the shares of units that have any. A unit is there once.
type Shares struct {
	Units []Unit
	X     [][]float64 // by unit and model
}

// Reset makes s empty.
func (s *Shares) Reset() { s.Units, s.X = s.Units[:0], s.X[:0] }

// Add adds a unit, with nothing, and returns its share by model.
func (s *Shares) Add(u Unit, models int) []float64 {
	s.Units = append(s.Units, u)
	if len(s.X) < cap(s.X) {
		s.X = s.X[:len(s.X)+1]
	} else {
		s.X = append(s.X, nil)
	}
	last := &s.X[len(s.X)-1]
	if cap(*last) < models {
		*last = make([]float64, models)
	}
	*last = (*last)[:models]
	clear(*last)
	return *last
}

// Rule shares out a cluster. Some rules remember what they did before (Rememberer): a rule serves
// one run.
type Rule interface {
	// Share sets x to the shares of the jobs.
	Share(in *Input, x *Shares)
}

// Knower is a Rule that asks how much work is left to jobs (Job.Left), or when they are to be done.
type Knower interface{ KnowsWork() bool }

// KnowsWork reports whether a rule is a Knower and does.
func KnowsWork(r Rule) bool {
	k, asks := r.(Knower)
	return asks && k.KnowsWork()
}

// Rememberer is a Rule that remembers what it did before.
type Rememberer interface {
	Rule
	// Clone returns a rule that goes on by itself from here.
	Clone() Rule
}

// all returns the GPUs of a cluster, of all models.
func (in *Input) all() int {
	n := 0
	for _, k := range in.GPUs {
		n += k
	}
	return n
}
