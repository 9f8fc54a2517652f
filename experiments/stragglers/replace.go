package stragglers

import (
	"slices"

	"github.com/marigram/marigram/internal/stats"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// replace simulates the job with other machines, even stages, even micro-batches and without communication.
func (a *Analysis) replace() {
	j := a.Job
	own := j.means()
	instead := func(of func(kind string, worker int) (fixed, share float64)) float64 {
		return ratio(a.OriginalS, j.simulate(func(n, rank int) (fixed, share float64) {
			return of(j.nodes[n].kind, j.worker(n, rank))
		}))
	}
	without := func(kinds ...string) float64 {
		return instead(func(kind string, _ int) (fixed, share float64) {
			if slices.Contains(kinds, kind) {
				return 0, 0
			}
			return 0, 1
		})
	}
	a.NoPipeline = without(forwardSend, forwardRecv, backwardSend, backwardRecv)
	a.NoReplicas = without(allGather, reduceScatter, separateReduce)
	a.EvenBatches = instead(func(kind string, worker int) (fixed, share float64) {
		if computes(kind) {
			return own[kind][worker], 0
		}
		return 0, 1
	})
	stages := map[string][]float64{forward: j.stageMedians(own[forward]), backward: j.stageMedians(own[backward])}
	a.EvenStages = instead(func(kind string, worker int) (fixed, share float64) {
		if computes(kind) && stages[kind][worker%j.PP] > 0 {
			return 0, stat.Mean(stages[kind], nil) / stages[kind][worker%j.PP]
		}
		return 0, 1
	})
	a.Factors = j.factors(own)
	for worker := range j.Ranks {
		if j.DP > 1 {
			others := map[string]float64{
				forward:  j.others(own[forward], worker),
				backward: j.others(own[backward], worker),
			}
			a.Replaced = append(a.Replaced, instead(func(kind string, of int) (fixed, share float64) {
				if computes(kind) && of == worker {
					return others[kind], 0
				}
				return 0, 1
			}))
		}
	}
}

func computes(kind string) bool { return kind == forward || kind == backward }

// stageMedians are the medians of the workers of each stage, which one slow machine does not move.
func (j *Job) stageMedians(means []float64) (medians []float64) {
	for stage := range j.PP {
		var all []float64
		for w := stage; w < len(means); w += j.PP {
			all = append(all, means[w])
		}
		medians = append(medians, stats.Median(all))
	}
	return medians
}

// means are what forward and backward of each worker take in the mean.
func (j *Job) means() map[string][]float64 {
	sums := map[string][]float64{forward: make([]float64, len(j.Ranks)), backward: make([]float64, len(j.Ranks))}
	counts := map[string][]float64{forward: make([]float64, len(j.Ranks)), backward: make([]float64, len(j.Ranks))}
	for n, one := range j.nodes {
		if !computes(one.kind) {
			continue
		}
		for i, needs := range j.own[j.at(n):j.at(n+1)] {
			worker := j.worker(n, i%j.DP)
			sums[one.kind][worker] += needs
			counts[one.kind][worker]++
		}
	}
	for kind, sum := range sums {
		for worker := range sum {
			sum[worker] /= counts[kind][worker]
		}
	}
	return sums
}

// others is the mean of the other workers of a worker's stage.
func (j *Job) others(means []float64, worker int) float64 {
	var other []float64
	for w := worker % j.PP; w < len(means); w += j.PP {
		if w != worker {
			other = append(other, means[w])
		}
	}
	return stat.Mean(other, nil)
}

// factors compare each worker with the median of its stage.
func (j *Job) factors(means map[string][]float64) []Factor {
	both := make([]float64, len(j.Ranks))
	floats.AddTo(both, means[forward], means[backward])
	of := func(means []float64) []float64 {
		medians := j.stageMedians(means)
		factors := make([]float64, len(means))
		for worker, mean := range means {
			factors[worker] = 1
			if middle := medians[worker%j.PP]; middle > 0 {
				factors[worker] = mean / middle
			}
		}
		return factors
	}
	ahead := of(means[forward])
	back := of(means[backward])
	all := make([]Factor, len(j.Ranks))
	for worker, factor := range of(both) {
		all[worker] = Factor{Forward: ahead[worker], Backward: back[worker], Compute: factor}
	}
	return all
}
