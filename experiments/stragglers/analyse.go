package stragglers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
	"gonum.org/v1/gonum/stat"
)

// Analysis is what the steps of a job lose, to whom. All ratios are of mean seconds of a step, T.
type Analysis struct {
	Job *Job

	RecordedS []float64 // by step: from its first start to its last end
	OriginalS []float64 // simulated with recorded times, without the delays between operations: T
	IdealS    []float64 // simulated with the ideal of each type

	S      float64 // OriginalS over IdealS, Eq. 1
	Types  []Share // Eq. 2: the ideal with recorded times of one type, by name
	Ranks  []Share // of one dp rank
	Stages []Share // of one stage

	// MW is what the slowest workers cost, Eq. 5; MS the last stage.
	MW, MS  Removed
	Slowest []int // those of MW: 3 % of the workers, rounded up; index of Job.Ranks

	// Replaced is T over that if a worker computed as the others of its stage do in the mean; nil with one dp rank.
	Replaced    []float64
	EvenStages  float64 // T over that if stages, by their median workers, computed as long as the mean of them
	EvenBatches float64 // T over that if each worker took its own mean for each micro-batch
	NoPipeline  float64 // T over that if sends and receives took no time
	NoReplicas  float64 // T over that if what replicas gather and reduce took no time
	Factors     []Factor

	ideal map[string]float64 // by type
}

// Share is what recorded times of some operations make of the ideal.
type Share struct {
	Name  string
	S     float64   // ratio of the means
	Steps []float64 // by step: the ratio of the two
}

// Removed is a job of which some operations are made ideal, and one that is ideal but for them.
type Removed struct {
	OriginalS, IdealS float64 // T and T of the ideal
	WithoutS, OnlyS   float64 // T with these ideal, and with only these as recorded
}

// Share is the part of the waste that goes with the operations. Above 1 and below 0 is possible: the rest may run
// better or worse than the ideal.
func (r *Removed) Share() float64 { return (r.OriginalS - r.WithoutS) / (r.OriginalS - r.IdealS) }

// Alone is the part of the waste that these operations make alone.
func (r *Removed) Alone() float64 { return (r.OnlyS - r.IdealS) / (r.OriginalS - r.IdealS) }

// Factor is how much slower a worker computes than the median of its stage; 1: as fast.
type Factor struct{ Forward, Backward, Compute float64 }

// maxWork bounds the operations that are simulated, all simulations together: some minutes.
const maxWork = 1 << 34

// Analyse simulates the job as it was and as it could be.
func (j *Job) Analyse() (*Analysis, error) {
	simulations := len(j.Ranks) + j.DP + j.PP + len(types)
	if work := float64(len(j.own)) * float64(simulations); work > maxWork {
		return nil, fmt.Errorf("%d operations of %d workers: more than can be simulated, expected fewer steps",
			len(j.own), len(j.Ranks))
	}
	a := &Analysis{Job: j, RecordedS: j.recorded(), OriginalS: j.simulate(recordedOf), ideal: j.ideals()}
	keep := func(kept operations) []float64 { return j.simulate(j.idealBut(a.ideal, kept)) }
	a.IdealS = keep(nothing)
	if !(stat.Mean(a.IdealS, nil) > 0) {
		return nil, fmt.Errorf("the ideal step takes no time: expected operations with a duration")
	}
	a.S = ratio(a.OriginalS, a.IdealS)
	for _, name := range j.shownTypes() {
		a.Types = append(a.Types, a.share(name, keep(func(n, _ int) bool { return shown(j.nodes[n].kind) == name })))
	}
	for r := range j.DP {
		a.Ranks = append(a.Ranks, a.share(fmt.Sprint(r), keep(func(_, rank int) bool { return rank == r })))
	}
	for k := range j.PP {
		onStage := func(n, _ int) bool { return int(j.nodes[n].stage) == k }
		a.Stages = append(a.Stages, a.share(fmt.Sprint(k), keep(onStage)))
	}
	a.Slowest = a.slowest()
	a.MW = a.remove(keep, func(n, rank int) bool { return slices.Contains(a.Slowest, j.worker(n, rank)) })
	a.MS = a.remove(keep, func(n, _ int) bool { return int(j.nodes[n].stage) == j.PP-1 })
	a.replace()
	return a, nil
}

