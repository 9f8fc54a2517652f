package sim

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

func TestMarketErrors(t *testing.T) {
	good := func() []Trace {
		return []Trace{{Pool: Pool{Name: "a", Quota: 1}, Prices: []Price{{USD: 1}}}}
	}
	for says, change := range map[string]func(h []Trace) []Trace{
		"no pools":                                func(h []Trace) []Trace { return nil },
		`name "" is empty`:                        func(h []Trace) []Trace { h[0].Name = ""; return h },
		`name "a" is empty or used twice`:         func(h []Trace) []Trace { return append(h, h[0]) },
		"pool a: has no price":                    func(h []Trace) []Trace { h[0].Prices = nil; return h },
		"price record 0: -1 USD/h":                func(h []Trace) []Trace { h[0].Prices[0].USD = -1; return h },
		"price record 0: NaN USD/h":               func(h []Trace) []Trace { h[0].Prices[0].USD = math.NaN(); return h },
		"price record 2: time goes back":          func(h []Trace) []Trace { h[0].Prices = []Price{{0, 1}, {9, 2}, {5, 3}}; return h },
		"price record 1: time goes back from 100": func(h []Trace) []Trace { h[0].Prices = []Price{{100, 1}, {50, 2}}; return h },
		"capacity record 2: time goes back from 100": func(h []Trace) []Trace {
			h[0].Capacity = []Capacity{{0, 1}, {100, 1}, {50, 0}}
			return h
		},
		"capacity record 1: time goes back":     func(h []Trace) []Trace { h[0].Capacity = []Capacity{{9, 1}, {5, 2}}; return h },
		"capacity record 0: -1 instances":       func(h []Trace) []Trace { h[0].Capacity = []Capacity{{9, -1}}; return h },
		"capacity record 0: instant -1 us":      func(h []Trace) []Trace { h[0].Capacity = []Capacity{{-1, 1}}; return h },
		"node record 1: slot 0 goes to the sta": func(h []Trace) []Trace { h[0].Nodes = []NodeEvent{{0, 0, true}, {1, 0, true}}; return h },
		"node record 0: slot 3 goes to the sta": func(h []Trace) []Trace { h[0].Nodes = []NodeEvent{{0, 3, false}}; return h },
		"node record 2: slot 0 comes at the in": func(h []Trace) []Trace {
			h[0].Nodes = []NodeEvent{{0, 0, true}, {1, 0, false}, {1, 0, true}}
			return h
		},
		"both capacity counts and nodes": func(h []Trace) []Trace {
			h[0].Nodes, h[0].Capacity = []NodeEvent{{0, 0, true}}, []Capacity{{0, 1}}
			return h
		},
		"quota -1":           func(h []Trace) []Trace { h[0].Quota = -1; return h },
		"notice -1s":         func(h []Trace) []Trace { h[0].Notice = -time.Second; return h },
		"missing notice 1.5": func(h []Trace) []Trace { h[0].NoticeMissing = 1.5; return h },
		"boot time -1s":      func(h []Trace) []Trace { h[0].Boot.Median = -time.Second; return h },
		"on-demand price NaN": func(h []Trace) []Trace {
			h[0].OnDemandPrice = math.NaN()
			return h
		},
	} {
		if _, err := NewMarket(100, change(good())); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, expected %q", err, says)
		}
	}
	if _, err := NewMarket(0, good()); err == nil {
		t.Error("a market that ends at its beginning")
	}
}

// The cost of a holding is the walk over its prices, whatever the series.
func TestCostIsTheIntegralOfPrice(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		h := Trace{Pool: Pool{Name: "a", Quota: 1}}
		at := Time(0)
		for range rapid.IntRange(1, 40).Draw(t, "prices") {
			h.Prices = append(h.Prices, Price{at, rapid.Float64Range(0, 10).Draw(t, "usd")})
			at += Time(rapid.Int64Range(0, 4e9).Draw(t, "gap"))
		}
		m, err := NewMarket(at+1, []Trace{h})
		if err != nil {
			t.Fatal(err)
		}
		from := Time(rapid.Int64Range(0, int64(at)).Draw(t, "from"))
		to := Time(rapid.Int64Range(int64(from), int64(at)).Draw(t, "to"))
		walk := 0.0
		for i, p := range h.Prices {
			end := at + 1
			if i+1 < len(h.Prices) {
				end = h.Prices[i+1].At
			}
			if span := min(end, to) - max(p.At, from); span > 0 {
				walk += p.USD * span.Seconds() / 3600
			}
		}
		if got := m.Cost(0, from, to); check.Off(got, walk, 1e-9*math.Max(1, walk)) {
			t.Fatalf("%v, walked %v", got, walk)
		}
	})
}

func TestMarketReads(t *testing.T) {
	m, err := NewMarket(100, []Trace{
		{Pool: Pool{Name: "counted", Quota: 1}, Prices: []Price{{5, 1}, {10, 1}, {20, 2}}, Capacity: []Capacity{{10, 3}, {20, 0}}},
		{Pool: Pool{Name: "fleet", Quota: 1}, Prices: []Price{{0, 1}}, Nodes: []NodeEvent{{0, 0, true}, {10, 1, true}, {20, 0, false}}},
		{Pool: Pool{Name: "free", Quota: 1}, Prices: []Price{{0, 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		at             Time
		counted, fleet int
		price          float64
	}{{0, 0, 1, 1}, {9, 0, 1, 1}, {10, 3, 2, 1}, {19, 3, 2, 1}, {20, 0, 1, 2}, {99, 0, 1, 2}} {
		a, _ := m.Capacity(0, x.at)
		b, _ := m.Capacity(1, x.at)
		if a != x.counted || b != x.fleet || m.Price(0, x.at) != x.price {
			t.Errorf("at %d: %d, %d, %v", x.at, a, b, m.Price(0, x.at))
		}
	}
	if _, limited := m.Capacity(2, 0); limited {
		t.Error("a pool without a record of capacity is limited")
	}
}
