package describe

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
)

func TestSample(t *testing.T) {
	s := &traces.Set{Manifest: traces.Manifest{TraceID: "made-up", TStartUs: 10, TEndUs: 100}, Pools: []traces.Pool{{Name: "a"}, {PoolID: 1, Name: "b"},
		{PoolID: 2, Name: "c"}},
		Capacity: []traces.CapacityRow{{T: 10, Available: 2}, {T: 30, Available: 5}, {T: 41, Available: 1}, {T: 100, Available: 7}},
		Probes:   []traces.ProbeRow{{T: 30, PoolID: 1, Fulfilled: 3}},
		Gaps:     []traces.GapRow{{TStart: 50, TEnd: 70}},
	}
	no := math.NaN()
	for _, c := range []struct {
		us    int64
		pools []int
		want  []float64
	}{
		{10, []int{0}, []float64{2, 2, 5, 5, no, no, 1, 1, 1, 7}},
		{10, []int{1}, []float64{no, no, 3, 3, 3, 3, 3, 3, 3}}, // nothing is recorded at the end
		{10, nil, []float64{no, no, 8, 8, no, no, 4, 4, 4}},
		{35, []int{0, 2}, []float64{2, 1, 1}},
	} {
		got, err := Sample(s, time.Duration(c.us)*time.Microsecond, c.pools...)
		if err != nil || !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("every %d us of %v: %v, %v, want %v", c.us, c.pools, got, err, c.want)
		}
	}
	if _, err := Sample(s, 1000, 2); err == nil || !strings.Contains(err.Error(), "made-up has no counts of machines") {
		t.Error(err)
	}
	s.Manifest.TEndUs = math.MaxInt64 / 2
	for _, interval := range []time.Duration{0, -1000, 999, 1000} {
		if _, err := Sample(s, interval); err == nil || !strings.Contains(err.Error(), "expected at least 1 us") {
			t.Errorf("an interval of %v: %v", interval, err)
		}
	}
}
