package racing

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// lowerMean returns the lower bound of the mean of n numbers of which sum and squares are
// the sums, at least 2: Student's, one-sided, with a quantile of studentsT.
func lowerMean(sum, squares float64, n int, quantile float64) float64 {
	count := float64(n)
	mean := sum / count
	variance := max(squares/count-mean*mean, 0) * count / (count - 1)
	return mean - quantile*math.Sqrt(variance/count)
}

// studentsT returns what Student's t of n numbers is above with probability alpha.
func studentsT(n int, alpha float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - alpha)
}

// lowerDifference returns the lower bound, with a quantile of studentsT, of by how much the mean cost of a is above
// that of b divided by over, on the blocks of both; same says that all costs are equal.
func lowerDifference(a, b *row, over, quantile float64) (low float64, same bool) {
	blocks := common(a, b)
	sum := 0.0
	squares := 0.0
	same = true
	// Numbers are taken less the first one, so that squares keep their digits.
	first := a.usd[0] - b.usd[0]/over
	for i := range blocks {
		above := a.usd[i] - b.usd[i]/over - first
		sum += above
		squares += above * above
		same = same && a.usd[i] == b.usd[i]
	}
	return first + lowerMean(sum, squares, blocks, quantile), same
}

// meanDifference returns the mean cost of a less that of b on the blocks of both.
func meanDifference(a, b *row) float64 {
	blocks := common(a, b)
	sum := 0.0
	for i := range blocks {
		sum += a.usd[i] - b.usd[i]
	}
	return sum / float64(blocks)
}

// common is the number of blocks that two settings have both run: the first ones.
func common(a, b *row) int { return min(len(a.usd), len(b.usd)) }

// shareShown is the share that hits of n runs show, and a standard error more.
func shareShown(hits, n int) float64 {
	share := (float64(hits) + 1) / (float64(n) + 2)
	return share + math.Sqrt(share*(1-share)/float64(n))
}
