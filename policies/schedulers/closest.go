package schedulers

import "github.com/marigram/marigram/sim"

// closest chooses GPUs for a gang that are as close together as they can be: of one server, else of one rack, else of one
// place of the next tier (sim.Market.Tiers), else of all. Of several such servers or places it takes the one that has least
// free, the first on a tie, so that large rooms stay large; and there as few servers as it can.
type closest struct {
	parts []sim.Part // chosen
	sums  []int      // scratch: free by place
	in    []int      // scratch: candidates
}

// choose chooses n GPUs of these pools by what is free, which is enough.
func (c *closest) choose(tiers [][]int32, pools []int, free []int, n int) []sim.Part {
	c.parts, c.in = c.parts[:0], append(c.in[:0], pools...)
	if best(pools, free, n) < 0 {
		c.narrow(tiers, free, n)
	}
	for n > 0 {
		p := best(c.in, free, n)
		if p < 0 {
			p = maxOf(c.in, free)
		}
		k := min(n, free[p])
		c.parts = append(c.parts, sim.Part{Pool: int32(p), N: int32(k)})
		n -= k
		for i, q := range c.in {
			if q == p {
				c.in = append(c.in[:i], c.in[i+1:]...)
				break
			}
		}
	}
	return c.parts
}

// narrow leaves in c.in the pools of the place that is to have the gang, all where none has room for it.
func (c *closest) narrow(tiers [][]int32, free []int, n int) {
	for _, at := range tiers {
		c.sums = append(c.sums[:0], make([]int, len(at))...)
		for _, p := range c.in {
			c.sums[at[p]] += free[p]
		}
		place := int32(-1)
		for _, p := range c.in {
			if has := c.sums[at[p]]; has >= n && (place < 0 || has < c.sums[place]) {
				place = at[p]
			}
		}
		if place < 0 {
			continue
		}
		left := c.in[:0]
		for _, p := range c.in {
			if at[p] == place {
				left = append(left, p)
			}
		}
		c.in = left
		return
	}
}

// best returns the pool with the fewest free GPUs that are at least n, the first of equal ones; -1 if there is none.
func best(pools, free []int, n int) int {
	at := -1
	for _, p := range pools {
		if free[p] >= n && (at < 0 || free[p] < free[at]) {
			at = p
		}
	}
	return at
}

// most returns the pool with the most free GPUs, the first of equal ones.
func maxOf(pools, free []int) int {
	at := pools[0]
	for _, p := range pools {
		if free[p] > free[at] {
			at = p
		}
	}
	return at
}
