package replay

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// pricedSet is a trace of prices of 100 pools over 92 days: a row of each
// every n minutes, of which each as many-th has another price.
func pricedSet(minutes, change int) *traces.Set {
	s := &traces.Set{Manifest: traces.Manifest{SchemaVersion: 1, ClockKind: traces.ClockRelative, TEndUs: 92 * 24 * tracetest.HourUs}}
	for p := range 100 {
		s.Pools = append(s.Pools, traces.Pool{PoolID: int32(p), Name: fmt.Sprintf("zone-%d/type", p), Market: "spot"})
	}
	step := int64(minutes) * tracetest.HourUs / 60
	s.Prices = make([]traces.PriceRow, 0, s.Manifest.TEndUs/step*int64(len(s.Pools)))
	for t := int64(0); t < s.Manifest.TEndUs; t += step {
		for p := range s.Pools {
			usd := 1_000_000 * (1000 + (t/step+int64(7*p))/int64(change)%500)
			s.Prices = append(s.Prices, traces.PriceRow{T: t, Seq: int32(p), PoolID: int32(p), SrcRow: int64(len(s.Prices)), Origin: traces.OriginPoll,
				PriceNanoUSD: usd, Currency: "USD"})
		}
	}
	s.Manifest.Rows = s.Counts()
	return s
}

// heldCases are traces of three months and 100 pools, and the most memory,
// in MB, that each of its forms may take: twice what the sizes of their rows
// come to, and for the goal, the trace in which every row is a change, 50.
// The busiest of SkyNomad's nine recorded V100 pools changed 183 times in 45.5
// days, four times a day (andylizf/skynomad-artifact,
// v100_spot_price_archive_summary.csv).
var heldCases = []struct {
	name               string
	minutes, change    int
	set, trace, market float64 // 0: any
}{
	{"changes", 360, 1, 6.5, 1.2, 3.8},
	{"polled", 5, 72, 0, 1.2, 3.8}, // every 5 minutes, changes as above
	{"moving", 5, 1, 0, 50, 0},     // every 5 minutes another price
}

// held returns by how much the heap, in MB, grew while make ran, without
// garbage.
func held[T any](make func() T) (T, float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return made, (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / 1e6
}

// heldBytes is the memory of a trace as Set, Tape and sim.Market, MB each.
func heldBytes(t testing.TB, minutes, change int) (set, trace, market float64) {
	t.Helper()
	s, set := held(func() *traces.Set { return pricedSet(minutes, change) })
	laid, trace := held(func() *Trace { return New(s) })
	m, market := held(func() any {
		m, err := Replay{Adapter: Unlimited, N: 1}.Market(laid, Window{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
	runtime.KeepAlive(s)
	runtime.KeepAlive(laid)
	runtime.KeepAlive(m)
	return set, trace, market
}

func TestTraceIsHeldInLittleMemory(t *testing.T) {
	for _, c := range heldCases {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.minutes < 60 {
				t.Skip("makes millions of rows")
			}
			set, trace, market := heldBytes(t, c.minutes, c.change)
			t.Logf("set %.1f MB, trace %.1f MB, market %.1f MB", set, trace, market)
			for _, form := range []struct {
				name      string
				held, max float64
			}{{"set", set, c.set}, {"trace", trace, c.trace}, {"market", market, c.market}} {
				if form.max > 0 && !(form.held > form.max/10 && form.held <= form.max) {
					t.Errorf("the %s takes %.2f MB, expected at most %v MB", form.name, form.held, form.max)
				}
			}
		})
	}
}

func BenchmarkHeld(b *testing.B) {
	for _, c := range heldCases {
		b.Run(c.name, func(b *testing.B) {
			var set, trace, market float64
			for b.Loop() {
				set, trace, market = heldBytes(b, c.minutes, c.change)
			}
			b.ReportMetric(set, "set-MB")
			b.ReportMetric(trace, "trace-MB")
			b.ReportMetric(market, "market-MB")
		})
	}
}

// BenchmarkLoad takes a polled trace of 2.6 million prices from its folder to
// a market, in three steps.
func BenchmarkLoad(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "t")
	if err := pricedSet(5, 80).Write(dir); err != nil {
		b.Fatal(err)
	}
	s, err := traces.Read(dir)
	if err != nil {
		b.Fatal(err)
	}
	trace := New(s)
	perRow := func(name string, step func() error) {
		b.Run(name, func(b *testing.B) {
			runtime.GC()
			b.ReportAllocs()
			start := tracetest.CPUSeconds(b)
			for b.Loop() {
				if err := step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(s.Prices))*float64(b.N)/1e6/(tracetest.CPUSeconds(b)-start), "Mrows/cpu-s")
		})
	}
	perRow("read", func() error { _, err := traces.Read(dir); return err })
	perRow("trace", func() error { New(s); return nil })
	perRow("market", func() error { _, err := Replay{Adapter: Unlimited, N: 1}.Market(trace, Window{}); return err })
}
