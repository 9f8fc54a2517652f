package cmdare

import (
	"math"

	"gonum.org/v1/gonum/mathext/prng"
	"gonum.org/v1/gonum/stat"
)

// fitter fits a regressor to rows of features.
type fitter func(x [][]float64, y []float64) (regressor, error)

// scores say how well a kind of regressor predicts rows that it did not see.
type scores struct {
	MAE, MAESpread float64 // mean absolute error over the folds of a cross-validation, and two standard deviations of it (of the population)
	HoldoutMAE     float64 // mean absolute error of the held-out fifth
	HoldoutMAPE    float64 // mean |error/value| of the held-out fifth, %
}

// scored does as CM-DARE's notebooks do with scikit-learn: shuffle the rows (some
// do not), hold out a fifth of them, fit to the others, and cross-validate these
// by folds. All random seeds are 0.
func scored(x [][]float64, y []float64, parts int, shuffle bool, fit fitter) (scores, error) {
	order := permutation(len(y), 0)
	if shuffle {
		x, y = pick(x, order), pick(y, order)
	}
	var s scores
	held, kept := order[:(len(y)+4)/5], order[(len(y)+4)/5:]
	trainX, trainY := pick(x, kept), pick(y, kept)
	testX, testY := pick(x, held), pick(y, held)
	model, err := fit(trainX, trainY)
	if err != nil {
		return s, err
	}
	s.HoldoutMAE = meanError(model, testX, testY, false)
	s.HoldoutMAPE = 100 * meanError(model, testX, testY, true)
	s.MAE, s.MAESpread, err = crossValidate(trainX, trainY, parts, fit)
	return s, err
}

// crossValidate holds out one consecutive fold after the other; the first ones
// have one row more where the rows do not divide.
func crossValidate(x [][]float64, y []float64, parts int, fit fitter) (mae, spread float64, err error) {
	errs := make([]float64, parts)
	from := 0
	for f := range errs {
		to := from + len(y)/parts
		if f < len(y)%parts {
			to++
		}
		var others []int
		for i := range y {
			if i < from || i >= to {
				others = append(others, i)
			}
		}
		model, err := fit(pick(x, others), pick(y, others))
		if err != nil {
			return 0, 0, err
		}
		errs[f] = meanError(model, x[from:to], y[from:to], false)
		from = to
	}
	mean, sd := stat.PopMeanStdDev(errs, nil)
	return mean, 2 * sd, nil
}

func meanError(m regressor, x [][]float64, y []float64, relative bool) float64 {
	sum := 0.0
	for i := range y {
		e := math.Abs(m.Predict(x[i]) - y[i])
		if relative {
			e /= math.Abs(y[i])
		}
		sum += e
	}
	return sum / float64(len(y))
}

func pick[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}

// permutation is that of NumPy's legacy generator: Fisher and Yates from the
// top with the Mersenne twister, whose draws are masked and rejected.
func permutation(n int, seed uint64) []int {
	src := prng.NewMT19937()
	src.Seed(seed)
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)
		for mask < uint32(i) {
			mask = mask<<1 | 1
		}
		j := src.Uint32() & mask
		for j > uint32(i) {
			j = src.Uint32() & mask
		}
		p[i], p[j] = p[j], p[i]
	}
	return p
}
