package synth

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
	"github.com/marigram/marigram/traces/replay"
)

// Trace makes a market that lasts for span from time 0, for replay. One seed
// makes one market; a pool's random numbers depend on the seed, its name and its
// region's name, not on the other pools.
func (s Synthetic) Trace(seed uint64, pools []SyntheticPool, span time.Duration) (*replay.Trace, error) {
	if err := s.check(pools, span); err != nil {
		return nil, err
	}
	end := span.Microseconds()
	list := syntheticPools(pools)
	return replay.OfSynthetic(list, end, s.make(seed, pools, list, end)), nil
}

// make makes a market of checked pools.
func (s Synthetic) make(seed uint64, pools []SyntheticPool, list []traces.Pool, end int64) []replay.Series {
	out := make([]replay.Series, len(pools))
	m := &maker{Synthetic: s, dice: sim.Rand{Seed: seed}, end: end}
	m.global = m.factor(0, s.GlobalShocks)
	for i, p := range pools {
		entity := sim.NameEntity(list[i].Name)
		out[i] = replay.Series{
			Counts: m.levels(entity, m.region(p.Region), p.Cap),
			Prices: m.prices(entity, sim.NameEntity(p.Region), p.OnDemandNano),
			Cap:    p.Cap,
		}
	}
	return out
}

// Set makes the same market as Trace, in the neutral form.
func (s Synthetic) Set(seed uint64, pools []SyntheticPool, span time.Duration) (*traces.Set, error) {
	if err := s.check(pools, span); err != nil {
		return nil, err
	}
	end := span.Microseconds()
	set := &traces.Set{Pools: syntheticPools(pools)}
	ids := make([]int32, len(pools))
	for i, generated := range s.make(seed, pools, set.Pools, end) {
		ids[i] = int32(i)
		for _, x := range generated.Prices {
			set.Prices = append(set.Prices, traces.PriceRow{
				T:            x.T,
				PoolID:       int32(i),
				Origin:       traces.OriginDerived,
				PriceNanoUSD: int64(math.Round(x.V * traces.NanoPerUSD)),
				Currency:     "USD",
			})
		}
		for _, x := range generated.Counts {
			n := int32(x.V)
			limit := int32(pools[i].Cap)
			set.Capacity = append(set.Capacity, traces.CapacityRow{
				T:         x.T,
				PoolID:    int32(i),
				Origin:    traces.OriginDerived,
				Available: n,
				Cap:       limit,
				Censored:  n == limit,
			})
		}
	}
	series.Order(set.Prices, ids)
	series.Order(set.Capacity, ids)
	set.Manifest = s.manifest(seed, end, set.Counts())
	return set, set.Check()
}

func (s Synthetic) manifest(seed uint64, end int64, rows traces.RowCounts) traces.Manifest {
	settings, _ := json.Marshal(s) // numbers that Check found finite
	return traces.Manifest{
		SchemaVersion: traces.SchemaVersion, TraceID: fmt.Sprintf("synthetic-%d", seed),
		Importer:  traces.ImporterRecord{Name: "synthetic", Version: 1},
		ClockKind: traces.ClockRelative, TEndUs: end, Semantics: traces.SemanticsSynthetic, Rows: rows,
		Notes: []string{"made, not observed", fmt.Sprintf("seed %d", seed), "settings " + string(settings)},
	}
}

func syntheticPools(pools []SyntheticPool) []traces.Pool {
	out := make([]traces.Pool, len(pools))
	for i, p := range pools {
		onDemand := p.OnDemandNano
		out[i] = traces.Pool{
			PoolID: int32(i), Name: traces.PoolName(p.Zone, p.InstanceType, ""), Cloud: "synthetic",
			Region: p.Region, Zone: p.Zone, InstanceType: p.InstanceType, GPUType: p.GPU,
			Market: "spot", GPUCount: int32(p.GPUs), OnDemandNano: &onDemand,
		}
	}
	return out
}
