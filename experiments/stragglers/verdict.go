package stragglers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Cause is something that can be changed, and by how much steps are faster then.
type Cause struct {
	Gain float64 `json:"gain"` // T over that without it
	What string  `json:"what"`
	Do   string  `json:"do"` // what helps
}

// least is the gain from which a cause is named: the S from which the published analysis looks for causes.
const least = 1.03

// notable is the factor from which a worker is called slow.
const notable = 1.05

// Causes are the machines, stages and micro-batches without whose unevenness steps are at least 3 % faster, the largest
// gain first.
func (a *Analysis) Causes() (causes []Cause) {
	for worker, gain := range a.Replaced {
		factor := a.Factors[worker]
		if factor.Compute < notable {
			continue // what its replacement would gain is the mean of uneven micro-batches
		}
		name := strings.ReplaceAll(a.Job.WorkerName(worker), "/", ", ")
		why := fmt.Sprintf("worker (%s) computes slower than its peers: "+
			"forward %.2f, backward %.2f times the median of its stage", name, factor.Forward, factor.Backward)
		causes = append(causes, Cause{gain, why, "replace the machine"})
	}
	causes = append(causes,
		Cause{a.EvenStages, "stages compute for different times", "move layers; other machines change nothing"},
		Cause{a.EvenBatches, "micro-batches take different times on one worker",
			"even their lengths out; other machines change nothing"})
	causes = slices.DeleteFunc(causes, func(c Cause) bool { return !(c.Gain >= least) })
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.Gain, a.Gain) })
	return causes
}

// MostReplaced is the worker whose replacement makes steps fastest, and by how much; -1 with one dp rank.
func (a *Analysis) MostReplaced() (worker int, gain float64) {
	worker = -1
	for w, x := range a.Replaced {
		if x > gain {
			worker = w
			gain = x
		}
	}
	return worker, gain
}

// Slowdown is a row of the trace of a spec's slow: what an instance did not do as fast as it should.
type Slowdown struct {
	Instance int32    `col:"instance" doc:"number of the instance, from 0"`
	FromS    float64  `col:"from_s" unit:"s" doc:"when it becomes slow"`
	ToS      *float64 `col:"to_s" unit:"s" doc:"when it is as fast as others again; null: never"`
	Compute  float64  `col:"compute" doc:"factor of the time of computing, at least 1"`
	Network  float64  `col:"network" doc:"factor of the time of communication, at least 1"`
}

// Slow lists the instances of that many GPUs that compute at least 5 % slower than the median of their stages, slow
// from the start and for good. A worker's GPUs are numbered as its rank; an instance is as slow as its slowest
// worker.
func (a *Analysis) Slow(gpus int) (rows []Slowdown) {
	factors := map[int]float64{}
	for worker, factor := range a.Factors {
		instance := int(a.Job.Ranks[worker]) / gpus
		factors[instance] = max(factors[instance], factor.Compute)
	}
	for _, instance := range slices.Sorted(maps.Keys(factors)) {
		if factor := factors[instance]; factor >= notable {
			rows = append(rows, Slowdown{Instance: int32(instance), Compute: factor, Network: 1})
		}
	}
	return rows
}

// Typical is what is worth a look: the step, by its index, whose S is nearest to that of all, and the dp rank that
// costs most; of equal ones the first.
func (a *Analysis) Typical() (step, rank int) {
	each := ratios(a.OriginalS, a.IdealS)
	for i := range each {
		if math.Abs(each[i]-a.S) < math.Abs(each[step]-a.S) {
			step = i
		}
	}
	for r := range a.Ranks {
		if a.Ranks[r].S > a.Ranks[rank].S {
			rank = r
		}
	}
	return step, rank
}
