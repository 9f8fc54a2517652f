package throughput

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// A gang keeps less of its speed the further apart its GPUs are, and a job of one GPU all of it.
func TestNetwork(t *testing.T) {
	n := &Network{Server: 0.95, Rack: 0.85, Beyond: 0.55, Racks: []int{0, 0, 1}}
	for _, x := range []struct {
		gpus    int
		workers []int32
		pools   []int32
		want    float64
	}{
		{1, []int32{0, 1, 0}, nil, 2}, {2, []int32{2, 0, 0}, nil, 1.9}, {2, []int32{1, 1, 0}, nil, 1.7}, {2, []int32{1, 0, 1}, nil, 1.1},
		{2, []int32{1, 1}, []int32{2, 1}, 1.1}, {2, []int32{1, 1}, []int32{1, 0}, 1.7},
	} {
		g := Gang{GPUs: x.gpus, Total: 1, Speeds: []float64{2, 2, 2}, Network: n}
		if got := g.Rate(&sim.Layout{Workers: x.workers, Pools: x.pools}).Progress; got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
