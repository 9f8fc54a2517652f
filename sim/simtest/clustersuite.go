package simtest

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// newGangTrials runs a policy on the jobs of clusters without and with spot capacity.
func newGangTrials(policy NewPolicy, largest int) (trials []*trial, err error) {
	for seed := range uint64(2) {
		if err := tried(func() error {
			jobs := Gangs(seed, 40, largest, 24, 0.6)
			trials = append(trials, newTrialOn(policy, gangs, seed, jobs, merged(10*24*time.Hour, Cluster(2, 3, 4))),
				newTrialOn(policy, spotGangs, seed, jobs[:20], merged(10*24*time.Hour, withSpot(Cluster(1, 4, 4)))))
			return nil
		}); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return trials, nil
}

// withSpot makes the last pool of a cluster one of spot capacity, of which the cloud takes a part
// each day.
func withSpot(pools []sim.Trace) []sim.Trace {
	trace := &pools[len(pools)-1]
	trace.Reserved = false
	trace.Notice = 2 * time.Minute
	trace.Capacity = []sim.Capacity{{N: trace.Quota}}
	for day := range 10 {
		noon := sim.Time(0).Add(time.Duration(day)*24*time.Hour + 3*time.Hour)
		trace.Capacity = append(trace.Capacity,
			sim.Capacity{At: noon, N: day % trace.Quota}, sim.Capacity{At: noon.Add(time.Hour), N: trace.Quota})
	}
	return pools
}

// clusterForks runs forks of the world and compares them and their parent with one that was
// never forked.
func (x *trial) clusterForks() error { return x.forksAt(time.Hour, 5*time.Hour, 20*time.Hour) }

// gangs checks that a job is given all its GPUs or none.
func (x *trial) gangs() error {
	for _, decision := range x.recorded.decisions {
		for j, hold := range decision.holds {
			n := 0
			for _, k := range hold {
				n += k
			}
			gang := x.jobs[j].Model.(sim.GangModel).Gang()
			if n != 0 && n != gang {
				return fmt.Errorf("%v: job %d, a gang of %d, is to hold %d", decision.at.Sub(0), j, gang, n)
			}
		}
	}
	return nil
}

// durations makes all jobs longer, some more than others, and compares the decisions until the first one ends.
func (x *trial) durations() error {
	p := x.policy(x.market)
	if knows := sim.TraitsOf(p); knows.KnowsWork || knows.KnowsFuture {
		return nil
	}
	now := *x
	longer := *x
	now.jobs = slices.Clone(x.jobs)
	for j := range now.jobs {
		now.jobs[j].Submit = 0 // more than the cluster has room for
	}
	longer.jobs = slices.Clone(now.jobs)
	for j := range longer.jobs {
		gang := longer.jobs[j].Model.(Gang)
		gang.Seconds *= 10 + float64(5*j%7)
		longer.jobs[j].Model = gang
	}
	var usual, otherwise diary
	first := sim.Never
	for _, t := range clone(world(now.config(p, x.seed, &usual)).Run()).Jobs {
		if t.Finished {
			first = min(first, sim.Time(0).Add(t.Elapsed))
		}
	}
	world(longer.config(x.policy(x.market), x.seed, &otherwise)).RunUntil(first)
	what := fmt.Sprintf("before the first job ends, at %v, decisions depend on how long jobs run", first.Sub(0))
	return same(what, usual.before(first), otherwise.before(first))
}

// starvation checks that every job ends, within that many times the whole work.
func (x *trial) starvation() error {
	work := 0.0
	for _, j := range x.jobs {
		work += j.Model.(Gang).Seconds
	}
	longest := time.Duration(work * float64(time.Second)) // one after the other
	for j := range x.totals.Jobs {
		job := &x.totals.Jobs[j]
		if !job.Finished || job.Elapsed > longest {
			return fmt.Errorf("job %d: ended %v after %v, done %.3f; all jobs one after the other take %v",
				j, job.Finished, job.Elapsed, job.Done, longest)
		}
	}
	return nil
}

// sources runs a scheduler with its jobs from a source, and compares what became of them.
func (x *trial) sources() error {
	p := x.policy(x.market)
	if sim.TraitsOf(p).Plans == sim.ByHold {
		return nil
	}
	config := x.config(p, x.seed, nil)
	reported := outcomes{jobs: make([]sim.JobTotals, len(x.jobs))}
	config.Source = listed(x.jobs)
	config.Jobs = nil
	config.JobRecorder = reported
	run := world(config)
	run.Run()
	if run.Err() != nil {
		return run.Err()
	}
	return same("jobs from a source end otherwise", x.unrecorded().Jobs, reported.jobs)
}

// outcomes keeps what becomes of jobs.
type outcomes struct{ jobs []sim.JobTotals }

func (outcomes) Job(sim.Time, int, sim.JobEvent)              {}
func (o outcomes) Ended(id int, _ *sim.Job, t *sim.JobTotals) { o.jobs[id] = *t }

// listed is jobs in the order of their submission, as a source.
type listed []sim.Job

// Open implements sim.Source.
func (l listed) Open() sim.Arrivals { return &rest{l} }

// rest is what is left of a list.
type rest struct{ jobs listed }

// Next implements sim.Arrivals.
func (r *rest) Next(job *sim.Job) (bool, error) {
	if len(r.jobs) == 0 {
		return false, nil
	}
	*job = r.jobs[0]
	r.jobs = r.jobs[1:]
	return true, nil
}

// Fork implements sim.Arrivals.
func (r *rest) Fork() sim.Arrivals { return &rest{r.jobs} }
