package racing

// above returns the lower bound, with a quantile of studentsT, of by how much the mean of a is
// above that of b divided by over, on the blocks of both; same says that all costs are equal.
func above(a, b *row, over, quantile float64) (low float64, same bool) {
	n := min(len(a.usd), len(b.usd))
	sum, squares, same := 0.0, 0.0, true
	// Numbers are taken less the first one, so that squares keep their digits.
	first := a.usd[0] - b.usd[0]/over
	for i := range n {
		x := a.usd[i] - b.usd[i]/over - first
		sum += x
		squares += x * x
		same = same && a.usd[i] == b.usd[i]
	}
	return first + lowerMean(sum, squares, n, quantile), same
}

// less returns the mean of a less that of b on the blocks of both.
func less(a, b *row) float64 {
	n := min(len(a.usd), len(b.usd))
	sum := 0.0
	for i := range n {
		sum += a.usd[i] - b.usd[i]
	}
	return sum / float64(n)
}
