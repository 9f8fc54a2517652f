package bound

import (
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"pgregory.net/rapid"
)

// The search finds what trying every cluster finds.
func TestSolveMissesNothing(t *testing.T) {
	check := near.Count(t)
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.Gamma4 = 0.5
	types := append(profile.Types(), "p3.2xlarge")
	var hs []sim.Trace
	for i, name := range types {
		hs = append(hs, sim.Trace{Pool: sim.Pool{Name: name + string(rune('a'+i)), Quota: 3}, Prices: []sim.Price{{USD: 1}}})
	}
	market, err := sim.NewMarket(sim.At(1), hs)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []ps.Form{ps.FormArtifact, ps.FormPaper} {
		model, err := ps.NewASP(profile, coef, form, types)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			server := rapid.Float64Range(0, 0.4).Draw(t, "server") / 3600
			x, err := newMixture(model, market, 18, server)
			if err != nil {
				t.Fatal(err)
			}
			s, capacity := state{levels: make([][]level, 6)}, make([]int, 6)
			for p := range capacity {
				capacity[p] = rapid.IntRange(0, 3).Draw(t, "room")
				usd := rapid.Float64Range(0.1, 5).Draw(t, "price") / 3600
				for k := range capacity[p] {
					s.levels[p] = append(s.levels[p], level{1, usd * (1 + 0.1*float64(k))})
				}
			}
			lambda := math.Exp(rapid.Float64Range(-4, 6).Draw(t, "lambda"))
			got, floor := x.cheapest(&s, lambda, corner{})
			best := 0.0
			l := sim.Layout{Workers: make([]int32, 6)}
			every(&l, capacity, 0, func() {
				for l.Servers = 1; l.Servers <= 4; l.Servers++ {
					cost := server * float64(l.Servers)
					for p, k := range l.Workers {
						for i := range k {
							cost += s.levels[p][i].usd
						}
					}
					best = min(best, cost-lambda*model.Rate(&l).Progress)
				}
			})
			smallest := best - 3e-5*lambda*got.rate // one of the clusters, but for rounding
			if form == ps.FormPaper {
				smallest = math.Inf(-1)
			}
			if check.Above(floor, best+1e-15) {
				t.Fatalf("lambda %v, %+v: no cluster is below %v, but one at %v", lambda, s, floor, best)
			}
			if v := got.costAt(lambda); check.Outside(v, smallest-1e-12, best+tolerance*math.Abs(best)) {
				t.Fatalf("lambda %v, %+v: %v, of every cluster %v", lambda, s, v, best)
			}
		})
	}
}

// every calls visit with all clusters within the rooms.
func every(l *sim.Layout, capacity []int, p int, visit func()) {
	if p == len(capacity) {
		if l.Total() > 0 {
			visit()
		}
		return
	}
	for l.Workers[p] = 0; int(l.Workers[p]) <= capacity[p]; l.Workers[p]++ {
		every(l, capacity, p+1, visit)
	}
	l.Workers[p] = 0
}
