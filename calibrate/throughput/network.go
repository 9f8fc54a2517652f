package throughput

import "github.com/marigram/marigram/sim"

// Network is what the exchange between GPUs leaves of the speed of a gang.
type Network struct {
	// Server, Rack and Beyond are the part of its speed that a gang of several GPUs keeps on one server, on several
	// of one rack, and on several racks: above 0, at most 1.
	Server, Rack, Beyond float64
	// Racks is the rack of each pool, in any numbering.
	Racks []int
}

// keeps is the part of its speed that a gang keeps on a layout.
func (n *Network) keeps(l *sim.Layout, gpus int) float64 {
	if gpus == 1 {
		return 1
	}
	first, keeps := -1, n.Server
	for k, workers := range l.Workers {
		p := l.Pool(k)
		switch {
		case workers == 0:
		case first < 0:
			first = p
		case n.Racks[p] != n.Racks[first]:
			return n.Beyond
		default:
			keeps = n.Rack
		}
	}
	return keeps
}
