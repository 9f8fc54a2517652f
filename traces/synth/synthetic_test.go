package synth

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/internal/series"
	"github.com/marigram/marigram/traces/replay"
)

// p32 is a machine like those of the published traces.
var p32 = SyntheticPool{InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16}

func mustSynthetic(t testing.TB, seed uint64, pools []SyntheticPool, span time.Duration) *traces.Set {
	t.Helper()
	s, err := DefaultSynthetic().Set(seed, pools, span)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSyntheticStatistics holds the default settings to what was published
// (see Synthetic). go test -v prints the table.
func TestSyntheticStatistics(t *testing.T) {
	check := near.Count(t)
	const seeds, days = 60, 14
	pools := SyntheticPools(3, 3, p32)
	values := map[string][]float64{}
	add := func(name string, x float64) { values[name] = append(values[name], x) }
	var steps []float64
	empty, full, hours := 0.0, 0.0, 0.0
	for seed := range uint64(seeds) {
		s := mustSynthetic(t, seed, pools, days*24*time.Hour)
		st := describe.Stats(s)
		add("availability", *st.Availability)
		add("drop events per zone-hour", *st.DropsPerHour)
		add("drop events of two or more", *st.BulkPlural)
		add("machines of a drop event", *st.BulkMean)
		add("MTBP, h", *st.MTBPHours)
		add("correlation of availability within a region", *st.AvailabilitySame)
		add("correlation of availability across regions", *st.AvailabilityCross)
		add("correlation of price within a region", *st.PriceSame)
		add("correlation of price across regions", *st.PriceCross)
		for _, p := range st.Pools {
			add("price of on-demand", *p.Price.OverOnDemand)
			add("lowest price of on-demand", *p.Price.MinOver)
			add("highest price of on-demand", *p.Price.MaxOver)
			add("price changes per day", *p.Price.ChangesPerDay)
			add("availability of a zone", *p.Availability)
		}
		for i, rows := range series.ByPool(s.Prices, len(s.Pools)) {
			for k := 1; k < len(rows); k++ {
				steps = append(steps, math.Abs(traces.USD(rows[k].PriceNanoUSD)/traces.USD(rows[k-1].PriceNanoUSD)-1))
			}
			for p := range series.Pieces(series.CapacitySteps(series.ByPool(s.Capacity, len(s.Pools))[i]), nil, s.Manifest.TEndUs) {
				hours += p.Hours()
				if p.V == 0 {
					empty += p.Hours()
				} else if p.V == 16 {
					full += p.Hours()
				}
			}
		}
	}
	slices.Sort(steps)
	values["price step, median"] = []float64{stat.Quantile(.5, stat.Empirical, steps, nil)}
	values["price step, 95th percentile"] = []float64{stat.Quantile(.95, stat.Empirical, steps, nil)}
	values["price step, largest"] = []float64{steps[len(steps)-1]}
	values["time with none"] = []float64{empty / hours}
	values["time with all"] = []float64{full / hours}

	t.Logf("%-45s %8s %8s %8s   %s", "", "least", "mean", "most", "published")
	for _, w := range []struct {
		name      string
		low, high float64 // of the mean
		published string
	}{
		{"availability", .40, .65, ".40-.65"},
		{"time with none", .23, .38, ".233 (H100), .37 (V100)"},
		{"time with all", .36, .46, ".436 (H100), .456 (V100)"},
		{"availability of a zone", .40, .65, ".11-.998"},
		{"drop events per zone-hour", .2, .8, ".19-.82"},
		{"drop events of two or more", .75, .95, ".765 (H100), .879 (V100)"},
		{"machines of a drop event", 5.4, 9.3, "5.4 (H100), 9.28 (V100)"},
		{"MTBP, h", 1.6, 5.2, "2.08-5.11"},
		{"correlation of availability within a region", .2, .8, ".2-.8"},
		{"correlation of availability across regions", 0, .2, ".0-.2"},
		{"correlation of price within a region", .2, .9, ".43-.83"},
		{"correlation of price across regions", -.1, .2, ".14"},
		{"price of on-demand", .30, .60, ".304-.54"},
		{"lowest price of on-demand", .30, .60, ".300"},
		{"highest price of on-demand", .30, .60, ".603"},
		{"price changes per day", .9, 4.2, ".88-4.2"},
		{"price step, median", .0018, .0026, ".0022"},
		{"price step, 95th percentile", .010, .016, ".013"},
		{"price step, largest", .030, .0381, ".038"},
	} {
		v := values[w.name]
		mean := 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		t.Logf("%-45s %8.4f %8.4f %8.4f   %s", w.name, slices.Min(v), mean, slices.Max(v), w.published)
		if !(mean >= w.low && mean <= w.high) {
			t.Errorf("%s: mean %.4f, expected %v to %v", w.name, mean, w.low, w.high)
		}
	}
	if low, high := slices.Min(values["lowest price of on-demand"]), slices.Max(values["highest price of on-demand"]); check.Below(low, .3) ||
		check.Above(high, .6) {
		t.Errorf("prices from %v to %v of on-demand leave [.3, .6]", low, high)
	}
}

func TestSyntheticSeeds(t *testing.T) {
	pools := SyntheticPools(2, 5, p32)
	a, b := mustSynthetic(t, 7, pools, 12*time.Hour), mustSynthetic(t, 7, pools, 12*time.Hour)
	if !reflect.DeepEqual(a, b) {
		t.Error("one seed made two markets")
	}
	c := mustSynthetic(t, 8, pools, 12*time.Hour)
	if reflect.DeepEqual(a.Capacity, c.Capacity) || reflect.DeepEqual(a.Prices, c.Prices) {
		t.Error("two seeds made one market")
	}
	if a.Manifest.Semantics != traces.SemanticsSynthetic || a.Pools[0].Cloud != "synthetic" || a.Prices[0].Origin != traces.OriginDerived {
		t.Errorf("not marked synthetic: %+v", a.Manifest)
	}
}

// TestSyntheticFrozen freezes the sequence: changing it changes every published
// number made with it.
func TestSyntheticFrozen(t *testing.T) {
	s := mustSynthetic(t, 1, SyntheticPools(2, 3, p32), 48*time.Hour)
	var first [][2]int64
	text := ""
	for _, r := range s.Capacity {
		if r.PoolID == 0 && len(first) < 4 {
			first = append(first, [2]int64{r.T, int64(r.Available)})
		}
		text += fmt.Sprintln(r.T, r.PoolID, r.Available)
	}
	for _, r := range s.Prices {
		text += fmt.Sprintln(r.T, r.PoolID, r.PriceNanoUSD)
	}
	want := [][2]int64{{0, 16}, {3306641716, 3}, {5713679067, 0}, {7103215387, 1}}
	if hash := sim.NameEntity(text); !reflect.DeepEqual(first, want) || hash != 0x7db970db29cbce1f {
		t.Errorf("seed 1 makes %v..., %d rows, hash %#x, expected %v", first, len(s.Capacity)+len(s.Prices), hash, want)
	}
}

// A pool's market does not depend on the other pools.
func TestSyntheticByName(t *testing.T) {
	const span = 48 * time.Hour
	make := func(pools []SyntheticPool, span time.Duration) []replay.Series {
		return DefaultSynthetic().make(3, pools, syntheticPools(pools), span.Microseconds())
	}
	pools := SyntheticPools(2, 3, p32)
	all, one := make(pools, span), make(pools[4:5], span)
	if !reflect.DeepEqual(all[4], one[0]) {
		t.Error("a pool changed when others were left out")
	}
	long := make(pools, 2*span)
	if !reflect.DeepEqual(all[4].Counts, long[4].Counts[:len(all[4].Counts)]) {
		t.Error("a longer market begins otherwise")
	}
}

// The trace and the set replay alike.
func TestSyntheticTapeIsSet(t *testing.T) {
	pools := SyntheticPools(2, 2, p32)
	trace, err := DefaultSynthetic().Trace(5, pools, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	r := replay.Replay{Notice: 30 * time.Second}
	a, endA, errA := r.Traces(trace, replay.Window{})
	b, endB, errB := r.Traces(replay.New(mustSynthetic(t, 5, pools, 24*time.Hour)), replay.Window{})
	if errA != nil || errB != nil || endA != endB || !reflect.DeepEqual(a, b) {
		t.Errorf("the trace and the set replay differently: %v %v", errA, errB)
	}
	if endA != sim.At(24*3600) {
		t.Errorf("ends at %v", endA)
	}
	if _, err := sim.NewMarket(endA, a); err != nil {
		t.Error(err)
	}
}

func TestSyntheticCapOne(t *testing.T) {
	check := near.Count(t)
	one := p32
	one.Cap = 1
	s := mustSynthetic(t, 2, SyntheticPools(1, 4, one), 14*24*time.Hour)
	st := describe.Stats(s)
	if a := *st.Availability; check.Outside(a, .4, .7) {
		t.Errorf("availability %.3f of pools of one machine", a)
	}
	for _, r := range s.Capacity {
		if r.Available > 1 {
			t.Fatalf("%d machines of a cap of 1", r.Available)
		}
	}
}

func TestSyntheticRefuses(t *testing.T) {
	ok := SyntheticPools(1, 2, p32)
	for name, c := range map[string]struct {
		change func(*Synthetic)
		pools  []SyntheticPool
		span   time.Duration
	}{
		"negative rate": {func(s *Synthetic) { s.PoolShocks = -1 }, ok, time.Hour},
		"nan share":     {func(s *Synthetic) { s.GlobalShare = math.NaN() }, ok, time.Hour},
		"shares":        {func(s *Synthetic) { s.RegionShare = .95 }, ok, time.Hour},
		"masses":        {func(s *Synthetic) { s.Full = .9 }, ok, time.Hour},
		"floor":         {func(s *Synthetic) { s.Floor = .9 }, ok, time.Hour},
		"single steps":  {func(s *Synthetic) { s.SingleStep = 2 }, ok, time.Hour},
		"changes":       {func(s *Synthetic) { s.ChangesMax = .1 }, ok, time.Hour},
		"step":          {func(s *Synthetic) { s.StepMax = 2 }, ok, time.Hour},
		"trend":         {func(s *Synthetic) { s.TrendDays = 0 }, ok, time.Hour},
		"no pools":      {func(*Synthetic) {}, nil, time.Hour},
		"pool twice":    {func(*Synthetic) {}, append(ok[:1:1], ok[0]), time.Hour},
		"no span":       {func(*Synthetic) {}, ok, 0},
		"too much":      {func(s *Synthetic) { s.PoolShocks = 3600 }, ok, 100 * 365 * 24 * time.Hour},
		"no price":      {func(*Synthetic) {}, []SyntheticPool{{Region: "r", Zone: "z", InstanceType: "t", Cap: 1}}, time.Hour},
	} {
		s := DefaultSynthetic()
		c.change(&s)
		if _, err := s.Set(1, c.pools, c.span); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Processor time, of which other programs take none.
func TestSyntheticSpeed(t *testing.T) {
	check := near.Count(t)
	pools := SyntheticPools(2, 5, p32)
	start := tracetest.CPUSeconds(t)
	const seeds = 200
	for seed := range uint64(seeds) {
		if _, err := DefaultSynthetic().Trace(seed, pools, 12*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	each := 1000 * (tracetest.CPUSeconds(t) - start) / seeds
	if t.Logf("%.3f ms a market", each); check.Above(each, 1) {
		t.Errorf("a market of 12 h and 10 pools takes %.3f ms, expected well under 1 ms", each)
	}
}

// A sweep makes one market a seed: twelve hours of ten pools.
func BenchmarkSynthetic(b *testing.B) {
	pools := SyntheticPools(2, 5, p32)
	r := replay.Replay{Notice: 120 * time.Second}
	b.ReportAllocs()
	for seed := uint64(0); b.Loop(); seed++ {
		trace, err := DefaultSynthetic().Trace(seed, pools, 12*time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := r.Traces(trace, replay.Window{}); err != nil {
			b.Fatal(err)
		}
	}
}
