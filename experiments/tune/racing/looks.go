package racing

import "slices"

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
	next, _ := slices.BinarySearch(analyses, n+1)
	return min(analyses[next], limit)
}

// number returns which look one at n blocks is, from 1, of those with at least n.
func number(analyses []int, n, smallest int) int {
	first, _ := slices.BinarySearch(analyses, smallest)
	at, _ := slices.BinarySearch(analyses, n)
	return at - first + 1
}

// from returns how many looks there are at n blocks and more.
func from(analyses []int, smallest int) int {
	first, _ := slices.BinarySearch(analyses, smallest)
	return len(analyses) - first
}
