package bound_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/marigram/marigram/bound"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// hourly is a small cluster on which everything changes at whole hours.
type hourly struct {
	hours int
	gpus  [][]int     // by pool and hour
	usd   [][]float64 // of a GPU-hour
	boot  float64     // h, of every pool but the first
	jobs  []hourlyJob
}

type hourlyJob struct {
	gang, from, until, work int       // until: h; work: h at speed 1
	speed                   []float64 // by pool
}

// drawHourly draws a cluster, with or without boots and speeds that differ.
func drawHourly(seed uint64, plain bool) *hourly {
	d := &draws{Rand: sim.Rand{Seed: seed}, n: 1 << 40}
	x := &hourly{hours: 4 + int(d.below(3))}
	for q := range 3 {
		usd := []float64{0, 1 + d.below(1), 3}[q]
		var gpus []int
		var prices []float64
		for range x.hours {
			gpus = append(gpus, []int{2, int(d.below(4)), 4}[q])
			prices = append(prices, usd*(1+float64(q%2)*d.below(0.5)))
		}
		x.gpus, x.usd = append(x.gpus, gpus), append(x.usd, prices)
	}
	if !plain {
		x.boot = d.below(0.3)
	}
	for range 2 + int(d.below(2)) {
		j := hourlyJob{gang: 1 + int(d.below(2)), from: int(d.below(3)), speed: []float64{1, 1, 1}}
		j.work = 1 + int(d.below(2.5))
		j.until = min(j.from+j.work+int(d.below(3)), x.hours)
		for q := range j.speed {
			if !plain && d.chance(0.5) {
				j.speed[q] = 0.6 + d.below(1)
			}
		}
		x.jobs = append(x.jobs, j)
	}
	return x
}

// config is the cluster as a run.
func (x *hourly) config(t *testing.T) sim.Config {
	var hs []sim.Trace
	for q := range x.gpus {
		h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(q), InstanceType: fmt.Sprint(q), Quota: slices.Max(x.gpus[q]), Reserved: q == 0, OnDemand: q == 2}}
		if q > 0 {
			h.Boot = sim.Boot{Median: time.Duration(x.boot * float64(time.Hour))}
		}
		for i := range x.hours {
			h.Prices = append(h.Prices, sim.Price{At: sim.At(3600 * float64(i)), USD: x.usd[q][i]})
			h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(3600 * float64(i)), N: x.gpus[q][i]})
		}
		hs = append(hs, h)
	}
	c := sim.Config{Market: market(t, float64(x.hours), hs...)}
	for _, j := range x.jobs {
		c.Jobs = append(c.Jobs, sim.Job{Submit: time.Duration(j.from) * time.Hour, Objective: sim.Objective{Within: time.Duration(j.until-j.from) * time.Hour},
			Model: &throughput.Gang{GPUs: j.gang, Total: 3600 * float64(j.work), Speeds: j.speed}})
	}
	return c
}

// spreads are all ways to hold a whole gang in an hour: GPUs by pool.
func (x *hourly) spreads(gang, i int) (all [][]int) {
	for a := range gang + 1 {
		for b := range gang - a + 1 {
			if n := []int{a, b, gang - a - b}; n[0] <= x.gpus[0][i] && n[1] <= x.gpus[1][i] && n[2] <= x.gpus[2][i] {
				all = append(all, n)
			}
		}
	}
	return all
}

