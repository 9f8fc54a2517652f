package bound

import (
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
	"pgregory.net/rapid"
)

// The search finds what trying every cluster finds.
func TestSolveMissesNothing(t *testing.T) {
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	types := append(profile.Types(), "p3.2xlarge")
	model, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
	if err != nil {
		t.Fatal(err)
	}
	var hs []sim.History
	for i, name := range types {
		hs = append(hs, sim.History{Pool: sim.Pool{Name: name + string(rune('a'+i)), Quota: 3}, Prices: []sim.Price{{USD: 1}}})
	}
	market, err := sim.NewMarket(sim.At(1), hs)
	if err != nil {
		t.Fatal(err)
	}
	const server = 0.192 / 3600
	servers := 1
	x, err := newMixture(model, market, 18, servers, server)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := segment{room: make([]int, 6), usd: make([]float64, 6)}
		for p := range s.room {
			s.room[p] = rapid.IntRange(0, 3).Draw(t, "room")
			s.usd[p] = rapid.Float64Range(0.1, 5).Draw(t, "price") / 3600
		}
		lambda := math.Exp(rapid.Float64Range(-4, 6).Draw(t, "lambda"))
		got := x.solve(&s, lambda)
		best := 0.0
		l := sim.Layout{Workers: make([]int32, 6)}
		l.Servers = int32(servers)
		every(&l, s.room, 0, func() {
			cost := server
			for p, k := range l.Workers {
				cost += float64(k) * s.usd[p]
			}
			best = min(best, cost-lambda*model.Rate(&l).Progress)
		})
		if v := got.cost - lambda*got.rate; v > best+tolerance*math.Abs(best) || v < best*(1+1e-3)-1e-12 {
			t.Fatalf("lambda %v, %+v: %v, of every cluster %v", lambda, s, v, best)
		}
	})
}

// every calls visit with all clusters within the rooms.
func every(l *sim.Layout, room []int, p int, visit func()) {
	if p == len(room) {
		if l.Total() > 0 {
			visit()
		}
		return
	}
	for l.Workers[p] = 0; int(l.Workers[p]) <= room[p]; l.Workers[p]++ {
		every(l, room, p+1, visit)
	}
	l.Workers[p] = 0
}
