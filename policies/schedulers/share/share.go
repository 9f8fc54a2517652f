// Package share has what a rule is by which jobs share the GPUs of a cluster: what part of the time each is to run on
// GPUs of each model. It has Gavel's own rule (MaxMin; OSDI 2020), by its public code (stanford-futuredata/gavel at
// bc66833), and the linear program that rules solve (Program). The rules that Gavel compares with are in
// papers/gavel/rules.
//
// A share is feasible if no part is below 0, no job has more than the whole time, and no model of
// GPU is used by more GPUs than there are.
package share

// Job is an unfinished job as a rule sees it.
type Job struct {
	ID    int       // unique; jobs are in ascending order of it, which is that of their arrival
	Kind  int       // jobs of a kind above 0 and of as many GPUs have the same speeds; 0: not known
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
}

// Shares are the shares of jobs that have any. A job is there once.
type Shares struct {
	Jobs []int       // places in Input.Jobs
	X    [][]float64 // by place in Jobs, and model
}

// Reset makes s empty.
func (s *Shares) Reset() {
	s.Jobs = s.Jobs[:0]
	s.X = s.X[:0]
}

// Add adds a job, by its place in Input.Jobs, with nothing, and returns its share by model.
func (s *Shares) Add(job, models int) []float64 {
	s.Jobs = append(s.Jobs, job)
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
	total := 0
	for _, n := range in.GPUs {
		total += n
	}
	return total
}

// Running is the part of an input whose jobs run on GPUs that there are. Where a spot pool is full, a job may run on
// none: it has no speed whatever is shared out, so that the least of all speeds is 0 under any shares, and says
// nothing about those of the others.
type Running struct {
	in Input
	at []int // places in the whole input
}

// Of returns an input without the jobs that run on no GPUs that there are: the same one where all run.
func (a *Running) Of(in *Input) *Input {
	a.at = a.at[:0]
	for i := range in.Jobs {
		if in.runs(i) {
			a.at = append(a.at, i)
		}
	}
	if len(a.at) == len(in.Jobs) {
		return in
	}
	a.in = Input{GPUs: in.GPUs, Price: in.Price, Jobs: a.in.Jobs[:0]}
	for _, i := range a.at {
		a.in.Jobs = append(a.in.Jobs, in.Jobs[i])
	}
	return &a.in
}

// runs reports whether a job runs on GPUs that there are.
func (in *Input) runs(i int) bool {
	for m, n := range in.GPUs {
		if n > 0 && in.Jobs[i].Speed[m] > 0 {
			return true
		}
	}
	return false
}

// Only leaves the values of these jobs, of one by job of the whole input.
func (a *Running) Only(values []float64) []float64 {
	for k, i := range a.at {
		values[k] = values[i]
	}
	return values[:len(a.at)]
}

// Back gives jobs their places in the whole input.
func (a *Running) Back(x *Shares) {
	for k := range x.Jobs {
		x.Jobs[k] = a.at[x.Jobs[k]]
	}
}