// programme is the same linear programme, an hour and a way to spread a gang at a time, by the simplex method; +Inf: there is no solution.
func (x *hourly) programme() (float64, error) {
	type column struct {
		job, hour int
		gpus      []int
	}
	var columns []column
	for j, job := range x.jobs {
		for i := job.from; i < job.until; i++ {
			for _, n := range x.spreads(job.gang, i) {
				columns = append(columns, column{j, i, n})
			}
		}
	}
	nj, np, slack := len(x.jobs), len(x.gpus), len(columns)
	capacities := np * x.hours
	rows := capacities + nj*x.hours
	a, b, c := mat.NewDense(rows+nj, slack+rows, nil), make([]float64, rows+nj), make([]float64, slack+rows)
	for k := range rows {
		a.Set(k, slack+k, 1)
		if b[k] = 1; k < capacities {
			b[k] = float64(x.gpus[k/x.hours][k%x.hours])
		}
	}
	for k, y := range columns {
		job := &x.jobs[y.job]
		speed := math.Inf(1)
		for q, n := range y.gpus {
			if n > 0 {
				speed = min(speed, job.speed[q])
			}
		}
		part := speed / float64(job.work)
		a.Set(capacities+y.job*x.hours+y.hour, k, 1)
		a.Set(rows+y.job, k, part)
		for q, n := range y.gpus {
			a.Set(q*x.hours+y.hour, k, float64(n))
			if c[k] += float64(n) * x.usd[q][y.hour]; q > 0 {
				c[k] += float64(n) * part * x.boot * x.smallest(job, q)
			}
		}
	}
	for j := range x.jobs {
		b[rows+j] = 1
	}
	usd, _, err := lp.Simplex(c, a, b, 1e-10, nil)
	if err == lp.ErrInfeasible {
		return math.Inf(1), nil
	}
	return usd, err
}

// smallest is the lowest price of a pool while a job may run and it has capacity; 0 without any.
func (x *hourly) smallest(job *hourlyJob, q int) float64 {
	smallest := math.Inf(1)
	for i := job.from; i < job.until; i++ {
		if x.gpus[q][i] > 0 {
			smallest = min(smallest, x.usd[q][i])
		}
	}
	if math.IsInf(smallest, 1) {
		return 0
	}
	return smallest
}

// enumerate returns the least cost of all schedules in which a job has its whole gang in one pool for a whole hour, or nothing; speeds are 1
// and boots take no time.
func (x *hourly) enumerate() float64 {
	best, left, free := math.Inf(1), make([]int, len(x.jobs)), make([]int, len(x.gpus))
	for j := range left {
		left[j] = x.jobs[j].work
	}
	var hour func(i int, usd float64)
	var choose func(i, j int, usd float64)
	hour = func(i int, usd float64) {
		if usd >= best {
			return
		}
		if i == x.hours {
			if slices.Max(left) == 0 {
				best = usd
			}
			return
		}
		for q := range free {
			free[q] = x.gpus[q][i]
		}
		choose(i, 0, usd)
	}
	choose = func(i, j int, usd float64) {
		if j == len(x.jobs) {
			was := slices.Clone(free)
			hour(i+1, usd)
			copy(free, was)
			return
		}
		choose(i, j+1, usd)
		job := &x.jobs[j]
		if i < job.from || i >= job.until || left[j] == 0 {
			return
		}
		for q := range free {
			if free[q] >= job.gang {
				free[q] -= job.gang
				left[j]--
				choose(i, j+1, usd+float64(job.gang)*x.usd[q][i])
				left[j]++
				free[q] += job.gang
			}
		}
	}
	hour(0, 0)
	return best
}