// operations are those of a node on a dp rank, or not.
type operations func(node, rank int) bool

func nothing(int, int) bool { return false }

// idealBut chooses the ideal for all but some operations, which keep what was recorded.
func (j *Job) idealBut(ideal map[string]float64, kept operations) choice {
	return func(n, rank int) (fixed, share float64) {
		if kept(n, rank) {
			return 0, 1
		}
		return ideal[j.nodes[n].kind], 0
	}
}

// worker is the index of a worker in Ranks.
func (j *Job) worker(node, rank int) int { return rank*j.PP + int(j.nodes[node].stage) }

// ratio is that of the means of a and b, which is not the mean of their ratios.
func ratio(a, b []float64) float64 { return stat.Mean(a, nil) / stat.Mean(b, nil) }

// share compares steps with the ideal ones.
func (a *Analysis) share(name string, steps []float64) Share {
	return Share{Name: name, S: ratio(steps, a.IdealS), Steps: ratios(steps, a.IdealS)}
}

// Mean is the mean seconds of steps.
func Mean(steps []float64) float64 { return stat.Mean(steps, nil) }

// Notable are the shares of at least 1.01, the highest first.
func Notable(shares []Share) []Share {
	notable := slices.DeleteFunc(slices.Clone(shares), func(s Share) bool { return !(s.S >= 1.01) })
	slices.SortStableFunc(notable, func(a, b Share) int { return cmp.Compare(b.S, a.S) })
	return notable
}

// ratios are those step by step.
func ratios(a, b []float64) []float64 {
	each := make([]float64, len(a))
	for i := range a {
		each[i] = a[i] / b[i]
	}
	return each
}

// Worker is S of a worker: the lesser of its rank's and its stage's, Eq. 4.
func (a *Analysis) Worker(worker int) float64 {
	return min(a.Ranks[worker/a.Job.PP].S, a.Stages[worker%a.Job.PP].S)
}

// slowest are 3 % of the workers, rounded up: those with the highest S, and of equal ones the lowest rank.
func (a *Analysis) slowest() []int {
	order := make([]int, len(a.Job.Ranks))
	for worker := range order {
		order[worker] = worker
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.Worker(y), a.Worker(x)), cmp.Compare(a.Job.Ranks[x], a.Job.Ranks[y]))
	})
	return order[:(3*len(order)+99)/100]
}

// remove simulates without the slowness of some operations, and with nothing else.
func (a *Analysis) remove(keep func(operations) []float64, these operations) Removed {
	return Removed{
		OriginalS: stat.Mean(a.OriginalS, nil),
		IdealS:    stat.Mean(a.IdealS, nil),
		WithoutS:  stat.Mean(keep(func(n, rank int) bool { return !these(n, rank) }), nil),
		OnlyS:     stat.Mean(keep(these), nil),
	}
}

// recorded are the seconds of the steps from the first start to the last end, as float32.
func (j *Job) recorded() []float64 {
	seconds := make([]float64, len(j.Steps))
	for step := range seconds {
		first := float32(math.MaxFloat32)
		last := -first
		for n := range j.nodes {
			for at := j.at(n) + step*j.DP; at < j.at(n)+(step+1)*j.DP; at++ {
				first = min(first, j.start[at])
				last = max(last, j.start[at]+j.duration[at])
			}
		}
		seconds[step] = float64(last - first)
	}
	return seconds
}

// ideals are what operations of each type need in an ideal job: if they compute, the mean over all of them, else the
// median, which outliers of a network do not move.
func (j *Job) ideals() map[string]float64 {
	all := map[string][]float64{}
	for n, one := range j.nodes {
		all[one.kind] = append(all[one.kind], j.own[j.at(n):j.at(n+1)]...)
	}
	ideal := map[string]float64{}
	for kind, values := range all {
		if types[kind] {
			ideal[kind] = stat.Mean(values, nil)
		} else {
			ideal[kind] = stats.Median(values)
		}
	}
	return ideal
}

// shownTypes are the types that occur, as results call them, by name.
func (j *Job) shownTypes() []string {
	occur := map[string]bool{}
	for _, one := range j.nodes {
		occur[shown(one.kind)] = true
	}
	return slices.Sorted(maps.Keys(occur))
}
