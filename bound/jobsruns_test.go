package bound_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/bound"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// anyCluster draws jobs on servers, spot and on demand: prices and capacity that move, notices that may be missing, boots of any length,
// models of GPU on which jobs are not as fast, networks, saves, deadlines that are tight, loose or missing.
func anyCluster(t testing.TB, seed uint64) sim.Config {
	t.Helper()
	d := &draws{Rand: sim.Rand{Seed: seed}, n: 1 << 50}
	const hours = 60
	var hs []sim.Trace
	add := func(name string, quota int, usd float64) *sim.Trace {
		h := pool(name, quota, usd)
		h.GPU, h.Region = []string{"a", "b"}[int(d.below(1.4))], "r"
		hs = append(hs, h)
		return &hs[len(hs)-1]
	}
	few := d.chance(0.5) // jobs, on what is there all the time: some runs are close to the bound
	for q := range int(d.below(4)) {
		add(fmt.Sprint("server", q), 4, []float64{0, 0.3}[int(d.below(1.5))]).Reserved = true
	}
	for q := range int(d.below(3)) {
		h := add(fmt.Sprint("spot", q), 4+int(d.below(8)), 0.5+d.below(1))
		h.Notice, h.NoticeMissing, h.Victim = time.Duration(d.below(240))*time.Second, d.below(0.5), sim.Victim(d.below(3))
		h.Boot = sim.Boot{Median: time.Duration(d.below(400e9)), Sigma: []float64{0, 0.1, 0.6}[int(d.below(3))]}
		usd := h.Prices[0].USD
		h.Capacity = []sim.Capacity{{N: int(d.below(10))}}
		for at := d.below(9000); at < hours*3600; at += 1 + d.below(20000) {
			h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(at), N: int(d.below(14))})
			h.Prices = append(h.Prices, sim.Price{At: sim.At(at), USD: usd * (0.6 + d.below(0.8))})
		}
	}
	demand := add("demand", 64, 2+d.below(2))
	demand.OnDemand, demand.Boot = true, sim.Boot{Median: time.Duration(d.below(300e9)), Sigma: max(d.below(0.6)-0.3, 0)}
	m := market(t, hours, hs...)
	c := sim.Config{Market: m, Seed: seed, Billing: billing(uint64(d.below(5)))}
	every, uneven := time.Duration(d.below(2))*10*time.Minute, d.chance(0.4)
	at := 0.0
	jobs := 8 + int(d.below(16))
	if few {
		jobs = 1 + jobs/8
	}
	for range jobs {
		at += -d.below(1.5) * 1800 * math.Log(1-d.below(1))
		g := &throughput.Gang{GPUs: 1 + int(d.below(4)), Total: 300 * math.Exp(d.below(4)), Restart: time.Duration(d.below(120e9)),
			SaveEvery: every, Save: every / 100}
		if uneven {
			speed := []float64{1, 0.3 + d.below(1)}
			for _, h := range hs {
				g.Speeds = append(g.Speeds, speed[map[string]int{"a": 0, "b": 1}[h.GPU]])
			}
		}
		if d.chance(0.3) {
			g.Network = &throughput.Network{Keeps: []float64{1, 0.9, 0.8}, Tiers: m.Tiers()}
		}
		job := sim.Job{Submit: sim.At(at).Sub(0), Model: g, Objective: sim.Objective{Within: sim.NoDeadline}}
		if d.chance(0.8) {
			job.Objective.Within = time.Duration((900 + g.Total*(1.1+d.below(4))) * 1e9)
		}
		c.Jobs = append(c.Jobs, job)
	}
	return c
}

// No run of a scheduler costs less than the bound of the jobs that it did, each by when it was done, nor less than that by the deadlines that it met.
func TestNoSchedulerBeatsTheBound(t *testing.T) {
	runs, done, late, onTime, closest := 0, 0, 0, 0, math.Inf(1)
	for seed := range seeds(1) {
		base := anyCluster(t, seed)
		for _, info := range policies.List() {
			if info.Needs != policies.Gangs {
				continue
			}
			c := base
			c.Policy = info.Defaults()
			if f, says := c.Policy.(interface{ Fits() schedulers.Fit }); says && f.Fits() == schedulers.OnGPU {
				c.Jobs = slices.Clone(c.Jobs)
				for j := range c.Jobs {
					g := *c.Jobs[j].Model.(*throughput.Gang)
					g.GPUs, c.Jobs[j].Model = 1, &g
				}
			}
			w, err := sim.New(c)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", info.Name, seed, err)
			}
			total := w.Run()
			ends, dues := make([]sim.Time, len(c.Jobs)), make([]sim.Time, len(c.Jobs))
			last := 0.0
			for j := range c.Jobs {
				job, x := &c.Jobs[j], &total.Jobs[j]
				if !x.Finished {
					continue
				}
				done++
				ends[j], dues[j] = sim.Time(0).Add(job.Submit+x.Elapsed), sim.Never
				if last = max(last, ends[j].Seconds()); x.Elapsed <= job.Objective.Within && job.Objective.Within < sim.NoDeadline {
					onTime++
					dues[j] = sim.Time(0).Add(job.Submit + job.Objective.Within)
				} else if job.Objective.Within < sim.NoDeadline {
					late++
				}
			}
			for what, due := range map[string][]sim.Time{"by its ends": ends, "by deadlines": dues} {
				b, err := bound.Jobs(c, due)
				if err != nil {
					t.Fatal(err)
				}
				usd := total.Bill.Total()
				if runs++; b.Contradicts(usd, last) {
					t.Errorf("%s, seed %d: %v USD, %v s, %s the bound is %+v", info.Name, seed, usd, last, what, b)
				}
				if b.USD > 0 {
					closest = min(closest, usd/b.USD)
				}
			}
		}
	}
	if done == 0 || late == 0 || onTime == 0 {
		t.Errorf("%d jobs done, %d late, %d on time: nothing was tried", done, late, onTime)
	}
	t.Logf("%d comparisons, %d jobs done, %d late, %d on time; the closest run costs %.4f of its bound", runs, done, late, onTime, closest)
}
