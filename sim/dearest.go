package sim

import (
	"cmp"
	"slices"
)

// byPrice is the pools in the order of their prices: memory that each question uses again.
type byPrice struct {
	order []int
	usd   []float64
}

// Dearest returns the pools from the dearest to the cheapest at the present prices, those of one price in
// their order. It is valid until the next call and must not be changed. Where prices are as before, it takes
// time in proportion to the pools.
func (v View) Dearest() []int {
	x, n := &v.w.prices, v.Pools()
	if len(x.order) != n {
		x.order, x.usd = resize(x.order, n), resize(x.usd, n)
		for p := range x.order {
			x.order[p] = p
		}
	}
	for p := range x.usd {
		x.usd[p] = v.Price(p)
	}
	usd := x.usd
	slices.SortFunc(x.order, func(a, b int) int { return cmp.Or(cmp.Compare(usd[b], usd[a]), a-b) })
	return x.order
}
