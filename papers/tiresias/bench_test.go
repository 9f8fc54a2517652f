package tiresias

import (
	"github.com/marigram/marigram/papers/internal/peers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"testing"
)

// BenchmarkPeers simulates what the public simulator was timed with.
func BenchmarkPeers(b *testing.B) {
	pools, err := world.Servers("n8g4")
	if err != nil {
		b.Fatal(err)
	}
	for name, p := range map[string]sim.Policy{
		"fifo-yarn":    &schedulers.FIFO{Placement: schedulers.Consolidated},
		"dlas-gpu":     &schedulers.LAS{Limits: schedulers.DefaultLimits, AsReleased: true},
		"shortest-gpu": &schedulers.Shortest{Key: schedulers.RemainingService},
	} {
		b.Run(name, func(b *testing.B) { peers.Scheduler(b, pools, peers.Overload(2000, 32), p) })
	}
}
