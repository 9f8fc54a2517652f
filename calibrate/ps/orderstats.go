package ps

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// What synchronisation costs on workers whose times vary, in closed form: the
// subject of Ambati et al., "Understanding Synchronization Costs for Distributed
// ML on Transient Cloud Resources" (IC2E 2019), from elementary order statistics.
// X is the time of a worker's mini-batch, seconds; n workers are waited for.

// Tail is a distribution of times by P(X > t), which falls from 1 to 0.
type Tail func(t float64) float64

// cdf is what TailOf needs of a distribution; those of gonum's distuv have it.
type cdf interface{ CDF(t float64) float64 }

// TailOf returns the tail of a distribution.
func TailOf(of cdf) Tail { return func(t float64) float64 { return 1 - of.CDF(t) } }

// Barrier returns the time until n of n+k workers are done: BSP for k = 0, k
// backup workers otherwise.
func (x Tail) Barrier(n, k int) Tail {
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

// Mean returns E[X], the integral of the tail, by Gauss-Legendre quadrature in
// ln t. The relative error is below 1e-9 for smooth tails, 1e-4 for one with a kink.
func (x Tail) Mean() float64 {
	lo, hi := 1.0, 1.0
	for x(hi) > 1e-17 && hi < math.MaxFloat64/4 {
		hi *= 2
	}
	for 1-x(lo) > 1e-17 && lo > hi*1e-20 {
		lo /= 2
	}
	return x.mean(lo, hi)
}

// The rule of quadrature: panels of equal width in ln t.
const panels = 64

var nodes, weights = func() (x, w [8]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	return
}()

// mean integrates the tail where it is 1 below lo and 0 above hi.
func (x Tail) mean(lo, hi float64) float64 {
	from, half := math.Log(lo), math.Log(hi/lo)/(2*panels)
	sum := 0.0
	for p := range panels {
		mid := from + half*float64(2*p+1)
		for i := range nodes {
			t := math.Exp(mid + half*nodes[i])
			sum += float64(weights[i] * t * x(t))
		}
	}
	return lo + sum*half
}
