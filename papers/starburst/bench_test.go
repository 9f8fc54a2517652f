package starburst

import (
	"fmt"
	"github.com/marigram/marigram/papers/internal/peers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"testing"
)

// BenchmarkPeers simulates what the public simulator was timed with.
func BenchmarkPeers(b *testing.B) {
	for _, nodes := range []int{4, 64} {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			pools, err := world.Servers(fmt.Sprintf("n%dg8", nodes))
			if err != nil {
				b.Fatal(err)
			}
			pools = append(pools, sim.Trace{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: cloudQuota}, Prices: []sim.Price{{USD: 1}}})
			peers.Scheduler(b, pools, peers.Overload(20_000, 8*nodes), &schedulers.Starburst{Patience: schedulers.PerGPUHour, Factor: 0.25})
		})
	}
}
