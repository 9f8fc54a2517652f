package eva

import (
	"github.com/marigram/marigram/papers/eva/reference"
	"github.com/marigram/marigram/papers/internal/peers"
	"testing"
)

// BenchmarkPeers simulates what the public simulator was timed with.
func BenchmarkPeers(b *testing.B) {
	for _, scheduler := range []string{"no-packing", "eva"} {
		b.Run(scheduler, func(b *testing.B) {
			c := manyEvaJobs(b, scheduler)
			peers.PerCPU(b, len(c.Jobs), func() { reference.Run(c) })
		})
	}
}

// manyEvaJobs is 200 jobs: five times those of trace a, the next an hour after the last that arrived.
func manyEvaJobs(b *testing.B, scheduler string) reference.Config {
	c, err := evaConfig("a", scheduler, 0.95, false)
	if err != nil {
		b.Fatal(err)
	}
	once, first := c.Jobs, 0
	for range 4 {
		first = c.Jobs[len(c.Jobs)-1].Arrival + 3600
		for _, j := range once {
			j.Arrival += first
			c.Jobs = append(c.Jobs, j)
		}
	}
	return c
}
