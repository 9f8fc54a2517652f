package parallel

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

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
