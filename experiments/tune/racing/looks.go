package racing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	firstAnalysis = 10 // blocks
	// fewest is the number of blocks below which no costs are compared: the means of
	// fewer differences need not be normal.
	fewest = 20
)

// analysesTo returns the numbers of blocks at which a race looks, the last one most.
func analysesTo(first, largest int) (analyses []int) {
	for n := min(first, largest); n < largest; n += max(n/2, 1) {
		analyses = append(analyses, n)
	}
	return append(analyses, largest)
}

// part is the part of an error probability that the k-th of n looks has, k from 1: all of
// them together have 1 at most. One half is the early looks', 1/(k(k+1)), by which most
// settings go, and the other half is shared equally, for those that take long.
func part(k, n int) float64 { return 0.5/float64(k*(k+1)) + 0.5/float64(n) }

// after returns the look after n blocks, at most limit.
func after(analyses []int, n, limit int) int {
	i, _ := slices.BinarySearch(analyses, n+1)
	return min(analyses[i], limit)
}

// number returns which look one at n blocks is, from 1, of those with at least n.
func number(analyses []int, n, smallest int) int {
	first, _ := slices.BinarySearch(analyses, smallest)
	i, _ := slices.BinarySearch(analyses, n)
	return i - first + 1
}

// from returns how many looks there are at n blocks and more.
func from(analyses []int, smallest int) int {
	first, _ := slices.BinarySearch(analyses, smallest)
	return len(analyses) - first
}

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

// boundary is the smallest number of met runs that proves a share, analysis by analysis: a group-sequential test whose error is worked
// out exactly, with what earlier analyses have left of it (error spending: Lan and DeMets, Biometrika 70(3), 1983). Runs are
// independent; the error is largest where the share is exactly the one asked for.
type boundary struct {
	share, level float64
	n            int
	first        int       // met runs of chance[0]
	chance       []float64 // of that many met runs after n, without a proof, where the share is exactly share
	spent        float64   // chance of a proof so far
	enough       int       // what needed returned at n; 0: it was not asked
}

// negligible chances are left out: they are far below any level.
const negligible = 1e-30

// needed returns how many of n runs, not fewer than at the analysis before, have to be met for a proof, where all proofs until then
// may have a part of the level; n + 1: no number is enough.
func (b *boundary) needed(n int, part float64) int {
	switch {
	case b.chance == nil:
		b.chance = []float64{1}
	case b.n == n && b.enough > 0:
		return b.enough
	}
	for ; b.n < n; b.n++ {
		b.run()
	}
	enough, tail := n+1, 0.0
	for k := len(b.chance) - 1; k >= 0; k-- {
		if b.spent+tail+b.chance[k] > b.level*part {
			break
		}
		tail += b.chance[k]
		if b.first+k <= n {
			enough = b.first + k
		}
	}
	b.spent += tail
	b.chance, b.enough = b.chance[:max(min(enough-b.first, len(b.chance)), 0)], enough
	return enough
}

// run adds a run.
func (b *boundary) run() {
	b.chance = append(b.chance, 0)
	for k := len(b.chance) - 1; k > 0; k-- {
		b.chance[k] = b.chance[k]*(1-b.share) + b.chance[k-1]*b.share
	}
	b.chance[0] *= 1 - b.share
	for len(b.chance) > 1 && b.chance[0] < negligible {
		b.chance, b.first = b.chance[1:], b.first+1
	}
}

// hopeless reports whether an attempt is not worth going on with: even the share that it shows, and a standard error more, is not proven
// by all blocks.
func hopeless(met, n, all int, share, level float64) bool {
	if n < minHopeless {
		return false
	}
	p := shown(met, n)
	return p < 1 && lowerShare(int(p*float64(all)), all, level) < share
}

// shown is the share that met of n runs show, and a standard error more.
func shown(met, n int) float64 {
	p := (float64(met) + 1) / (float64(n) + 2)
	return p + math.Sqrt(p*(1-p)/float64(n))
}

// minHopeless is the number of blocks below which no attempt is hopeless.
const minHopeless = 300

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
