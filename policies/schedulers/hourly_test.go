package schedulers_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/sim"
)

// hourlyDraws gives the random numbers of one cluster, one after the other.
type hourlyDraws struct {
	sim.Rand
	n uint64
}

func newHourlyDraws(seed uint64) *hourlyDraws {
	return &hourlyDraws{Rand: sim.Rand{Seed: seed}, n: 1 << 40}
}

func (d *hourlyDraws) below(x float64) float64 {
	d.n++
	return x * d.Uniform(sim.PurposeUser, 7, d.n)
}

func (d *hourlyDraws) chance(p float64) bool { return d.below(1) < p }

// hourly is a small cluster of servers, spot and on demand on which everything changes at whole hours. Nothing boots,
// and all GPUs are as fast.
type hourly struct {
	hours int
	gpus  [][]int     // by pool and hour
	usd   [][]float64 // of a GPU-hour
	jobs  []hourlyJob
}

// hourlyJob is a gang that has hours of work from one hour until another.
type hourlyJob struct{ gang, from, until, work int }

// drawHourly draws a cluster that is small enough to enumerate all its schedules.
func drawHourly(seed uint64) *hourly {
	d := newHourlyDraws(seed)
	x := &hourly{hours: 4 + int(d.below(3))}
	for q := range 3 {
		usd := []float64{0, 1 + d.below(1), 3}[q]
		var gpus []int
		var prices []float64
		for range x.hours {
			gpus = append(gpus, []int{2, int(d.below(4)), 4}[q])
			prices = append(prices, usd*(1+float64(q%2)*d.below(0.5)))
		}
		x.gpus = append(x.gpus, gpus)
		x.usd = append(x.usd, prices)
	}
	for range 2 + int(d.below(2)) {
		j := hourlyJob{gang: 1 + int(d.below(2)), from: int(d.below(3)), work: 1 + int(d.below(2.5))}
		j.until = min(j.from+j.work+int(d.below(3)), x.hours)
		x.jobs = append(x.jobs, j)
	}
	return x
}

// config is the cluster as a run.
func (x *hourly) config(t *testing.T) sim.Config {
	var hs []sim.Trace
	for q := range x.gpus {
		h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(q), InstanceType: fmt.Sprint(q), Quota: slices.Max(x.gpus[q]),
			Reserved: q == 0, OnDemand: q == 2}}
		for i := range x.hours {
			h.Prices = append(h.Prices, sim.Price{At: sim.At(3600 * float64(i)), USD: x.usd[q][i]})
			h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(3600 * float64(i)), N: x.gpus[q][i]})
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(sim.At(3600*float64(x.hours)), hs)
	if err != nil {
		t.Fatal(err)
	}
	c := sim.Config{Market: m}
	for _, j := range x.jobs {
		c.Jobs = append(c.Jobs, sim.Job{
			Submit:    time.Duration(j.from) * time.Hour,
			Objective: sim.Objective{Within: time.Duration(j.until-j.from) * time.Hour},
			Model:     &throughput.Gang{GPUs: j.gang, Total: 3600 * float64(j.work)},
		})
	}
	return c
}

// enumerate returns the least cost of all schedules in which a job has its whole gang in one pool for a whole hour, or
// nothing.
func (x *hourly) enumerate() float64 {
	best := math.Inf(1)
	left := make([]int, len(x.jobs))
	free := make([]int, len(x.gpus))
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
