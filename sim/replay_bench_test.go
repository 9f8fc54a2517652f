package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// genTraces returns n price records over k pools, up to two hours apart in
// each.
func genTraces(k, n int) ([]sim.Trace, sim.Time) {
	draws := splitmix(1)
	traces := make([]sim.Trace, k)
	var end sim.Time
	for p := range traces {
		prices := make([]sim.Price, n/k)
		at := sim.Time(0)
		for i := range prices {
			prices[i] = sim.Price{At: at, USD: draws.float()}
			at += sim.Time(1000 * (1 + draws.next()%7_200_000))
		}
		traces[p] = sim.Trace{Pool: sim.Pool{Name: fmt.Sprint("p", p)}, Prices: prices}
		end = max(end, at)
	}
	return traces, end
}

func genMarket(tb testing.TB, k, n int) *sim.Market {
	tb.Helper()
	traces, end := genTraces(k, n)
	m, err := sim.NewMarket(end, traces)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// account is what a record's handler keeps for a pool.
type account struct {
	since sim.Time
	price float64
	cost  float64 // USD-microseconds per hour
}

// ledger handles records: price, cost and the checksum of their order.
type ledger struct {
	pools []account
	sum   uint64
}

func newLedger(pools int) *ledger { return &ledger{pools: make([]account, pools)} }

func (l *ledger) record(at sim.Time, pool int32, usd float64) {
	a := &l.pools[pool]
	a.cost += a.price * float64(at-a.since)
	a.price, a.since = usd, at
	l.sum = (l.sum ^ uint64(at) ^ uint64(pool)) * prime
}

func BenchmarkReplay(b *testing.B) {
	n := 10 << 20
	if testing.Short() {
		n = 1 << 20
	}
	for _, k := range []int{1, 8, 64, 1024} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			m := genMarket(b, k, n)
			l := newLedger(k)
			b.ReportAllocs()
			b.ResetTimer()
			start := simtest.CPUTime()
			for b.Loop() {
				clear(l.pools)
				sim.ReplayRecords(m, l.record)
			}
			reportCPU(b, start, n, "rec")
		})
	}
}

func TestReplay(t *testing.T) {
	check := near.Count(t)
	const k, n = 8, 8 << 10
	m := genMarket(t, k, n)
	l := newLedger(k)
	if got := sim.ReplayRecords(m, l.record); got != n {
		t.Fatalf("%d records, want %d", got, n)
	}
	for p, a := range l.pools {
		got, want := a.cost/3600e6, m.Cost(p, 0, a.since)
		if check.OffRel(got, want, 1e-9) {
			t.Errorf("pool %d: replay costs %v, the prefix integral %v", p, got, want)
		}
	}
	if want := sortedSum(k, n); l.sum != want {
		t.Errorf("order %#x, sorting all records by (instant, pool) gives %#x", l.sum, want)
	}
}

// sortedSum is the checksum of the records' order, without a Market.
func sortedSum(k, n int) (sum uint64) {
	type change struct {
		at   sim.Time
		pool int
	}
	var all []change
	traces, _ := genTraces(k, n)
	for p, h := range traces {
		for _, price := range h.Prices {
			all = append(all, change{price.At, p})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.pool, b.pool)) })
	for _, c := range all {
		sum = (sum ^ uint64(c.at) ^ uint64(c.pool)) * prime
	}
	return sum
}

// clockwork is a market and timers that set themselves again after a random
// gap, in the mean a period of their own.
type clockwork struct {
	market  *sim.Market
	timers  sim.Timers
	slots   int
	period  uint64 // microseconds
	draws   splitmix
	ledger  *ledger
	firings int
}

// newClockwork has timers that fire ratio times for every record.
func newClockwork(m *sim.Market, records, timers int, ratio float64) *clockwork {
	gap := m.End().Seconds() * 1e6 / float64(records)
	return &clockwork{
		market: m,
		slots:  timers,
		period: uint64(gap * float64(timers) / ratio),
		ledger: newLedger(m.Pools()),
	}
}

// run runs from the first record to the last, keys in one word if packed.
func (c *clockwork) run(packed bool) (events int) {
	latest := sim.Never
	if packed {
		latest = c.market.End()
	}
	c.draws, c.firings, c.ledger.sum = 1, 0, 0
	clear(c.ledger.pools)
	c.timers.Reset(c.slots, latest)
	for i := range c.slots {
		c.timers.Set(i, c.gap())
	}
	return sim.DrainRecords(c.market, &c.timers, c.ledger.record, c.fire)
}

func (c *clockwork) gap() sim.Time { return sim.Time(1 + c.draws.next()%(2*c.period)) }

func (c *clockwork) fire(at sim.Time, slot int) {
	c.firings++
	c.ledger.sum = (c.ledger.sum ^ uint64(at) ^ uint64(slot)) * prime
	c.timers.Set(slot, at+c.gap())
}

func BenchmarkEngine(b *testing.B) {
	const k = 64
	n := 1 << 20
	if testing.Short() {
		n = 1 << 16
	}
	m := genMarket(b, k, n)
	for _, timers := range []int{8, 32, 256} {
		for _, ratio := range []float64{0.1, 1, 10} {
			b.Run(fmt.Sprintf("k=%d/timers=%d/ratio=%v", k, timers, ratio), func(b *testing.B) {
				c := newClockwork(m, n, timers, ratio)
				b.ReportAllocs()
				events := 0
				start := simtest.CPUTime()
				for b.Loop() {
					events = c.run(true)
				}
				reportCPU(b, start, events, "event")
			})
		}
	}
}

// The drained order is that of scanning for the earliest of everything, in both
// forms of the keys, with as many firings as the ratio says and no allocation.
func TestEngine(t *testing.T) {
	check := near.Count(t)
	const k, n = 8, 8 << 10
	m := genMarket(t, k, n)
	for _, timers := range []int{1, 8, 33} {
		for _, ratio := range []float64{0.1, 1, 10} {
			c := newClockwork(m, n, timers, ratio)
			events := c.run(true)
			sum := c.ledger.sum
			if want := ratio * n; check.OffRel(float64(c.firings), want, 0.15) || events != n+c.firings {
				t.Errorf("%d timers, ratio %v: %d firings of %d events, want about %v", timers, ratio, c.firings, events, want)
			}
			if c.run(false); c.ledger.sum != sum {
				t.Errorf("%d timers, ratio %v: two-word keys give another order", timers, ratio)
			}
			if want := c.scan(); sum != want {
				t.Errorf("%d timers, ratio %v: order %#x, scanning gives %#x", timers, ratio, sum, want)
			}
		}
	}
}

// scan is run with nothing but a list of instants.
func (c *clockwork) scan() (sum uint64) {
	c.draws = 1
	at := make([]sim.Time, c.slots)
	for i := range at {
		at[i] = c.gap()
	}
	sim.ReplayRecords(c.market, func(now sim.Time, pool int32, _ float64) {
		for first := slices.Min(at); first < now; first = slices.Min(at) {
			slot := slices.Index(at, first)
			sum = (sum ^ uint64(first) ^ uint64(slot)) * prime
			at[slot] = first + c.gap()
		}
		sum = (sum ^ uint64(now) ^ uint64(pool)) * prime
	})
	return sum
}

func TestAllocsEngine(t *testing.T) {
	c := newClockwork(genMarket(t, 8, 4096), 4096, 32, 1)
	c.run(true)
	if allocs := testing.AllocsPerRun(20, func() { c.run(true) }); allocs != 0 {
		t.Errorf("a run of 8,192 events allocates %v times, want 0", allocs)
	}
}
