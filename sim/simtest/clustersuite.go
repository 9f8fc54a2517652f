package simtest

import (
	"fmt"
	"math"
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
	h := &pools[len(pools)-1]
	h.Reserved, h.Notice = false, 2*time.Minute
	h.Capacity = []sim.Capacity{{N: h.Quota}}
	for day := range 10 {
		noon := sim.Time(0).Add(time.Duration(day)*24*time.Hour + 3*time.Hour)
		h.Capacity = append(h.Capacity, sim.Capacity{At: noon, N: day % h.Quota}, sim.Capacity{At: noon.Add(time.Hour), N: h.Quota})
	}
	return pools
}

// clusterForks runs forks of the world and compares them and their parent with one that was
// never forked.
func (x *trial) clusterForks() error {
	alone := *x.unrecorded()
	var fork sim.World
	parent := world(x.config(x.policy(x.market), x.seed, nil))
	for at := time.Hour; at < 20*time.Hour && parent.RunUntil(sim.Time(0).Add(at)); at += 5 * time.Hour {
		parent.Fork(&fork, x.policy(x.market))
		if err := same("a fork goes its own way", alone, clone(fork.Run())); err != nil {
			return err
		}
	}
	return same("a fork changes its parent", alone, clone(parent.Run()))
}

// gangs checks that a job is given all its GPUs or none.
func (x *trial) gangs() error {
	for _, d := range x.recorded.decisions {
		for j, hold := range d.holds {
			n := 0
			for _, k := range hold {
				n += k
			}
			if g := x.jobs[j].Model.(sim.GangModel).Gang(); n != 0 && n != g {
				return fmt.Errorf("%v: job %d, a gang of %d, is to hold %d", d.at.Sub(0), j, g, n)
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
	now, longer := *x, *x
	now.jobs = slices.Clone(x.jobs)
	for j := range now.jobs {
		now.jobs[j].Submit = 0 // more than the cluster has room for
	}
	longer.jobs = slices.Clone(now.jobs)
	for j := range longer.jobs {
		g := longer.jobs[j].Model.(Gang)
		g.Seconds *= 10 + float64(5*j%7)
		longer.jobs[j].Model = g
	}
	var a, b diary
	first := sim.Never
	for _, t := range clone(world(now.config(p, x.seed, &a)).Run()).Jobs {
		if t.Finished {
			first = min(first, sim.Time(0).Add(t.Elapsed))
		}
	}
	world(longer.config(x.policy(x.market), x.seed, &b)).RunUntil(first)
	return same(fmt.Sprintf("before the first job ends, at %v, decisions depend on how long jobs run", first.Sub(0)), a.before(first), b.before(first))
}

// starvation checks that every job ends, within that many times the whole work.
func (x *trial) starvation() error {
	work := 0.0
	for _, j := range x.jobs {
		work += j.Model.(Gang).Seconds
	}
	longest := time.Duration(work * float64(time.Second)) // one after the other
	for j, t := range x.totals.Jobs {
		if !t.Finished || t.Elapsed > longest {
			return fmt.Errorf("job %d: ended %v after %v, done %.3f; all jobs one after the other take %v", j, t.Finished, t.Elapsed, t.Done, longest)
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
	c := x.config(p, x.seed, nil)
	reported := outcomes{jobs: make([]sim.JobTotals, len(x.jobs))}
	c.Source, c.Jobs, c.JobRecorder = listed(x.jobs), nil, reported
	w := world(c)
	w.Run()
	if w.Err() != nil {
		return w.Err()
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
	*job, r.jobs = r.jobs[0], r.jobs[1:]
	return true, nil
}

// Fork implements sim.Arrivals.
func (r *rest) Fork() sim.Arrivals { return &rest{r.jobs} }

// Gang is a job of a cluster: a number of GPUs at once, or nothing. Its progress is seconds, on any GPUs.
type Gang struct {
	GPUs    int
	Seconds float64       // of work
	Share   float64       // weight; 0 means 1
	Restart time.Duration // until it goes on after it was stopped or moved
	Save    time.Duration // how long a checkpoint stops it
	Need    sim.Resources // of each task, where instances are shared; a task is then what is counted as a GPU
	Took    sim.TaskTimes // the same
	Alike   int           // its kind (sim.TaskModel)
	Lossy   bool          // the loss of GPUs to the cloud takes it back to its last save
	Spread  *Spread       // slows it down by how far apart its GPUs are; nil: it does not
}

// Spread is the part of its speed that a gang of several GPUs keeps by how far apart they are.
type Spread struct {
	Keeps []float64 // by sim.Market.Apart
	On    *sim.Market
}

// keeps is the part that it keeps on a layout.
func (s *Spread) keeps(l *sim.Layout) float64 {
	apart, first := 0, -1
	for k, n := range l.Workers {
		switch {
		case n == 0:
		case first < 0:
			first = l.Pool(k)
		default:
			apart = max(apart, s.On.Apart(first, l.Pool(k)))
		}
	}
	return s.Keeps[apart]
}

// Gang implements sim.GangModel.
func (g Gang) Gang() int { return g.GPUs }

// Work implements sim.GangModel.
func (g Gang) Work() float64 { return g.Seconds }

// Weight implements sim.GangModel.
func (g Gang) Weight() float64 {
	if g.Share == 0 {
		return 1
	}
	return g.Share
}

// Kind implements sim.TaskModel.
func (g Gang) Kind() int { return g.Alike<<10 + g.GPUs }

// Demand implements sim.TaskModel.
func (g Gang) Demand(int) (sim.Resources, bool) { return g.Need, true }

// Times implements sim.TaskModel.
func (g Gang) Times() sim.TaskTimes { return g.Took }

// Rate implements sim.Model.
func (g Gang) Rate(l *sim.Layout) sim.Rate {
	if l.Total() != g.GPUs {
		return sim.Rate{}
	}
	speed := 1.0
	if g.Spread != nil && g.GPUs > 1 {
		speed = g.Spread.keeps(l)
	}
	return sim.Rate{Progress: speed, Iterations: speed, Samples: speed, Working: int32(g.GPUs)}
}

// Begin implements sim.Model.
func (Gang) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model: the loss is the work that is left.
func (g Gang) Goal(loss float64) float64 { return g.Seconds - loss }

// Loss implements sim.Model.
func (g Gang) Loss(progress float64) float64 { return g.Seconds - progress }

// Change implements sim.Model.
func (g Gang) Change(c *sim.Change) sim.Pause {
	return sim.Pause{Stall: g.Restart, As: sim.Restoring, Rollback: g.Lossy && c.Lost > 0}
}

// SaveTime implements sim.Model.
func (g Gang) SaveTime(*sim.Layout) (stall, persist time.Duration) { return g.Save, 0 }

// Cluster is a cluster of a fixed size: racks of servers of a number of GPUs, a pool each, at a
// dollar an hour.
func Cluster(racks, servers, gpus int) []sim.Trace {
	var pools []sim.Trace
	for k := range racks * servers {
		pools = append(pools, sim.Trace{
			Pool:   sim.Pool{Name: fmt.Sprint("server-", k), Region: fmt.Sprint("rack-", k/servers), InstanceType: "gpu", Reserved: true, Quota: gpus},
			Prices: []sim.Price{{USD: 1}},
		})
	}
	return pools
}

// purposeGangs draws the jobs of Gangs.
const purposeGangs = sim.PurposeUser + 101

// Gangs returns n jobs of up to most GPUs, a power of two, that load a cluster of GPUs to a share of
// what it can do, drawn by a seed: short ones and a few long ones.
func Gangs(seed uint64, n, largest, gpus int, load float64) []sim.Job {
	draws := sim.Rand{Seed: seed}.Stream(purposeGangs, 0)
	jobs, work := make([]sim.Job, n), 0.0
	for j := range jobs {
		k := uint64(4 * j)
		size := 1 << draws.Intn(k, 1+int(math.Log2(float64(largest))))
		g := Gang{GPUs: size, Seconds: math.Round(math.Exp(5 + 4*draws.Uniform(k+1))), Restart: 5 * time.Second}
		work += g.Seconds * float64(size)
		jobs[j] = sim.Job{Name: fmt.Sprint("job-", j), Model: g, Objective: sim.Objective{Within: 24 * time.Hour}}
	}
	gap, at := work/float64(n)/float64(gpus)/load, 0.0
	for j := range jobs {
		jobs[j].Submit = time.Duration(math.Round(at)) * time.Second
		at += gap * draws.Exponential(uint64(4*j+2))
	}
	return jobs
}
