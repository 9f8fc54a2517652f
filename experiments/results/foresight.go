package results

import (
	"math"
)

// Foresight brings together, over futures, the two lower bounds of what a policy pays that does not know the future:
// that of bound.WithoutForesight and that of who does know it. Neither is the tighter one everywhere. Of the even
// futures the one is taken whose mean over the odd ones is higher, and the other way round: no future chooses for
// itself, so the expectation of Mean is below the expected cost whichever is taken. The zero value is empty.
type Foresight struct{ halves [2]half }

// half is sums over every second future.
type half struct {
	n                float64
	without, bound   float64
	without2, bound2 float64 // of squares
}

// Add adds a future: what bound.WithoutForesight and bound.Hindsight say of it, USD.
func (f *Foresight) Add(without, bound float64) {
	h := &f.halves[f.N()%2]
	h.n++
	h.without, h.bound = h.without+without, h.bound+bound
	h.without2, h.bound2 = h.without2+without*without, h.bound2+bound*bound
}

// N returns the number of futures.
func (f *Foresight) N() int { return int(f.halves[0].n + f.halves[1].n) }

// Mean returns a lower bound of the expected cost of every policy that does not know the future and always meets the
// objective, USD, and its standard error. It panics for less than two futures.
func (f *Foresight) Mean() (usd, stdErr float64) {
	if f.N() < 2 {
		panic("results: Foresight of less than two futures")
	}
	sum, squares := 0.0, 0.0
	for i := range f.halves {
		if h := &f.halves[i]; f.halves[1-i].higher() {
			sum, squares = sum+h.without, squares+h.without2
		} else {
			sum, squares = sum+h.bound, squares+h.bound2
		}
	}
	n := float64(f.N())
	usd = sum / n
	return usd, math.Sqrt(max(squares-n*usd*usd, 0) / (n - 1) / n)
}

// higher reports whether the bound without foresight is above the other in the mean.
func (h *half) higher() bool { return h.without > h.bound }
