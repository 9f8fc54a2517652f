package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

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

// Closeness chooses GPUs for a gang that are as close together as they can be: of one server, else of one rack, else of
// one place of the next tier (sim.Market.Tiers), else of all. Of several such servers or places it takes the one that
// has least free, the first on a tie, so that large gaps stay large; and there as few servers as it can.
type Closeness struct {
	parts      []sim.Part // chosen
	sums       []int      // scratch: free by place
	candidates []int      // scratch
}

// Choose chooses n GPUs of these pools by what is free, which is enough. The result is valid until the next call.
func (c *Closeness) Choose(tiers [][]int32, pools []int, free []int, n int) []sim.Part {
	c.parts = c.parts[:0]
	c.candidates = append(c.candidates[:0], pools...)
	if tightest(pools, free, n) == none {
		c.narrow(tiers, free, n)
	}
	for n > 0 {
		p := tightest(c.candidates, free, n)
		if p == none {
			p = Emptiest(c.candidates, free)
		}
		taken := min(n, free[p])
		c.parts = append(c.parts, sim.Part{Pool: int32(p), N: int32(taken)})
		n -= taken
		at := slices.Index(c.candidates, p)
		c.candidates = slices.Delete(c.candidates, at, at+1)
	}
	return c.parts
}

// narrow leaves of the candidates the pools of the place that is to have the gang, all where none has enough.
func (c *Closeness) narrow(tiers [][]int32, free []int, n int) {
	for _, placeOf := range tiers {
		c.sums = zeros(c.sums, len(placeOf))
		for _, p := range c.candidates {
			c.sums[placeOf[p]] += free[p]
		}
		place := int32(none)
		for _, p := range c.candidates {
			sum := c.sums[placeOf[p]]
			if sum >= n && (place == none || sum < c.sums[place]) {
				place = placeOf[p]
			}
		}
		if place != none {
			c.candidates = slices.DeleteFunc(c.candidates, func(p int) bool { return placeOf[p] != place })
			return
		}
	}
}

// tightest returns the pool with the fewest free GPUs that are at least n, the first of equal ones; none if there is
// none.
func tightest(pools, free []int, n int) int {
	at := none
	for _, p := range pools {
		if free[p] >= n && (at == none || free[p] < free[at]) {
			at = p
		}
	}
	return at
}

// Emptiest returns the pool with the most free GPUs, the first of equal ones.
func Emptiest(pools, free []int) int {
	at := pools[0]
	for _, p := range pools {
		if free[p] > free[at] {
			at = p
		}
	}
	return at
}

// firstOrEmptiest returns the first pool with at least n free GPUs, else the one with the most.
func firstOrEmptiest(pools, free []int, n int) int {
	for _, p := range pools {
		if free[p] >= n {
			return p
		}
	}
	return Emptiest(pools, free)
}
