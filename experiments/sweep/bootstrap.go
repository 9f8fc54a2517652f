package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	resamples = 2000
	// mostBlocks bounds what is drawn: longer series are cut into that many
	// blocks of neighbours, whose sums are resampled. The mean of a thousand
	// means is normal for all purposes, and neighbours that hang together, as
	// overlapping starts do, stay together.
	mostBlocks = 1000
)

// MeanInterval returns the percentile interval of the mean of x (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), with always the
// same luck. NaN for fewer than two numbers.
func MeanInterval(x []float64) Interval {
	if len(x) < 2 {
		return Interval{math.NaN(), math.NaN()}
	}
	sums, sizes := blocks(x)
	luck := rand.New(rand.NewPCG(1, uint64(len(x))))
	means := make([]float64, resamples)
	for i := range means {
		sum, n := 0.0, 0
		for range sums {
			k := luck.IntN(len(sums))
			sum += sums[k]
			n += sizes[k]
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	return Interval{quantile(means, 0.025), quantile(means, 0.975)}
}

// blocks cuts x into blocks of neighbours and returns their sums and sizes.
func blocks(x []float64) (sums []float64, sizes []int) {
	n := min(len(x), mostBlocks)
	for k := range n {
		block := x[k*len(x)/n : (k+1)*len(x)/n]
		sum := 0.0
		for _, v := range block {
			sum += v
		}
		sums, sizes = append(sums, sum), append(sizes, len(block))
	}
	return sums, sizes
}

// quantile returns the smallest number of a sorted list that is not below that
// share of them.
func quantile(sorted []float64, share float64) float64 {
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
