package describe

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
)

func TestObserve(t *testing.T) {
	s := &traces.Set{Manifest: traces.Manifest{TEndUs: 100}, Pools: []traces.Pool{{Name: "a"}, {PoolID: 1, Name: "b"}, {PoolID: 2, Name: "c"}},
		Capacity: []traces.CapacityRow{{T: 0, Available: 2, Cap: 4}, {T: 10, Available: 2, Cap: 4}, {T: 20, Available: 1, Cap: 4}},
		Prices:   []traces.PriceRow{{T: 50, PriceNanoUSD: 1_500_000_000}},
		Probes:   []traces.ProbeRow{{T: 30, PoolID: 1, Requested: 16, Fulfilled: 3}},
		Gaps:     []traces.GapRow{{TStart: 40, TEnd: 60}},
	}
	got := Observe(s)
	if !slices.Equal(got[0].Count, []Piece{{0, 20, 2}, {20, 40, 1}, {60, 100, 1}}) || got[0].Cap != 4 ||
		!slices.Equal(got[0].Price, []Piece{{60, 100, 1.5}}) {
		t.Errorf("%+v", got[0])
	}
	if !slices.Equal(got[1].Count, []Piece{{30, 100, 3}}) || got[1].Cap != 16 {
		t.Errorf("probes: %+v", got[1])
	}
	if got[2].Count != nil || got[2].Price != nil || got[2].Pool != 2 {
		t.Errorf("nothing was observed: %+v", got[2])
	}
}

// A constant has no correlation, also where its mean cannot be written exactly.
func TestPearsonOfAConstant(t *testing.T) {
	check := near.Count(t)
	x, y := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i], y[i] = 1.1463, float64(i%7)
	}
	for _, c := range [][2][]float64{{x, y}, {y, x}, {x, x}} {
		if r, n, ok := pearson(c[0], c[1]); ok {
			t.Errorf("correlation %v of %d points", r, n)
		}
	}
	if r, _, ok := pearson(y, y); !ok || check.Below(r, 1-1e-12) {
		t.Errorf("correlation %v with itself", r)
	}
}
