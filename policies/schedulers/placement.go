package schedulers

import "github.com/marigram/marigram/sim"

// Placement says which GPUs a gang may have.
type Placement string

// The placements; the empty one is Anywhere (of Rounds, FewServers).
const (
	// Anywhere takes GPUs where they are free, in the order of the pools.
	Anywhere Placement = "anywhere"
	// Consolidated keeps a gang that fits into a server on one, the first with enough free. A
	// larger one gets as many entirely free servers as it fills, and for the rest the first
	// other server with enough free, all at one switch, else nothing (YARN's capacity scheduler,
	// as in Tiresias's simulator).
	Consolidated Placement = "consolidated"
	// Closest takes the GPUs that are closest together: of one server, of one rack, or of one place of the narrowest
	// tier above it that has enough. It never waits for better ones.
	Closest Placement = "closest"
	// FewServers takes the first server with enough free GPUs, else the servers with most.
	FewServers Placement = "few-servers"
)

// Fit is what a scheduler needs a gang to fit into: it never gives GPUs to one that does not.
type Fit int

const (
	// InCluster: GPUs of all models together.
	InCluster Fit = iota
	// OnModel: GPUs of one model.
	OnModel
	// OnGPU: a single GPU.
	OnGPU
)

// String names what a gang has to fit into, for messages.
func (f Fit) String() string {
	return [...]string{"the cluster", "the GPUs of one model", "one GPU"}[f]
}

// closest chooses GPUs for a gang that are as close together as they can be: of one server, else of one rack, else of one
// place of the next tier (sim.Market.Tiers), else of all. Of several such servers or places it takes the one that has least
// free, the first on a tie, so that large gaps stay large; and there as few servers as it can.
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

// narrow leaves in c.in the pools of the place that is to have the gang, all where none has enough.
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

// maxOf returns the pool with the most free GPUs, the first of equal ones.
func maxOf(pools, free []int) int {
	at := pools[0]
	for _, p := range pools {
		if free[p] > free[at] {
			at = p
		}
	}
	return at
}

// enough returns the first pool with at least n free GPUs, else the one with the most.
func enough(pools, free []int, n int) int {
	for _, p := range pools {
		if free[p] >= n {
			return p
		}
	}
	return maxOf(pools, free)
}
