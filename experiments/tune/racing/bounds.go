package racing

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// upperShare returns the upper bound of a share of which met of n runs are an
// observation: the true one is above with probability alpha at most (Clopper and
// Pearson, Biometrika 26, 1934).
func upperShare(met, n int, alpha float64) float64 {
	if met >= n {
		return 1
	}
	return distuv.Beta{Alpha: float64(met + 1), Beta: float64(n - met)}.Quantile(1 - alpha)
}

// lowerShare is the same for the lower bound.
func lowerShare(met, n int, alpha float64) float64 {
	if met <= 0 {
		return 0
	}
	return distuv.Beta{Alpha: float64(met), Beta: float64(n - met + 1)}.Quantile(alpha)
}

// lowerMean returns the lower bound of the mean of n numbers of which sum and squares are
// the sums, at least 2: Student's, one-sided, with a quantile of studentsT.
func lowerMean(sum, squares float64, n int, quantile float64) float64 {
	m := float64(n)
	mean := sum / m
	variance := max(squares/m-mean*mean, 0) * m / (m - 1)
	return mean - quantile*math.Sqrt(variance/m)
}

// studentsT returns what Student's t of n numbers is above with probability alpha.
func studentsT(n int, alpha float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - alpha)
}

// minProof returns the least number of runs, all of which meet the objective, that
// prove a share.
func minProof(share, alpha float64) int {
	return int(math.Ceil(math.Log(alpha) / math.Log(share)))
}
