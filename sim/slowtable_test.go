package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// slowPlace is a machine of a layout with its factors of computing and of its network.
type slowPlace struct{ compute, network float64 }

// slowLayout is pipelines of stages, and what becomes of their machines; one stage is data-parallel training.
type slowLayout struct {
	pipelines, stages, microBatches int
	exposed, rest                   float64
	slow                            map[int]slowPlace // by place, pipeline by pipeline
}

// stepTime is the time of a step in which each of the micro-batches passes the stages of its pipeline one after the
// other, and a stage takes one at a time; then gradients pass the slowest link, and the rest follows. Fast machines take
// a time of 1.
func (x *slowLayout) stepTime() float64 {
	micro := (1 - x.exposed - x.rest) / float64(x.microBatches+x.stages-1)
	computed := 0.0
	network := 1.0
	for d := range x.pipelines {
		free := make([]float64, x.stages) // when a stage is free
		for range x.microBatches {
			at := 0.0
			for k := range free {
				factor := 1.0
				if place, is := x.slow[d*x.stages+k]; is {
					factor = place.compute
					network = max(network, place.network)
				}
				at = max(at, free[k]) + micro*factor
				free[k] = at
			}
		}
		computed = max(computed, free[x.stages-1])
	}
	return computed + x.exposed*network + x.rest
}

// law is that of a pool whose n-th machine is the n-th place.
func (x *slowLayout) law() *Slow {
	of := &Slow{Network: x.exposed, Rest: x.rest, MicroBatches: x.microBatches}
	for at := range x.pipelines * x.stages {
		if place, is := x.slow[at]; is {
			of.Episodes = append(of.Episodes, Episode{at, 0, Never, place.compute, place.network})
		}
	}
	return of
}

// simulated is the time of a step in a run.
func (x *slowLayout) simulated(t *testing.T) float64 {
	n := x.pipelines * x.stages
	policy := evenly{n: n}
	if x.stages > 1 {
		policy.pipelines = x.pipelines
		policy.stages = x.stages
	}
	return 1 / (1 - slowedShare(poolsWorld(t, n, []*Slow{x.law()}, gangOf{n: n, goal: 1e12}, policy).Run()))
}

// What a synchronous step loses, by the layout: the table of what fixed episodes cost, by its formulas, by the engine and
// micro-batch by micro-batch.
func TestSlowTable(t *testing.T) {
	numbers := near.Count(t)
	at := func(compute, network float64, places ...int) map[int]slowPlace {
		slow := map[int]slowPlace{}
		for _, place := range places {
			slow[place] = slowPlace{compute, network}
		}
		return slow
	}
	const f = 1.7
	for name, c := range map[string]struct {
		layout slowLayout
		want   float64
	}{
		"data-parallel, one":           {slowLayout{8, 1, 4, 0, 0, at(f, 1, 3)}, f},
		"data-parallel, three":         {slowLayout{8, 1, 4, 0, 0, at(f, 1, 1, 3, 6)}, f},
		"data-parallel, all":           {slowLayout{3, 1, 4, 0, 0, at(f, 1, 0, 1, 2)}, f},
		"with network and rest":        {slowLayout{8, 1, 4, 0.25, 0.15, at(f, 1, 3)}, 0.6*f + 0.4},
		"a slow link":                  {slowLayout{8, 1, 4, 0.25, 0.15, at(1, 3, 3)}, 1 + 0.25*2},
		"two slow links":               {slowLayout{8, 1, 4, 0.25, 0.15, at(1, 3, 3, 4)}, 1 + 0.25*2},
		"machine and link":             {slowLayout{8, 1, 4, 0.25, 0.15, at(f, 3, 3)}, 0.6*f + 0.25*3 + 0.15},
		"one slow stage":               {slowLayout{1, 4, 8, 0, 0, at(f, 1, 2)}, (3 + 8*f) / 11},
		"one stage, one micro-batch":   {slowLayout{1, 4, 1, 0, 0, at(f, 1, 2)}, (3 + f) / 4},
		"many micro-batches":           {slowLayout{1, 4, 1e6, 0, 0, at(f, 1, 2)}, (3 + 1e6*f) / (3 + 1e6)},
		"two in one pipeline":          {slowLayout{3, 4, 8, 0, 0, at(f, 1, 4, 6)}, (2 + 2*f + 7*f) / 11},
		"two in two pipelines":         {slowLayout{3, 4, 8, 0, 0, at(f, 1, 4, 9)}, (3 + 8*f) / 11},
		"last stages of all pipelines": {slowLayout{3, 4, 8, 0, 0, at(f, 1, 3, 7, 11)}, (3 + 8*f) / 11},
		"pipelines, a slow link":       {slowLayout{3, 4, 8, 0.2, 0.1, at(f, 2, 5)}, 0.7*(3+8*f)/11 + 0.2*2 + 0.1},
	} {
		numbers.Rel(name, c.layout.simulated(t), c.want, 1e-9)
		if c.layout.microBatches < 1e3 {
			numbers.Rel(name+", micro-batch by micro-batch", c.layout.stepTime(), c.want, 1e-9)
		}
	}
	// A tensor-parallel group is as slow as its slowest member: of one server, all of it; of several instances, as one.
	for name, groups := range map[string][]*Slow{
		"a group on a server":   {{Whole: true, Episodes: []Episode{{0, 0, Never, f, 1}}}, nil},
		"a group of instances":  {{Episodes: []Episode{{0, 0, Never, 1.2, 1}, {2, 0, Never, f, 1}}}, nil},
		"groups of two servers": {{Whole: true, Episodes: []Episode{{0, 0, Never, f, 1}}}, {Whole: true}},
	} {
		w := poolsWorld(t, 8, groups, gangOf{n: 8, goal: 1e12}, evenly{n: 8})
		numbers.Rel(name, 1/(1-slowedShare(w.Run())), f, 1e-9)
	}
}

// Drawn layouts: the engine takes the time that micro-batches take one by one.
func TestSlowDrawnLayouts(t *testing.T) {
	numbers := near.Count(t)
	for seed := range uint64(300) {
		draws := rand.New(rand.NewPCG(seed, 27))
		x := slowLayout{
			pipelines:    1 + draws.IntN(4),
			stages:       1 + draws.IntN(5),
			microBatches: 1 + draws.IntN(20),
			exposed:      draws.Float64() / 2,
			rest:         draws.Float64() / 2,
			slow:         map[int]slowPlace{},
		}
		for range draws.IntN(6) {
			x.slow[draws.IntN(x.pipelines*x.stages)] = slowPlace{1 + draws.ExpFloat64(), 1 + draws.ExpFloat64()}
		}
		numbers.Rel(fmt.Sprintf("seed %d: %+v", seed, x), x.simulated(t), x.stepTime(), 1e-9)
	}
}
