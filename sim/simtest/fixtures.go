package simtest

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// purposeFixture draws the fixtures' traces.
const purposeFixture = sim.PurposeUser + 100

// Market makes a market for tests: two instance types in two zones on the spot
// market and two pools on demand, over the span, with prices that change every
// few minutes and capacity that falls and comes back in bulk; one of the pools
// is a recorded fleet of machines. After the instant cut (Never: at no time) the market
// is that of another seed.
func Market(seed uint64, span time.Duration, cut sim.Time) *sim.Market {
	return merged(span, traces(seed, span, cut))
}

// Traces returns the traces of Market, to be changed.
func Traces(seed uint64, span time.Duration) []sim.Trace {
	return traces(seed, span, sim.Never)
}

func traces(seed uint64, span time.Duration, cut sim.Time) (hs []sim.Trace) {
	end := sim.Time(0).Add(span)
	for i, typ := range []string{"small", "large"} {
		for z := range 2 {
			hs = append(hs, spotTrace(seed, 2*i+z, typ, fmt.Sprintf("zone-%c", 'a'+z), end, cut))
		}
		pool := sim.Pool{
			Name:          "on-demand/" + typ,
			InstanceType:  typ,
			OnDemand:      true,
			OnDemandPrice: float64(i + 1),
			Quota:         8,
			Boot:          sim.Boot{Median: 90 * time.Second},
		}
		hs = append(hs, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: pool.OnDemandPrice}}})
	}
	return hs
}

func merged(span time.Duration, hs []sim.Trace) *sim.Market {
	market, err := sim.NewMarket(sim.Time(0).Add(span), hs)
	if err != nil {
		panic(err)
	}
	return market
}

// withUnused is the traces with two more pools, before the others and among them, of
// which no instance can be held, however cheap.
func withUnused(hs []sim.Trace) []sim.Trace {
	unused := func(name string, like sim.Trace) sim.Trace {
		like.Name = name
		like.Zone = name
		like.Quota = 0
		like.Prices = []sim.Price{{USD: 0.001}}
		return like
	}
	return slices.Concat([]sim.Trace{unused("first", hs[0])}, hs[:3], []sim.Trace{unused("among", hs[1])}, hs[3:])
}

func spotTrace(seed uint64, pool int, typ, zone string, end, cut sim.Time) sim.Trace {
	usd := map[string]float64{"small": 0.3, "large": 0.7}[typ]
	trace := sim.Trace{Pool: sim.Pool{Name: zone + "/" + typ, Zone: zone, InstanceType: typ, Quota: 4,
		Notice: 120 * time.Second, NoticeMissing: 0.2, Boot: sim.Boot{Median: 90 * time.Second, Sigma: 0.3}}}
	trace.Prices = []sim.Price{{USD: usd}}
	trace.Capacity = []sim.Capacity{{N: 4}}
	at := sim.Time(0)
	for n := uint64(0); ; n++ {
		rand := sim.Rand{Seed: seed}
		draw := func(k uint64) float64 { return rand.Uniform(purposeFixture, uint64(pool), 3*n+k) }
		next := at.After(60 + 1200*draw(0))
		if next > cut && at <= cut {
			next = max(next, cut+1)
		}
		if at = next; at >= end {
			break
		}
		if at > cut {
			rand.Seed = ^seed
		}
		trace.Prices = append(trace.Prices, sim.Price{At: at, USD: usd * (0.8 + 0.4*draw(1))})
		trace.Capacity = append(trace.Capacity, sim.Capacity{At: at, N: int(7 * draw(2))})
	}
	if pool == 3 {
		trace.Nodes = machines(trace.Capacity)
		trace.Capacity = nil
	}
	trace.Victim = sim.Victim(pool % 3)
	trace.Notice = []time.Duration{120 * time.Second, 0, 120 * time.Second, 30 * time.Second}[pool]
	return trace
}

// machines turns counts into machines that come and go: the last to come is the
// first to go.
func machines(counts []sim.Capacity) (events []sim.NodeEvent) {
	up := 0
	lastDown := [8]sim.Time{}
	for _, count := range counts {
		for ; up > count.N; up-- {
			events = append(events, sim.NodeEvent{At: count.At, Node: up - 1})
			lastDown[up-1] = count.At
		}
		for ; up < count.N && lastDown[up] < count.At || up < count.N && count.At == 0; up++ {
			events = append(events, sim.NodeEvent{At: count.At, Node: up, Up: true})
		}
	}
	return events
}

// Jobs returns n jobs for Market, the k-th submitted k half-hours after the first.
func Jobs(n int) []sim.Job {
	jobs := make([]sim.Job, n)
	for i := range jobs {
		jobs[i] = sim.Job{Name: fmt.Sprintf("job-%d", i), Submit: time.Duration(i) * 30 * time.Minute,
			Model: Linear{
				PerWorker: 1, Stall: 20 * time.Second, Reshape: 5 * time.Second, Save: 10 * time.Second,
				Served: 3, Chief: ChiefRollsBack,
			},
			Objective:        sim.Objective{Loss: LossAt(3 * 3600), Within: 2 * time.Hour},
			ParameterServers: 1, ParameterServerPrice: 0.192, StorageGB: 10, StoragePrice: 0.1}
	}
	return jobs
}
