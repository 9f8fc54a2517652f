package throughput

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// A gang keeps less of its speed the further apart its GPUs are, and a job of one GPU all of it.
func TestNetwork(t *testing.T) {
	n := &Network{Keeps: []float64{0.95, 0.85, 0.55}, Tiers: [][]int32{{0, 0, 1}}}
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

// With more tiers it is the widest that any two of its servers need: two racks of two servers in a pod, and a rack of
// another.
func TestNetworkOfTiers(t *testing.T) {
	n := &Network{Keeps: []float64{1, 0.8, 0.5, 0.25}, Tiers: [][]int32{{0, 0, 1, 1, 2}, {0, 0, 0, 0, 1}}}
	for _, x := range []struct {
		pools []int32
		want  float64
	}{{[]int32{3}, 1}, {[]int32{1, 0}, 0.8}, {[]int32{0, 1, 2}, 0.5}, {[]int32{2, 3, 0}, 0.5}, {[]int32{0, 1, 4}, 0.25}, {[]int32{4, 0}, 0.25}} {
		l := sim.Layout{Pools: x.pools, Workers: make([]int32, len(x.pools))}
		for k := range l.Workers {
			l.Workers[k] = 1
		}
		g := Gang{GPUs: len(x.pools), Total: 1, Network: n}
		if g.GPUs == 1 {
			g.GPUs, l.Workers[0] = 2, 2
		}
		if got := g.Rate(&l).Progress; got != x.want {
			t.Errorf("on servers %v: %v, expected %v", x.pools, got, x.want)
		}
	}
}
