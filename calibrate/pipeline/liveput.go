package pipeline

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Liveput is the throughput that is expected to be left after preemptions, the
// measure of Parcae (Duan et al., NSDI 2024), equation 1:
//
//	liveput(D, P, V) = E over v of V of throughput(D_v, P_v)
//
// with all sets of the preempted instances equally likely, as the paper takes it.

// What is too much to count is sampled by n draws.
const (
	draws = 2_000

	purposePreempted sim.Purpose = sim.PurposeUser + 300
)

// Exposed is a layout of which some instances, it is not known which, are preempted.
type Exposed struct {
	Pipelines, Stages int // D and P, at least 1; one instance a place
	Instances         int // that there are, those without a place included: at least D*P
	Preempted         int // of them, 0 to Instances
}

// survive returns the probability of each number of pipelines, 0 to D, that work
// after the preemptions, in closed form; from draws where the sets are too many for
// a float64, as of 500 of 1,100 instances. Without repair a pipeline is lost with
// any of its places. With repair the survivors change pipelines but not stages:
// as many pipelines work as the stage with the fewest replicas has. Instances
// without a place do not step in.
func (e Exposed) survive(repair bool) []float64 {
	e.check()
	chances := make([]float64, e.Pipelines+1)
	if !e.countable() {
		e.sample(chances, repair)
		return chances
	}
	if repair {
		for d := 1; d <= e.Pipelines; d++ { // at least d: every stage loses at most D - d
			chances[d] = e.share(power(binomials(e.Pipelines, e.Pipelines-d), e.Stages, e.Preempted))
		}
		chances[0] = 1
		for d := range e.Pipelines {
			chances[d] -= chances[d+1]
		}
		return chances
	}
	hit := binomials(e.Stages, e.Stages) // ways to hit a pipeline, by losses
	hit[0] = 0
	for d := range chances {
		chances[d] = choose(e.Pipelines, d) * e.share(power(hit, e.Pipelines-d, e.Preempted))
	}
	return chances
}

// Liveput returns the expected throughput, in the unit of speed, which gives
// that of a layout and is not asked for none.
func (e Exposed) Liveput(speed func(pipelines, stages int) float64, repair bool) float64 {
	sum := 0.0
	for d, chance := range e.survive(repair) {
		if d > 0 && chance > 0 {
			sum += float64(chance * speed(d, e.Stages))
		}
	}
	return sum
}

func (e Exposed) check() {
	if e.Pipelines < 1 || e.Stages < 1 || e.Instances < e.Pipelines*e.Stages || e.Preempted < 0 ||
		e.Preempted > e.Instances {
		panic("pipeline: Exposed is not a layout of instances")
	}
}

// countable reports whether the numbers of sets are float64s.
func (e Exposed) countable() bool {
	return !math.IsInf(choose(e.Instances, min(e.Preempted, e.Instances/2)), 1)
}

// sample adds up in p how often each number of pipelines works, in draws.
func (e Exposed) sample(p []float64, repair bool) {
	left := make([]int, e.Stages)
	for i := range uint64(draws) {
		preempted := e.Preempted
		unseen := e.Instances
		intact := 0
		clear(left)
		for range e.Pipelines {
			kept := 0
			for s := range left {
				if preempted > 0 && (sim.Rand{}).Intn(purposePreempted, i, uint64(unseen), unseen) < preempted {
					preempted--
				} else {
					left[s]++
					kept++
				}
				unseen--
			}
			if kept == e.Stages {
				intact++
			}
		}
		if repair {
			intact = slices.Min(left)
		}
		p[intact] += 1. / draws
	}
}

// share returns how large a part of all sets of preempted instances those are
// of which k hit places in ways[k] ways, the others hitting none.
func (e Exposed) share(ways []float64) float64 {
	idle := e.Instances - e.Pipelines*e.Stages
	sum := 0.0
	for hits, w := range ways {
		sum += float64(w * choose(idle, e.Preempted-hits))
	}
	return sum / choose(e.Instances, e.Preempted)
}

// choose returns n over k, 0 outside.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	product := 1.0
	for i := range min(k, n-k) {
		product = product * float64(n-i) / float64(i+1)
	}
	return product
}

// binomials returns n over 0 to n over the largest.
func binomials(n, largest int) []float64 {
	all := make([]float64, largest+1)
	for k := range all {
		all[k] = choose(n, k)
	}
	return all
}

// power returns the coefficients of a polynomial to the n-th, up to x to the
// degree.
func power(poly []float64, n, degree int) []float64 {
	powers := make([]float64, degree+1)
	powers[0] = 1
	for range n {
		for k := degree; k >= 0; k-- {
			sum := 0.0
			for j := 0; j <= k && j < len(poly); j++ {
				sum += float64(poly[j] * powers[k-j])
			}
			powers[k] = sum
		}
	}
	return powers
}

// Liveput returns the samples/s that are expected to be left of a layout, without
// repair, when n of the instances are preempted.
func (m *Parcae) Liveput(pipelines, stages, instances, preempted int) float64 {
	return Exposed{pipelines, stages, instances, preempted}.Liveput(m.Speed, false)
}