// The bound of many jobs is the optimum of its linear programme, by the simplex method too, and no schedule of all that there are on small
// clusters costs less.
func TestJobsAreTheProgramme(t *testing.T) {
	check := near.Count(t)
	solved, infeasible, met, ratio := 0, 0, 0, 0.0
	for seed := range uint64(60) {
		x := drawHourly(seed, seed%2 == 0)
		b, err := bound.Jobs(x.config(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := x.programme(); err == nil {
			solved++
			if math.IsInf(want, 1) != !b.Possible() || b.Possible() && check.Off(b.USD, want, 1e-5*(want+1)) {
				t.Errorf("seed %d: %v USD, by the simplex method %v", seed, b.USD, want)
			}
			if !b.Possible() {
				infeasible++
			}
		}
		if seed%2 != 0 {
			continue
		}
		best := x.enumerate()
		if b.USD > best*(1+1e-9)+1e-9 {
			t.Errorf("seed %d: the bound is %v USD, a schedule costs %v", seed, b.USD, best)
		}
		if best > 0 && !math.IsInf(best, 1) {
			met, ratio = met+1, ratio+b.USD/best
		}
	}
	if solved < 50 || infeasible == 0 || met < 10 {
		t.Errorf("%d programmes solved, %d without a solution, %d clusters with a schedule: too few to say anything", solved, infeasible, met)
	}
	t.Logf("%d programmes solved, %d infeasible; the bound is %.3f of the cheapest schedule in the mean of %d", solved, infeasible, ratio/float64(met), met)
}

// One job on one GPU costs its price, and its boot; two that need the same free servers cost what one of them rents.
func TestJobsByHand(t *testing.T) {
	check := near.Count(t)
	gang := func(gpus int, hours float64) sim.Model { return &throughput.Gang{GPUs: gpus, Total: 3600 * hours} }
	job := func(gpus int, hours float64, within time.Duration) sim.Job {
		return sim.Job{Model: gang(gpus, hours), Objective: sim.Objective{Within: within}}
	}
	servers, demand := pool("server", 2, 0), pool("demand", 8, 3)
	servers.Reserved, demand.OnDemand, demand.Boot = true, true, sim.Boot{Median: 6 * time.Minute}
	for what, x := range map[string]struct {
		jobs  []sim.Job
		pools []sim.Trace
		usd   float64
	}{
		"on demand":       {[]sim.Job{job(2, 1, 2*time.Hour)}, []sim.Trace{demand}, 2 * 3 * 1.1},
		"on servers":      {[]sim.Job{job(2, 1, 2*time.Hour)}, []sim.Trace{servers, demand}, 0},
		"one of two":      {[]sim.Job{job(2, 1, time.Hour), job(2, 1, time.Hour)}, []sim.Trace{servers, demand}, 2 * 3 * 1.1},
		"later":           {[]sim.Job{job(2, 1, time.Hour), job(2, 1, 2*time.Hour)}, []sim.Trace{servers, demand}, 0},
		"in half of it":   {[]sim.Job{job(2, 1, time.Hour), job(2, 1, 90*time.Minute)}, []sim.Trace{servers, demand}, 3 * 1.1},
		"too large":       {[]sim.Job{job(9, 1, time.Hour)}, []sim.Trace{demand}, math.Inf(1)},
		"too many":        {[]sim.Job{job(5, 1, time.Hour), job(5, 1, time.Hour)}, []sim.Trace{demand}, math.Inf(1)},
		"too late":        {[]sim.Job{job(1, 1, 59*time.Minute)}, []sim.Trace{demand}, math.Inf(1)},
		"without a limit": {[]sim.Job{job(2, 10, sim.NoDeadline)}, []sim.Trace{demand}, 2 * 3 * 10.1},
	} {
		b, err := bound.Jobs(sim.Config{Market: market(t, 24, x.pools...), Jobs: x.jobs}, nil)
		if err != nil || b.USD != x.usd && check.Off(b.USD, x.usd, 1e-5*(1+x.usd)) {
			t.Errorf("%s: %+v, %v, expected %v USD", what, b, err, x.usd)
		}
	}
}

func TestJobsRefused(t *testing.T) {
	good := sim.Config{Market: market(t, 8, pool("t", 4, 1)), Jobs: []sim.Job{{Model: &throughput.Gang{GPUs: 1, Total: 60}}}}
	for says, change := range map[string]func(*sim.Config){
		"first hours": func(c *sim.Config) { c.Billing.FreeFirstHour = true },
		"is no gang":  func(c *sim.Config) { c.Jobs = []sim.Job{{Model: asp(t, 4.6, "p3.2xlarge")}} },
		"has commitments": func(c *sim.Config) {
			h := pool("t", 4, 1)
			h.Commitments = []sim.Commitment{{Instances: 1, USDPerHour: 1, Until: sim.Never}}
			c.Market = market(t, 8, h)
		},
		"expected at most 3000 and 500000": func(c *sim.Config) { c.Jobs = many(1000) },
	} {
		c := good
		change(&c)
		if _, err := bound.Jobs(c, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}

// many are a number of jobs, one after the other, that may all run until the end.
func many(n int) (jobs []sim.Job) {
	for j := range n {
		jobs = append(jobs, sim.Job{Submit: time.Duration(j) * time.Second,
			Model: &throughput.Gang{GPUs: 1, Total: 60}, Objective: sim.Objective{Within: sim.NoDeadline}})
	}
	return jobs
}
