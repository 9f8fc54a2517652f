package results

import (
	"math"
)

// Foresight brings together, over futures, the two lower bounds of what a policy pays that does not know the future:
// that of bound.WithoutForesight and that of who does know it. Neither is the tighter one everywhere. Of the even
// futures the one is taken whose mean over the odd ones is higher, and the other way round: no future chooses for
// itself, so the expectation of Mean is below the expected cost whichever is taken. The zero value is empty.
type Foresight struct{ halves [2]half }

// half is every second future.
type half struct{ without, hindsight tally }

// tally adds numbers up.
type tally struct{ n, sum, squares float64 }

func (t *tally) add(x float64) {
	t.n++
	t.sum += x
	t.squares += x * x
}

// Add adds a future: what bound.WithoutForesight and bound.Hindsight say of it, USD.
func (f *Foresight) Add(without, bound float64) {
	half := &f.halves[f.N()%2]
	half.without.add(without)
	half.hindsight.add(bound)
}

// N returns the number of futures.
func (f *Foresight) N() int { return int(f.halves[0].without.n + f.halves[1].without.n) }

// Mean returns a lower bound of the expected cost of every policy that does not know the future and always meets the
// objective, USD, and its standard error. It panics for less than two futures.
func (f *Foresight) Mean() (usd, stdErr float64) {
	if f.N() < 2 {
		panic("results: Foresight of less than two futures")
	}
	sum := 0.0
	squares := 0.0
	for i := range f.halves {
		chosen := &f.halves[i].hindsight
		if f.halves[1-i].higher() {
			chosen = &f.halves[i].without
		}
		sum += chosen.sum
		squares += chosen.squares
	}
	n := float64(f.N())
	usd = sum / n
	return usd, math.Sqrt(max(squares-n*usd*usd, 0) / (n - 1) / n)
}

// higher reports whether the bound without foresight is above the other in the mean.
func (h *half) higher() bool { return h.without.sum > h.hindsight.sum }
