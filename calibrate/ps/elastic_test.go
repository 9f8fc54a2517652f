package ps

import (
	"testing"

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
		types := make([]string, 1+draw(0, 9))
		for p := range types {
			types[p] = profile.Types()[draw(1+n%2*uint64(p), len(profile.Types()))]
		}
		m, err := NewASP(profile, coef, []Form{FormArtifact, FormFigures, FormArtifact}[draw(20, 3)], types)
		if err != nil {
			t.Fatal(err)
		}
		l := &sim.Layout{Workers: make([]int32, len(types)), Servers: int32(min(draw(30, 9), 2))}
		for p := range l.Workers {
			l.Workers[p] = int32(draw(40+uint64(p), 9))
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
