package transformer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/sim"
)

// The purposes of draws.
const (
	purposeCommon = sim.PurposeUser + 840 + iota // of what a program, a team and a cluster carry from GPU to GPU
	purposeOwn                                   // of a GPU type within it
)

// Drawn returns by what each of count seeds, from the first, moves the logarithm of a speed: in the order of what a
// program, a team and a cluster have in common whatever the GPU, which every GPU type has the same of, and a part of
// the GPU type's own. The seeds take the middles of as many equal parts of the distribution, a normal one in two pieces
// whose widths are those of the speed's 80 % band, in a fixed shuffle.
func Drawn(speed Speed, gpu string, first int64, count int) []float64 {
	const of80 = 1.2815515655446004 // standard normal: eight of ten are within
	own := Effects()["sd_own"]
	slow := speed.Slow.Of80 / of80
	fast := speed.Fast.Of80 / of80
	if min(slow, fast) < own { // measured on these GPUs
		own = 0
	}
	common := shuffled(first, purposeCommon, 0, count)
	ofType := shuffled(first, purposeOwn, sim.NameEntity(gpu), count)
	sums := make([]float64, count)
	order := make([]int, count) // seeds, the slowest first
	for i := range sums {
		side := slow
		if common[i] > 0 {
			side = fast
		}
		width := math.Sqrt(float64(side*side) - float64(own*own))
		sums[i] = float64(common[i]*width) + float64(ofType[i]*own)
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sums[a], sums[b]), a-b) })
	out := make([]float64, count)
	for rank, i := range order {
		out[i] = middle(rank, count)
		if out[i] < 0 {
			out[i] *= slow
		} else {
			out[i] *= fast
		}
	}
	return out
}

// middle is the standard normal at the middle of one of count equal parts.
func middle(part, count int) float64 {
	return distuv.UnitNormal.Quantile((float64(part) + 0.5) / float64(count))
}

// shuffled returns the standard normal at the middles of equal parts, in an order of the seed's.
func shuffled(seed int64, purpose sim.Purpose, entity uint64, count int) []float64 {
	dice := sim.Rand{Seed: uint64(seed)}
	out := make([]float64, count)
	for i := range out {
		out[i] = middle(i, count)
		other := int(dice.Uniform(purpose, entity, uint64(i)) * float64(i+1))
		out[i], out[other] = out[other], out[i]
	}
	return out
}
