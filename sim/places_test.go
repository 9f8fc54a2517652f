package sim

import (
	"math/rand/v2"
	"testing"
)

// A long list of pools is found as a search through it finds it, whatever is opened, closed, trimmed, copied and
// emptied in between.
func TestPlacesOfPools(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const pools = 4 * longList
	var s, other jobState
	s.closeAll()
	p := &Plan{Jobs: make([]JobPlan, 1), sparse: true}
	x := &p.Jobs[0]
	x.active = true
	longest := 0
	for step := range 60_000 {
		pool := r.IntN(pools)
		if full := step / 10_000 % 2; r.IntN(3) > full { // longer, then shorter
			s.openColumn(pool, 0)
			p.Place(0, pool, r.IntN(3))
		} else if k := s.column(pool); k >= 0 {
			s.closeColumn(k)
			p.Place(0, pool, 0)
		}
		switch r.IntN(200) {
		case 0:
			x.trim()
		case 1:
			other.copyFrom(&s)
			s, other = other, s
			var y Plan
			y.copyJobs(&Plan{Jobs: []JobPlan{{places: new(poolPlaces)}}}, p)
			x.places = y.Jobs[0].places
		case 2:
			if r.IntN(20) == 0 {
				s.closeAll()
				p.Stop(0)
			}
		}
		longest = max(longest, len(s.layout.Pools))
		want := -1
		for k, q := range s.layout.Pools {
			if int(q) == pool {
				want = k
			}
		}
		if s.column(pool) != want {
			t.Fatalf("step %d: pool %d is found in column %d, it is in %d of %d", step, pool, s.column(pool), want, len(s.layout.Pools))
		}
		held := 0
		for _, y := range x.parts {
			if int(y.Pool) == pool {
				held = int(y.N)
			}
		}
		if got := p.Hold(0, pool); got != held {
			t.Fatalf("step %d: the plan is found to hold %d of pool %d, it holds %d", step, got, pool, held)
		}
	}
	if longest < 2*longList {
		t.Errorf("at most %d columns, expected more than twice %d", longest, longList)
	}
}
