package simtest

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Gang is a job of a cluster: a number of GPUs at once, or nothing. Its progress is seconds, on any GPUs.
type Gang struct {
	GPUs    int
	Seconds float64       // of work
	Share   float64       // weight; 0 means 1
	Restart time.Duration // until it goes on after it was stopped or moved
	Save    time.Duration // how long a checkpoint stops it
	Lossy   bool          // the loss of GPUs to the cloud takes it back to its last save
	Spread  *Spread       // slows it down by how far apart its GPUs are; nil: it does not
}

// Spread is the part of its speed that a gang of several GPUs keeps by how far apart they are.
type Spread struct {
	Keeps []float64 // by sim.Market.Apart
	On    *sim.Market
}

// keeps is the part that it keeps on a layout.
func (s *Spread) keeps(layout *sim.Layout) float64 {
	apart := 0
	first := -1
	for k, n := range layout.Workers {
		switch {
		case n == 0:
		case first < 0:
			first = layout.Pool(k)
		default:
			apart = max(apart, s.On.Apart(first, layout.Pool(k)))
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

// Rate implements sim.Model.
func (g Gang) Rate(layout *sim.Layout) sim.Rate {
	if layout.Total() != g.GPUs {
		return sim.Rate{}
	}
	speed := 1.0
	if g.Spread != nil && g.GPUs > 1 {
		speed = g.Spread.keeps(layout)
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
func (g Gang) Change(change *sim.Change) sim.Pause {
	return sim.Pause{Stall: g.Restart, As: sim.Restoring, Rollback: g.Lossy && change.Lost > 0}
}

// SaveTime implements sim.Model.
func (g Gang) SaveTime(*sim.Layout) (stall, persist time.Duration) { return g.Save, 0 }

// Cluster is a cluster of a fixed size: racks of servers of a number of GPUs, a pool each, at a
// dollar an hour.
func Cluster(racks, servers, gpus int) []sim.Trace {
	var pools []sim.Trace
	for k := range racks * servers {
		pools = append(pools, sim.Trace{
			Pool: sim.Pool{
				Name: fmt.Sprint("server-", k), Region: fmt.Sprint("rack-", k/servers), InstanceType: "gpu",
				Reserved: true, Quota: gpus,
			},
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
	jobs := make([]sim.Job, n)
	work := 0.0
	for j := range jobs {
		k := uint64(4 * j)
		size := 1 << draws.Intn(k, 1+int(math.Log2(float64(largest))))
		gang := Gang{GPUs: size, Seconds: math.Round(math.Exp(5 + 4*draws.Uniform(k+1))), Restart: 5 * time.Second}
		work += gang.Seconds * float64(size)
		jobs[j] = sim.Job{Name: fmt.Sprint("job-", j), Model: gang, Objective: sim.Objective{Within: 24 * time.Hour}}
	}
	gap := work / float64(n) / float64(gpus) / load
	at := 0.0
	for j := range jobs {
		jobs[j].Submit = time.Duration(math.Round(at)) * time.Second
		at += gap * draws.Exponential(uint64(4*j+2))
	}
	return jobs
}
