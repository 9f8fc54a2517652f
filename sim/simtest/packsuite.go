package simtest

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// newPackedTrials runs a policy that plans by tasks on types of instances, on demand and with spot. One that says that it rents
// nothing on demand has the GPUs of a cluster, on each of which there is room for two tasks.
func newPackedTrials(policy NewPolicy) (trials []*trial, err error) {
	for seed := range uint64(2) {
		if err := tried(func() error {
			if keepsToCluster(policy) {
				jobs := inPairs(Gangs(seed, 30, 4, 16, 0.9))
				trials = append(trials, newPacked(policy, seed, jobs, halves(Cluster(1, 4, 4))), newPacked(policy, seed, jobs, halves(withSpot(Cluster(1, 4, 4)))))
				return nil
			}
			jobs := Tasks(seed, 16)
			trials = append(trials, newPacked(policy, seed, jobs, Types()), newPacked(policy, seed, jobs, withSpotType(Types())))
			return nil
		}); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return trials, nil
}

// newPacked is a trial where the policy plans by tasks on instances that are shared.
func newPacked(policy NewPolicy, seed uint64, jobs []sim.Job, pools []sim.Trace) *trial {
	x := &trial{policy: policy, kind: tasks, seed: seed, jobs: jobs, market: merged(10*24*time.Hour, pools), recorded: census{held: map[[2]int]*lifetime{}},
		sharing: sim.Sharing{Keeps: keeps, Leave: time.Second, Return: time.Second}}
	x.totals = x.run(policy, &x.recorded)
	return x
}

// withSpotType adds spot instances of a type.
func withSpotType(pools []sim.Trace) []sim.Trace {
	more := withSpot([]sim.Trace{pools[2]})
	more[0].Name, more[0].OnDemand, more[0].Prices = "spot", false, []sim.Price{{USD: 5}, {At: sim.At(40_000), USD: 9}}
	return append(pools, more...)
}

// keepsToCluster reports whether a policy says that it rents nothing on demand.
func keepsToCluster(policy NewPolicy) bool {
	p, says := policy(merged(time.Hour, Types())).(interface{ RentsOnDemand() bool })
	return says && !p.RentsOnDemand()
}

// halves lets two tasks share a GPU.
func halves(pools []sim.Trace) []sim.Trace {
	for k := range pools {
		pools[k].Full = sim.Resources{1}
	}
	return pools
}

// inPairs is jobs each task of which takes half a GPU, of a few kinds.
func inPairs(jobs []sim.Job) []sim.Job {
	for j := range jobs {
		g := jobs[j].Model.(Gang)
		g.Alike, g.Need, g.Lossy = j%4, sim.Resources{0.5}, j%3 == 0
		g.Took = sim.TaskTimes{Launch: 5 * time.Second, Stop: time.Second, Save: 10 * time.Second}
		jobs[j].Model = g
	}
	return jobs
}

// keeps is what tasks keep beside others: those of some kinds more.
func keeps(_ *sim.Pool, of, other *sim.Job) float64 {
	return 0.98 - 0.05*float64((of.Model.(Gang).Alike+2*other.Model.(Gang).Alike)%4)
}

// Types is three types of instance on demand, that tasks share.
func Types() []sim.Trace {
	var pools []sim.Trace
	for _, x := range []struct {
		name string
		full sim.Resources
		usd  float64
	}{{"small", sim.Resources{1, 8, 60}, 3}, {"large", sim.Resources{4, 32, 240}, 12}, {"huge", sim.Resources{8, 64, 480}, 24}} {
		pools = append(pools, sim.Trace{Prices: []sim.Price{{USD: x.usd}}, Pool: sim.Pool{Name: x.name, InstanceType: x.name, OnDemand: true,
			Quota: 30, Full: x.full, Boot: sim.Boot{Median: 2 * time.Minute, Sigma: 0.1}}})
	}
	return pools
}

// Tasks is jobs of one or two tasks of a few kinds, drawn by a seed, where the policy plans by tasks.
func Tasks(seed uint64, n int) []sim.Job {
	jobs := Gangs(seed, n, 2, 12, 0.5)
	for j := range jobs {
		g := jobs[j].Model.(Gang)
		g.Alike = j % 4
		g.Need = sim.Resources{[]float64{1, 0, 2, 1}[g.Alike], []float64{4, 6, 8, 2}[g.Alike], []float64{24, 40, 60, 10}[g.Alike]}
		g.Took = sim.TaskTimes{Launch: 5 * time.Second, Build: 10 * time.Second, Image: g.Alike, Init: 20 * time.Second, Stop: time.Second, Save: 10 * time.Second}
		g.Lossy, g.Restart = j%3 == 0, 0
		if g.Alike == 1 {
			g.Need[0] = 0
		}
		jobs[j].Model = g
	}
	return jobs
}

// fitting checks at each decision that the tasks on every host fit there, and that the hosts are within the quota.
func (x *trial) fitting() error {
	check := &fitCheck{jobs: x.jobs}
	x.run(x.policy, check)
	return check.err
}

type fitCheck struct {
	jobs []sim.Job
	err  error
}

func (*fitCheck) Span(*sim.Span) {}

// Decision implements sim.Recorder.
func (c *fitCheck) Decision(v sim.View, _ *sim.Plan, _ bool) {
	held := make([]int, v.Pools())
	used := map[int]sim.Resources{}
	for _, j := range v.ActiveJobs() {
		g := c.jobs[j].Model.(Gang)
		for k := range g.GPUs {
			if on := v.Job(j).On(k); on != sim.Nowhere {
				used[on] = used[on].Plus(g.Need)
			}
		}
	}
	for k := range v.Hosts() {
		h := v.Host(k)
		if h.Granted != sim.Never {
			held[h.Pool]++
		}
		if full := v.Pool(h.Pool).Full; !full.Fits(sim.Resources{}, used[h.ID]) {
			c.err = fmt.Errorf("%v: tasks take %v of %s, which has %v", v.Now().Sub(0), used[h.ID], v.Pool(h.Pool).Name, full)
		}
	}
	for p, n := range held {
		if n > v.Pool(p).Quota {
			c.err = fmt.Errorf("%v: %d instances of pool %d, quota %d", v.Now().Sub(0), n, p, v.Pool(p).Quota)
		}
	}
}

// money adds up what the spans say that hosts cost, and compares it with the bill, and the bill with what the jobs and nobody
// have had.
func (x *trial) money() error {
	t := &x.totals
	usd, hours := 0.0, 0.0
	for i := range x.recorded.spans {
		s := &x.recorded.spans[i]
		for _, p := range s.Pools {
			held := float64(p.Starting+p.Ready+p.Noticed) * s.To.Sub(s.From).Hours()
			hours += held
			usd += held * p.Price
		}
	}
	lived := 0.0
	for _, i := range x.recorded.held {
		end := i.last
		if !i.over {
			end = t.End
		}
		lived += end.Sub(i.granted).Hours()
		if i.job != -1 {
			return fmt.Errorf("an instance is said to be of job %d, expected of the run", i.job)
		}
	}
	for j := range t.Jobs {
		if t.Jobs[j].Bill.Total() < 0 {
			return fmt.Errorf("job %d costs %v USD", j, t.Jobs[j].Bill.Total())
		}
	}
	if err := Bills(t); err != nil {
		return err
	}
	switch {
	case off(usd, t.Bill.Spot+t.Bill.OnDemand):
		return fmt.Errorf("the spans cost %v, the bill says %v", usd, t.Bill)
	case off(lived, hours):
		return fmt.Errorf("instances lived for %v h, spans say %v h", lived, hours)
	case off(t.Bill.Disks, hours*billing(x.seed).DiskUSDPerHour):
		return fmt.Errorf("disks cost %v USD for %v h", t.Bill.Disks, hours)
	}
	return nil
}
