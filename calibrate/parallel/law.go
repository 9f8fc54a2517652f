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
	factors := l.factors(n)
	communication := float64(float64(l.Exchange*factors[1]) + float64(l.Latency*factors[2]))
	return float64(l.Alone*factors[0]) + float64((1+margin)*communication)
}

// factors are what the three parameters are multiplied with.
func (l Law) factors(n int) [3]float64 {
	workers := float64(n)
	share := 1.0
	if l.Scaling == Strong {
		share = 1 / workers
	}
	return [3]float64{share, (workers - 1) / workers, math.Log2(workers)}
}

// solve returns the law with parameters of at least 0 whose relative residuals
// have the least sum of squares. With three parameters it tries every set of them
// that may be above 0: the best of the solutions that are not negative is the
// optimum (Lawson and Hanson, "Solving Least Squares Problems", 1974, ch. 23).
func solve(scaling Scaling, sizes []int, seconds []float64) Law {
	best := Law{Scaling: scaling}
	smallest := math.Inf(1)
	for set := 1; set < 1<<parameters(len(sizes)); set += 2 { // Alone is always in it: work takes time
		values, ok := leastSquares(best.factors, set, sizes, seconds)
		if !ok || values[0] == 0 {
			continue
		}
		law := Law{Scaling: scaling, Alone: values[0], Exchange: values[1], Latency: values[2]}
		squares := 0.0
		for i, workers := range sizes {
			residual := law.Step(workers)/seconds[i] - 1
			squares += float64(residual * residual)
		}
		if squares < smallest-1e-15 {
			best = law
			smallest = squares
		}
	}
	return best
}

// leastSquares solves for the parameters in set (bits), the others are 0. It
// reports whether there is a solution and none of it is negative.
func leastSquares(factors func(int) [3]float64, set int, sizes []int, seconds []float64) (values [3]float64, ok bool) {
	var free []int // the parameters in set
	for parameter := range values {
		if set&(1<<parameter) != 0 {
			free = append(free, parameter)
		}
	}
	if len(free) > len(sizes) {
		return values, false
	}
	shares := mat.NewDense(len(sizes), len(free), nil) // of the measured time, per unit of a parameter
	ones := mat.NewVecDense(len(sizes), nil)
	for row, workers := range sizes {
		multiples := factors(workers)
		for column, parameter := range free {
			shares.Set(row, column, multiples[parameter]/seconds[row])
		}
		ones.SetVec(row, 1)
	}
	var solution mat.VecDense
	if err := solution.SolveVec(shares, ones); err != nil {
		return values, false
	}
	for column, parameter := range free {
		values[parameter] = solution.AtVec(column)
		if !(values[parameter] >= 0) { // NaN too
			return values, false
		}
	}
	return values, true
}

// parameters returns how many of the law's parameters so many sizes determine:
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
