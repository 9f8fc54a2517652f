package dally

import (
	"github.com/marigram/marigram/papers/dally/reference"
	"github.com/marigram/marigram/papers/internal/peers"
	"testing"
)

// BenchmarkPeers simulates what the public simulator was timed with.
func BenchmarkPeers(b *testing.B) {
	c := reference.Config{Cluster: reference.Cluster{Racks: 4, Machines: 2, Slots: 2, GPUs: 4}, Lease: 600, Chunk: 100, History: 24, Rack: -1, Network: -1,
		Jobs: dallyJobs("p0")}
	peers.PerCPU(b, len(c.Jobs), func() { reference.Run(c) })
}
