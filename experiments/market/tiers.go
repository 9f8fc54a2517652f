package market

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec/cluster"
)

// tiers says where the servers of a cluster are, one after the other.
type tiers struct {
	of      []cluster.Tier
	servers int    // so far
	racks   int    // so far
	rack    string // of the last server
}

// next returns the rack of the k-th server of entry i, and what that is in.
func (t *tiers) next(i, k int, x *cluster.Servers) (rack string, above []string) {
	rack = t.rackOf(i, k, x)
	if rack != t.rack {
		t.rack = rack
		t.racks++
	}
	t.servers++
	place := t.racks - 1
	for _, tier := range t.of[min(1, len(t.of)):] {
		place /= tier.Of
		above = append(above, fmt.Sprintf("%s-%d", tier.Name, place))
	}
	return rack, above
}

// rackOf names the rack of the next server.
func (t *tiers) rackOf(i, k int, x *cluster.Servers) string {
	if len(t.of) > 0 && t.of[0].Of > 0 {
		return fmt.Sprintf("%s-%d", t.of[0].Name, t.servers/t.of[0].Of)
	}
	n := 0
	if x.PerRack > 0 {
		n = k / x.PerRack
	}
	return fmt.Sprintf("rack-%d-%d", i, n)
}
