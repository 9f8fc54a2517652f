package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// Alone is Unit.B of a job that has its GPUs for itself.
const Alone = -1

// Unit is what gets a share where two jobs may have the same GPUs: a job, or two. A is below B.
type Unit struct{ A, B int } // places in share.Input.Jobs

// PairShares are the shares of units that have any. A unit is there once.
type PairShares struct {
	Units []Unit
	X     [][]float64 // by unit and model
}

// reset makes s empty.
func (s *PairShares) reset() {
	s.Units = s.Units[:0]
	s.X = s.X[:0]
}

// add adds a unit, with nothing, and returns its share by model.
func (s *PairShares) add(u Unit, models int) []float64 {
	part := make([]float64, models)
	s.Units = append(s.Units, u)
	s.X = append(s.X, part)
	return part
}

// PairInput is the state of a cluster whose jobs may share GPUs.
type PairInput struct {
	share.Input
	// Together returns the speeds of two jobs on the same GPUs of a model. a and b are places in Jobs.
	Together func(a, b, model int) (of, other float64)
}

// PairRule shares out a cluster whose jobs may share GPUs. It serves one run.
type PairRule interface {
	SharePairs(in *PairInput, x *PairShares)
}

// FIFOPacked (fifo_packed) gives jobs, first come first served, GPUs of the model on which they are fastest of those
// that are free (rules.FastestFIFO). Jobs that find none share those of others: of the jobs with as many GPUs, that
// with which both together are fastest, if that is more than 1.5 times one alone.
type FIFOPacked struct{}

// packedGain is the sum of two jobs' speeds together over their speeds alone, above which they share GPUs.
const packedGain = 1.5

// SharePairs implements PairRule.
func (FIFOPacked) SharePairs(in *PairInput, x *PairShares) {
	x.reset()
	for i := range in.Jobs {
		x.add(Unit{i, Alone}, len(in.GPUs))
	}
	free := slices.Clone(in.GPUs)
	left := 0
	for _, n := range free {
		left += n
	}
	model := make([]int, len(in.Jobs)) // by job: the model that it is on
	var scheduled []int
	next := 0 // the first job that was not looked at
	for ; next < len(in.Jobs) && left > 0; next++ {
		j := &in.Jobs[next]
		m := fastestFree(free, j)
		if m == none {
			next++ // it does not fit into what is free, and is left out
			break
		}
		if j.Speed[m] > 0 {
			model[next] = m
			scheduled = append(scheduled, next)
			free[m] -= j.GPUs
			left -= j.GPUs
			x.X[next][m] = 1
		}
	}
	for i := next; i < len(in.Jobs); i++ {
		at := in.partner(scheduled, model, i)
		if at == none {
			return
		}
		a := scheduled[at]
		scheduled = slices.Delete(scheduled, at, at+1)
		m := model[a]
		x.X[a][m] = 0
		x.add(Unit{min(a, i), max(a, i)}, len(in.GPUs))[m] = 1
	}
}

// fastestFree returns the model with enough free GPUs on which a job is fastest, none if there is none.
func fastestFree(free []int, j *share.Job) int {
	model := none
	for m, n := range free {
		if n >= j.GPUs && (model == none || j.Speed[m] > j.Speed[model]) {
			model = m
		}
	}
	return model
}

// partner returns the place in scheduled of the job with which job i is to share GPUs, none for none.
func (in *PairInput) partner(scheduled, model []int, i int) int {
	best := packedGain
	at := none
	for k, a := range scheduled {
		if in.Jobs[a].GPUs != in.Jobs[i].GPUs {
			continue
		}
		if gain := in.gain(a, i, model[a]); gain > best {
			best = gain
			at = k
		}
	}
	return at
}

// gain is the sum of two jobs' speeds together over their speeds alone; what does not run counts as 0.
func (in *PairInput) gain(a, b, model int) float64 {
	of, other := in.Together(a, b, model)
	sum := 0.0
	if of > 0 {
		sum += of / in.Jobs[a].Speed[model]
	}
	if other > 0 {
		sum += other / in.Jobs[b].Speed[model]
	}
	return sum
}
