package ps

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// TestRateIntoIsRate compares the short way with Rate, to the last bit, in markets of one type and of several.
func TestRateIntoIsRate(t *testing.T) {
	profile, coef, err := Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	draws, some := sim.Rand{Seed: 1}, 0
	for n := range uint64(4000) {
		draw := func(k uint64, m int) int { return draws.Intn(sim.PurposeUser, n, k, m) }
		pools, every := 1+draw(0, 9), 1
		if n%4 == 0 { // wide, with workers in few pools
			pools, every = 1+draw(0, 90), 9
		}
		types := make([]string, pools)
		for p := range types {
			types[p] = profile.Types()[draw(1+n%2*uint64(p), len(profile.Types()))]
		}
		m, err := NewASP(profile, coef, []Form{FormArtifact, FormFigures, FormArtifact}[draw(20, 3)], types)
		if err != nil {
			t.Fatal(err)
		}
		l := &sim.Layout{Workers: make([]int32, len(types)), Servers: int32(min(draw(30, 9), 2))}
		for p := range l.Workers {
			if draw(200+uint64(p), every) == 0 {
				l.Workers[p] = int32(draw(40+uint64(p), 9))
			}
		}
		got, want := sim.Rate{Step: 1, Redundant: 1}, m.Rate(l)
		if !m.RateInto(m, l.Workers, l.Total(), l.Servers, &got) {
			continue
		}
		if some++; got != want {
			t.Fatalf("%v of %v: %+v, want %+v", l, types, got, want)
		}
	}
	if some < 300 {
		t.Errorf("%d layouts have the short way, expected hundreds", some)
	}
}

type slower struct{ *ASP }

// A type that embeds the model has its own Rate: the short way is not its.
func TestRateIntoIsNotInherited(t *testing.T) {
	outer := sim.ElasticModel(slower{published(t, FormArtifact)})
	if outer.RateInto(outer, []int32{1, 0, 0, 0, 0}, 1, 1, new(sim.Rate)) {
		t.Error("a type that embeds the model has its short way")
	}
}

// alone holds one worker of the first pool, and n servers until an instant and from there.
type alone struct {
	servers [2]int
	from    time.Duration
}

func (alone) Name() string { return "alone" }

func (x alone) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0], plan.Jobs[0].Servers = 1, x.servers[0]
	if left := x.from - v.Now().Sub(v.Start()); left > 0 {
		plan.WakeIn(left)
	} else {
		plan.Jobs[0].Servers = x.servers[1]
	}
}

// always has a short way, where nothing trains, too.
type always struct{ *ASP }

func (m always) RateInto(_ sim.Model, workers []int32, _ int, servers int32, into *sim.Rate) bool {
	*into = m.Rate(&sim.Layout{Workers: workers, Servers: servers})
	return true
}

// The only worker goes at 1h. What it did is on the server until that is given back, at 2h: the run that ends at 3h has
// done it only if there still is a server.
func TestAServerHasWhatWasDoneWithoutWorkers(t *testing.T) {
	m := published(t, FormArtifact)
	for _, model := range []sim.Model{m, always{m}} {
		kept, lost := withoutWorkers(t, model, 1), withoutWorkers(t, model, 0)
		if !(kept.Done > 0) || kept.Activities[sim.Useful].Span() != time.Hour || lost.Done != 0 || lost.Activities[sim.Redone].Span() != time.Hour {
			t.Errorf("%T: with a server %+v, without %+v", model, kept, lost)
		}
	}
}

// withoutWorkers runs a job whose worker goes at 1h, and which has n servers from 2h on, until 3h.
func withoutWorkers(t *testing.T, m sim.Model, servers int) sim.JobTotals {
	pools := make([]sim.Trace, 5)
	for p := range pools {
		pools[p] = sim.Trace{Pool: sim.Pool{Name: string(rune('a' + p)), Quota: 1}, Prices: []sim.Price{{USD: 1}}}
	}
	pools[0].Capacity = []sim.Capacity{{N: 1}, {At: sim.Time(0).Add(time.Hour), N: 0}}
	market, err := sim.NewMarket(sim.Time(0).Add(3*time.Hour), pools)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: alone{[2]int{1, servers}, 2 * time.Hour},
		Jobs: []sim.Job{{Model: m, ParameterServers: 1, Objective: sim.Objective{Loss: 0.7, Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run().Jobs[0]
}
