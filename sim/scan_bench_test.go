package sim_test

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// columns are a price history as the memory sees it: 16 bytes a record.
type columns struct {
	at  []int64 // microseconds
	usd []float64
}

func newColumns(n int) columns {
	c := columns{make([]int64, n), make([]float64, n)}
	draws := splitmix(1)
	at := int64(0)
	for i := range n {
		at += 1000 * (1 + int64(draws.next()%7_200_000)) // up to two hours
		c.at[i], c.usd[i] = at, draws.float()
	}
	return c
}

// sum reads everything once, the limit that memory sets: in four chains, so
// that the additions do not wait for one another.
func (c columns) sum() (at int64, usd float64) {
	var u0, u1, u2, u3 float64
	i := 0
	for ; i+4 <= len(c.at); i += 4 {
		a, u := c.at[i:i+4:i+4], c.usd[i:i+4:i+4]
		at += a[0] + a[1] + a[2] + a[3]
		u0, u1, u2, u3 = u0+u[0], u1+u[1], u2+u[2], u3+u[3]
	}
	for ; i < len(c.at); i++ {
		at += c.at[i]
		u0 += c.usd[i]
	}
	return at, u0 + u1 + u2 + u3
}

// integrate returns the integral of price over time, in the order of records.
func (c columns) integrate() (cost float64) {
	for i := 1; i < len(c.at) && i < len(c.usd); i++ {
		cost += c.usd[i-1] * float64(c.at[i]-c.at[i-1])
	}
	return cost / 3600e6
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		if testing.Short() && n > 1_000_000 {
			continue
		}
		c := newColumns(n)
		b.Run(fmt.Sprintf("op=sum/n=%d", n), func(b *testing.B) {
			start := simtest.CPUTime()
			for b.Loop() {
				c.sum()
			}
			reportCPU(b, start, n, "rec")
		})
		b.Run(fmt.Sprintf("op=integrate/n=%d", n), func(b *testing.B) {
			start := simtest.CPUTime()
			for b.Loop() {
				c.integrate()
			}
			reportCPU(b, start, n, "rec")
		})
	}
}

func TestScan(t *testing.T) {
	check := near.Count(t)
	const hour = 3600e6
	c := columns{[]int64{0, hour, 4 * hour, 5 * hour, 6 * hour}, []float64{1, 0.5, 2, 8, 16}}
	if at, usd := c.sum(); at != 16*hour || usd != 27.5 {
		t.Errorf("sum() = %d, %v, want 16 h, 27.5", at, usd)
	}
	if cost := c.integrate(); cost != 1+3*0.5+2+8 {
		t.Errorf("integrate() = %v, want 12.5", cost)
	}
	c = newColumns(10_000)
	m := market(t, c)
	got := m.Cost(0, sim.Time(c.at[0]), sim.Time(c.at[len(c.at)-1]))
	if want := c.integrate(); check.OffRel(got, want, 1e-9) {
		t.Errorf("Market.Cost = %v, the scan gives %v", got, want)
	}
}

// market returns a market of one pool with c's prices.
func market(tb testing.TB, c columns) *sim.Market {
	tb.Helper()
	prices := make([]sim.Price, len(c.at))
	for i := range prices {
		prices[i] = sim.Price{At: sim.Time(c.at[i]), USD: c.usd[i]}
	}
	m, err := sim.NewMarket(prices[len(prices)-1].At+1, []sim.Trace{{Pool: sim.Pool{Name: "a"}, Prices: prices}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}
