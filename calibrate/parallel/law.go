package parallel

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Law is the time of a step on n workers of one instance type, in seconds:
//
//	Alone·share(n) + Exchange·(n-1)/n + Latency·log2(n)
//
// where share is 1 in weak scaling and 1/n in strong scaling. The second term is
// what a ring all-reduce sends, 2(n-1)/n of the gradients (Thakur, Rabenseifner,
// Gropp, "Optimization of collective communication operations in MPICH", IJHPCA
// 2005), and in strong scaling also the part of the work that does not shrink
// (Amdahl, AFIPS 1967). The third is the latency of a tree of messages.
type Law struct {
	Scaling                  Scaling
	Alone, Exchange, Latency float64 // seconds, at least 0
}

// Step returns the time of a step on n workers, in seconds; n is at least 1.
func (l Law) Step(n int) float64 { return l.step(n, 0) }

// step raises the time of communication by the share margin.
func (l Law) step(n int, margin float64) float64 {
	t := l.terms(n)
	return float64(l.Alone*t[0]) + float64((1+margin)*float64(float64(l.Exchange*t[1])+float64(l.Latency*t[2])))
}

// terms are what the three parameters are multiplied with.
func (l Law) terms(n int) [3]float64 {
	x, share := float64(n), 1.0
	if l.Scaling == Strong {
		share = 1 / x
	}
	return [3]float64{share, (x - 1) / x, math.Log2(x)}
}

// solve returns the law with parameters of at least 0 whose relative residuals
// have the least sum of squares. With three parameters it tries every set of them
// that may be above 0: the best of the solutions that are not negative is the
// optimum (Lawson and Hanson, "Solving Least Squares Problems", 1974, ch. 23).
func solve(s Scaling, sizes []int, seconds []float64) Law {
	law, smallest := Law{Scaling: s}, math.Inf(1)
	for set := 1; set < 1<<parameters(len(sizes)); set += 2 { // Alone is always in it: work takes time
		x, ok := leastSquares(law.terms, set, sizes, seconds)
		if !ok || x[0] == 0 {
			continue
		}
		l := Law{s, x[0], x[1], x[2]}
		sum := 0.0
		for i, n := range sizes {
			e := l.Step(n)/seconds[i] - 1
			sum += float64(e * e)
		}
		if sum < smallest-1e-15 {
			law, smallest = l, sum
		}
	}
	return law
}

// leastSquares solves for the parameters in set (bits), the others are 0. It
// reports whether there is a solution and none of it is negative.
func leastSquares(terms func(int) [3]float64, set int, sizes []int, seconds []float64) (x [3]float64, ok bool) {
	var in []int
	for k := range x {
		if set&(1<<k) != 0 {
			in = append(in, k)
		}
	}
	if len(in) > len(sizes) {
		return x, false
	}
	a, ones := mat.NewDense(len(sizes), len(in), nil), mat.NewVecDense(len(sizes), nil)
	for i, n := range sizes {
		t := terms(n)
		for c, k := range in {
			a.Set(i, c, t[k]/seconds[i])
		}
		ones.SetVec(i, 1)
	}
	var b mat.VecDense
	if err := b.SolveVec(a, ones); err != nil {
		return x, false
	}
	for c, k := range in {
		if x[k] = b.AtVec(c); !(x[k] >= 0) {
			return x, false
		}
	}
	return x, true
}

// parameters returns how many of the law's parameters n sizes determine:
// of two sizes Alone and Exchange, of more all three.
func parameters(sizes int) int { return min(sizes, 3) }

// Scaling says what stays the same when workers join.
type Scaling uint8

const (
	// Strong scaling: the batch of a step stays the same, a worker's share shrinks.
	Strong Scaling = iota
	// Weak scaling: the batch of a worker stays the same, a step's batch grows.
	Weak
)

// String returns "strong" or "weak".
func (s Scaling) String() string { return [...]string{"strong", "weak"}[s] }
