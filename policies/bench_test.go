package policies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// minutely is asked every minute, as sweeps of the literature do.
type minutely struct{ *policies.Reactive }

func (m minutely) Decide(v sim.View, plan *sim.Plan) {
	m.Reactive.Decide(v, plan)
	plan.WakeIn(time.Minute)
}

// zone returns a pool of four instances.
func zone(z uint64) sim.Pool {
	return sim.Pool{Name: fmt.Sprintf("zone-%d", z), InstanceType: "p3.2xlarge", Quota: 4,
		Notice: 2 * time.Minute, Boot: sim.Boot{Median: 126 * time.Second, Sigma: 0.1}}
}

// denseMarket is a market of many zones, whose capacity of up to 16 moves by one machine about every n seconds.
func denseMarket(b testing.TB, zones int, span time.Duration, every float64) *sim.Market {
	b.Helper()
	dice := sim.Rand{Seed: 1}
	var hs []sim.Trace
	for z := range uint64(zones) {
		h := sim.Trace{Pool: zone(z), Prices: []sim.Price{{USD: 0.918}}}
		level := 8
		for n, at := uint64(0), sim.Time(0); at < sim.Time(0).Add(span); n++ {
			h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: level})
			if level = min(level+1, 16); dice.Intn(sim.PurposeUser, z, n, 2) == 0 {
				level = max(level-2, 0)
			}
			at = at.After(every * dice.Exponential(sim.PurposeUser+1, z, n))
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(sim.Time(0).Add(span), hs)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// halfDay is a 12-hour market of eight zones, 4 instances to be had in each. Its
// capacity, of up to 16, moves about every 11 minutes, one time in twelve by
// a redraw (a loss in bulk), else by one machine; its price every two hours.
func halfDay(b testing.TB) *sim.Market {
	b.Helper()
	dice := sim.Rand{Seed: 1}
	end := sim.Time(0).Add(12 * time.Hour)
	var hs []sim.Trace
	for z := range uint64(8) {
		h := sim.Trace{Pool: zone(z), Prices: []sim.Price{{USD: 0.918}}}
		level := 8
		for n, at := uint64(0), sim.Time(0); at < end; n++ {
			switch dice.Intn(sim.PurposeUser, z, n, 12) {
			case 0:
				level = dice.Intn(sim.PurposeUser+1, z, n, 17)
			case 1, 2, 3, 4, 5:
				level = max(level-1, 0)
			default:
				level = min(level+1, 16)
			}
			h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: level})
			at = at.After(660 * dice.Exponential(sim.PurposeUser+2, z, n))
			if n%16 == 15 && at < end {
				h.Prices = append(h.Prices, sim.Price{At: at, USD: 0.9 + 0.3*dice.Uniform(sim.PurposeUser+3, z, n)})
			}
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(end, hs)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// busyHalfDay is a 12-hour market of eight zones whose capacity, of 0 to 4,
// moves by one machine about every five minutes.
func busyHalfDay(b testing.TB) *sim.Market {
	b.Helper()
	dice := sim.Rand{Seed: 1}
	end := sim.Time(0).Add(12 * time.Hour)
	var hs []sim.Trace
	for z := range uint64(8) {
		h := sim.Trace{Pool: zone(z), Prices: []sim.Price{{USD: 0.918}}}
		level := 4
		for n, at := uint64(0), sim.Time(0); at < end; n++ {
			h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: level})
			switch up := dice.Intn(sim.PurposeUser, z, n, 2) == 0; {
			case level == 0, up && level < 4:
				level++
			default:
				level--
			}
			at = at.After(295 * dice.Exponential(sim.PurposeUser+1, z, n))
			if n%16 == 15 && at < end {
				h.Prices = append(h.Prices, sim.Price{At: at, USD: 0.9 + 0.3*dice.Uniform(sim.PurposeUser+2, z, n)})
			}
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(end, hs)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func halfDayConfig(b testing.TB) sim.Config { return configIn(b, halfDay(b)) }

// configIn is a job of 12 instances in a market.
func configIn(b testing.TB, m *sim.Market) sim.Config {
	b.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		b.Fatal(err)
	}
	types := make([]string, m.Pools())
	for p := range types {
		types[p] = m.Pool(p).InstanceType
	}
	model, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
	if err != nil {
		b.Fatal(err)
	}
	return sim.Config{Market: m, Seed: 1, Billing: sim.PerSecond(),
		Policy: &policies.Reactive{Instances: 12, Patience: 5 * time.Minute},
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Loss: 0.502, Within: 12 * time.Hour}, ParameterServers: 1,
			ParameterServerPrice: 0.192}}}
}

// BenchmarkRun12h is one whole run of about 1,500 events, totals only. The policy says what it
// waits for, and the market leaves out the 500 changes of capacity above the quota.
func BenchmarkRun12h(b *testing.B) { benchmarkRuns(b, halfDayConfig(b)) }

// BenchmarkRunDense is the same job in 64 or 400 zones whose capacity moves every half a minute: most of the 32,700 or
// 199,000 records can touch nothing that it holds or waits for, and are passed over.
func BenchmarkRunDense(b *testing.B) {
	for _, zones := range []int{64, 400} {
		b.Run(fmt.Sprintf("zones=%d", zones), func(b *testing.B) {
			benchmarkRuns(b, configIn(b, denseMarket(b, zones, 12*time.Hour, 30)))
		})
	}
}

// BenchmarkRun12hPolled is the same run, with the same numbers, of a policy that is asked every
// minute.
func BenchmarkRun12hPolled(b *testing.B) {
	c := halfDayConfig(b)
	c.Policy = minutely{c.Policy.(*policies.Reactive)}
	benchmarkRuns(b, c)
}

// BenchmarkRunBusy is a run of about 3,000 events of which every one meets the
// fleet: the quota never hides a change of capacity, and all that there is is held.
func BenchmarkRunBusy(b *testing.B) {
	c := halfDayConfig(b)
	c.Market = busyHalfDay(b)
	c.Policy = &policies.Reactive{Instances: 32}
	benchmarkRuns(b, c)
}

func benchmarkRuns(b *testing.B, c sim.Config) {
	var w sim.World
	b.ReportAllocs()
	before := simtest.CPUTime()
	for b.Loop() {
		c.Seed++
		if err := w.Reset(c); err != nil {
			b.Fatal(err)
		}
		if t := w.Run(); t.Jobs[0].Finished {
			b.Fatal("it finished")
		}
	}
	b.ReportMetric(float64(w.Totals().Events), "events/run")
	cpu := (simtest.CPUTime() - before).Seconds()
	b.ReportMetric(1e9*cpu/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/cpu, "runs/cpu-s")
}

func TestRun12hAllocatesNothing(t *testing.T) {
	c := halfDayConfig(t)
	var w sim.World
	run := func() {
		if err := w.Reset(c); err != nil {
			t.Fatal(err)
		}
		w.Run()
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
	if e := w.Totals().Events; e < 250 || e > 450 {
		t.Errorf("%d events, meant to be about 350", e)
	}
}
