// Package stash computes the claims on Stash: what GPUs wait for.
package stash

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/papers"
)

// stallsOf reports the four stalls of constructed differential runs, s and
// percent.
func stallsOf(f *papers.Figure) error {
	var in struct {
		Cases []struct {
			Name      string  `json:"name"`
			T0        float64 `json:"t0_s"`
			T1        float64 `json:"t1_s"`
			T2        float64 `json:"t2_s"`
			T3        float64 `json:"t3_s"`
			Networked float64 `json:"t1_networked_s"`
		} `json:"cases"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, c := range in.Cases {
		s := stalls.Differential{One: c.T0, All: c.T1, Cold: c.T2, Warm: c.T3, Networked: c.Networked}.Stalls()
		report := func(item string, s stalls.Stall) {
			f.Report(fmt.Sprintf("%s-%s-s", c.Name, item), s.Seconds)
			f.Report(fmt.Sprintf("%s-%s-percent", c.Name, item), 100*s.Share)
		}
		report("interconnect", s.Interconnect)
		report("cpu", s.CPU)
		report("disk", s.Disk)
		if c.Networked > 0 {
			report("network", s.Network)
		}
	}
	return nil
}

// link is what gradients are exchanged over.
type link struct {
	LatencyS float64 `json:"latency_s"` // of the exchange of a layer
	MBps     float64 `json:"mbps"`      // effective bandwidth of a GPU, or of the slowest hop of the ring
	GPUs     int     `json:"gpus"`
}

// exchange returns the time in which the GPUs exchange the gradients of a network by a
// ring, s: the family stall-layers with a = LatencyS and b = 2 (n-1)/n / MBps, since that
// share of the gradients passes each hop of n.
func (l link) exchange(layers, gradientMB float64) float64 {
	if l.GPUs < 2 {
		return 0
	}
	return l.LatencyS*layers + 2*float64(l.GPUs-1)/float64(l.GPUs)*gradientMB/l.MBps
}

// shapes reports how far the interconnect stall and the slowdown by the
// network reach, up and down, over a grid of networks.
func shapes(f *papers.Figure) error {
	var in struct {
		Shared    link      `json:"shared_bus"`
		Single    link      `json:"single_instance"`
		Networked link      `json:"networked"`
		ComputeS  []float64 `json:"compute_s"`
		Networks  []struct {
			Layers     float64 `json:"layers"`
			GradientMB float64 `json:"gradient_mb"`
		} `json:"networks"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	stallMin, stallMax := math.Inf(1), math.Inf(-1)
	slowMin, slowMax := math.Inf(1), math.Inf(-1)
	for _, n := range in.Networks {
		for _, compute := range in.ComputeS {
			run := func(l link) float64 {
				return compute + l.exchange(n.Layers, n.GradientMB)
			}
			bus := stalls.Differential{One: compute, All: run(in.Shared)}.Stalls()
			net := stalls.Differential{One: compute, All: run(in.Single), Networked: run(in.Networked)}.Stalls()
			stallMin, stallMax = min(stallMin, 100*bus.Interconnect.Share), max(stallMax, 100*bus.Interconnect.Share)
			slowMin, slowMax = min(slowMin, 1+net.Network.Share), max(slowMax, 1+net.Network.Share)
		}
	}
	f.Report("interconnect-stall-reaches", stallMax)
	f.Report("interconnect-stall-falls-below", stallMin)
	f.Report("network-slowdown-reaches", slowMax)
	f.Report("network-slowdown-falls-below", slowMin)
	return nil
}
