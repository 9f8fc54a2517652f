package market

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// What is assumed of capacity where only prices were recorded (spec.Pool.Typical). Losses by the levels low and band
// are independent of each other, and there is capacity for the quota at all times; by high, levels of capacity are
// drawn as those of a synthetic market (synth.DefaultSynthetic), which is calibrated on probes of V100 and H100: they
// fall in bulk, and together in a region.

// monthlyLimit is the share of machines lost in a month from which on a type is in the highest band of AWS's Spot
// Instance Advisor; p2 and p3 were in it in every snapshot (2021, 2024, 2025).
const monthlyLimit = 0.20

const hoursPerMonth = 730

// lasted are mean hours between two losses of an instance in the public sets that saw losses, by model of GPU.
var lasted = map[string][]float64{
	"K80":  {1.79, 7.73},                         // AWS 2022 (with V100, probes), bamboo's fleet of p2
	"T4":   {0.62, 1.83, 2.35},                   // three fleets of g4dn of bamboo-aws
	"V100": {1.64, 2.08, 2.13, 3.36, 3.50, 5.11}, // bamboo's p3; skynomad's V100 (16, 1, 4 nodes, probes); bamboo's GCP
	"A100": {4.48, 10.05},                        // probes and a fleet of GCP
	"H100": {2.13},                               // probes of up to 16, GCP
}

// lifetimeOf returns the mean lifetime that is assumed of instances of a GPU, and in words where it is from.
func lifetimeOf(typical, gpu string) (hours float64, from string) {
	if typical == spec.TypicalLow {
		return -hoursPerMonth / math.Log1p(-monthlyLimit), "a fifth is lost in a month"
	}
	seen, of := lasted[gpu], gpu
	if seen == nil {
		of = "all GPUs"
		for _, x := range lasted {
			seen = append(seen, x...)
		}
	}
	return stats.Median(slices.Clone(seen)), "the median of public sets of " + of
}

// assume makes the replay of a pool whose capacity is assumed.
func (m *Markets) assume(p *spec.Pool, r *replay.Replay, sources map[string]source) {
	r.Scale, r.Copies, r.Bid, r.Lifetime, r.Adapter = 1, 1, 0, nil, replay.CountCap
	if p.Typical() == spec.TypicalHigh {
		return
	}
	gpu := p.GPU
	if src, has := sources[p.Prices.Trace]; has {
		if k, err := src.pool(p.Prices.Pool); err == nil && gpu == "" {
			gpu = src.trace.Pools()[k].GPUType
		}
	}
	hours, _ := lifetimeOf(p.Typical(), gpu)
	r.Adapter, r.Lifetime = replay.LifetimeResample, describe.ExponentialLifetime(math.Round(hours*100)/100)
}

// assumed says what is assumed of a pool's capacity.
func (m *Markets) assumed(i int) string {
	p := &m.spec.Market.Pools[i]
	if p.Typical() == spec.TypicalHigh {
		return "capacity assumed: typical high, levels as in a synthetic market"
	}
	return fmt.Sprintf("capacity assumed: typical %s, %s", p.Typical(), m.replays[i].String())
}

// addLevels gives the pools whose levels are drawn those of a seed.
func (m *Markets) addLevels(seed uint64, all []sim.Trace) error {
	var pools []synth.SyntheticPool
	for _, i := range m.levels {
		h := &all[i]
		// A trace without zones or regions has one of each, under the name of what is known of its place.
		zone := cmp.Or(h.Zone, h.Region, "zone")
		if m.spec.Market.Pools[i].Queue != nil {
			zone += "/queued" // next to a pool of the same zone that is not
		}
		pools = append(pools, synth.SyntheticPool{
			Region:       cmp.Or(h.Region, zone),
			Zone:         zone,
			InstanceType: h.InstanceType,
			OnDemandNano: 1e9,
			Cap:          *m.spec.Market.Pools[i].Quota,
		})
	}
	if pools == nil {
		return nil
	}
	trace, err := synth.DefaultSynthetic().Trace(seed, pools, m.end.Sub(0))
	if err != nil {
		return err
	}
	for k, i := range m.levels {
		r := m.replays[i]
		r.Seed = seed
		hs, _, err := r.Traces(trace, replay.Window{}, k)
		if err != nil {
			return err
		}
		all[i].Capacity = hs[0].Capacity
	}
	return nil
}
