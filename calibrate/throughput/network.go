package throughput

import "github.com/marigram/marigram/sim"

// Network is what the exchange between GPUs leaves of the speed of a gang.
type Network struct {
	// Keeps is the part of its speed that a gang of several GPUs keeps by how far apart they are (sim.Market.Apart), above 0, at
	// most 1: on one server, on several of one rack, then tier by tier, and last where nothing above them is one place. It has two
	// numbers more than Tiers.
	Keeps []float64
	// Tiers numbers the places of pools (sim.Market.Tiers), from racks on.
	Tiers [][]int32
}

// keeps is the part of its speed that a gang keeps on a layout. Places are within one another, so that it is
// enough to compare all pools with the first.
func (n *Network) keeps(l *sim.Layout, gpus int) float64 {
	if gpus == 1 {
		return 1
	}
	first, apart := -1, 0
	for k, workers := range l.Workers {
		p := l.Pool(k)
		switch {
		case workers == 0:
		case first < 0:
			first = p
		default:
			apart = max(apart, 1)
			for apart <= len(n.Tiers) && n.Tiers[apart-1][p] != n.Tiers[apart-1][first] {
				apart++
			}
		}
	}
	return n.Keeps[apart]
}
