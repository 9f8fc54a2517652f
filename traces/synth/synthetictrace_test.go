package synth

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/traces/describe"
)

// What is measured without the neutral form is what the neutral form says, of machines, counts and prices.
func TestSyntheticTrace(t *testing.T) {
	machines, prices, lifetimes := 0, 0, 0
	for name, g := range fitted(t) {
		for seed := range uint64(3) {
			span := 60 * time.Hour
			set, err := g.Generate(seed, span)
			if err != nil {
				t.Fatal(name, err)
			}
			m, err := g.making(seed, span)
			if err != nil {
				t.Fatal(name, err)
			}
			got, want := m.trace(), newTrace(set)
			if !reflect.DeepEqual(got.courses, want.courses) || !reflect.DeepEqual(got.prices, want.prices) || !reflect.DeepEqual(got.priced, want.priced) ||
				got.capped != want.capped || got.span() != want.span() {
				t.Errorf("%s, seed %d: %+v, want %+v", name, seed, got.courses, want.courses)
			}
			if correlated := describe.Correlate(set); !reflect.DeepEqual(got.correlated, correlated) {
				t.Errorf("%s, seed %d: correlations %+v, want %+v", name, seed, got.correlated, correlated)
			}
			var a, b describe.Ages
			for i := range got.courses {
				a.Add(got.lifetimes[i])
				b.Add(want.lifetimes[i])
				machines, prices = machines+len(got.courses[i].moves), prices+len(got.prices[i])
			}
			slices.Sort(a)
			slices.Sort(b)
			if lifetimes += len(a); !slices.Equal(a, b) {
				t.Errorf("%s, seed %d: %d lifetimes, want those %d of the set", name, seed, len(a), len(b))
			}
		}
	}
	if min(machines, prices, lifetimes) < 100 {
		t.Errorf("%d moves, %d prices, %d lifetimes: too few to say anything", machines, prices, lifetimes)
	}
}

// A generated trace of n machines is measured in a few allocations for each pool, not some for each machine.
func TestSyntheticTraceAllocations(t *testing.T) {
	g, err := Standard("exponential")
	if err != nil {
		t.Fatal(err)
	}
	m, err := g.making(1, 3000*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	lifetimes := 0
	allocated := testing.AllocsPerRun(1, func() {
		copied := &making{pools: m.pools, dice: m.dice, end: m.end, generated: slices.Clone(m.generated)}
		if h := copied.trace(); lifetimes == 0 {
			for i := range h.lifetimes {
				lifetimes += len(h.lifetimes[i])
			}
		}
	})
	if lifetimes < 2000 || allocated > float64(lifetimes)/5 {
		t.Errorf("%v allocations for %d lifetimes, want at most a fifth", allocated, lifetimes)
	}
}
