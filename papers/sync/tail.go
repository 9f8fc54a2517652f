package synchrony

import (
	"math"

	"github.com/marigram/marigram/calibrate/ps"
)

// What synchronisation costs on workers whose times vary, in closed form: the
// subject of Ambati et al., "Understanding Synchronization Costs for Distributed
// ML on Transient Cloud Resources" (IC2E 2019), from elementary order statistics.
// X is the time of a worker's mini-batch, seconds; n workers are waited for.

// cdf is what tailOf needs of a distribution; those of gonum's distuv have it.
type cdf interface{ CDF(t float64) float64 }

// tailOf returns the tail of a distribution.
func tailOf(of cdf) ps.Tail { return func(t float64) float64 { return 1 - of.CDF(t) } }

// barrier returns the time until n of n+k workers are done: BSP for k = 0, k
// backup workers otherwise.
func barrier(x ps.Tail, n, k int) ps.Tail {
	return func(t float64) float64 { return moreThan(k, n+k, x(t)) }
}

// moreThan returns the probability that more than k of n workers, each with
// probability p, still work: a binomial tail.
func moreThan(k, n int, p float64) float64 {
	term := math.Pow(1-p, float64(n)) // none works
	if k == 0 || p >= 1 {
		return 1 - term
	}
	sum := term
	for i := 1; i <= k; i++ {
		choose, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(choose-a-b) * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
	}
	return max(1-sum, 0)
}

// meanOf returns E[X].
func meanOf(x ps.Tail) float64 {
	lo, hi := 1.0, 1.0
	for x(hi) > 1e-17 && hi < math.MaxFloat64/4 {
		hi *= 2
	}
	for 1-x(lo) > 1e-17 && lo > hi*1e-20 {
		lo /= 2
	}
	return x.Mean(lo, hi)
}
