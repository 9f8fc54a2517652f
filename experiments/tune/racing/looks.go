package racing

import "slices"

const (
	firstLook = 10 // blocks
	// fewest is the number of blocks below which no costs are compared: the means of
	// fewer differences need not be normal.
	fewest = 20
)

// looksTo returns the numbers of blocks at which a race looks, the last one most.
func looksTo(first, most int) (looks []int) {
	for n := min(first, most); n < most; n += max(n/2, 1) {
		looks = append(looks, n)
	}
	return append(looks, most)
}

// part is the part of an error probability that the k-th look has, k from 1: all of them
// together have 1.
func part(k int) float64 { return 1 / (float64(k) * float64(k+1)) }

// after returns the look after n blocks, at most limit.
func after(looks []int, n, limit int) int {
	i, _ := slices.BinarySearch(looks, n+1)
	return min(looks[i], limit)
}

// number returns which look one at n blocks is, from 1, of those with at least so many.
func number(looks []int, n, least int) int {
	first, _ := slices.BinarySearch(looks, least)
	i, _ := slices.BinarySearch(looks, n)
	return i - first + 1
}
