package describe

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The distance without the curve is that of the curves, to the last bit; a curve that nothing can be drawn from has none.
func TestAgesDistance(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	draw := func(n, longest int) (list []Lifetime) {
		for range n {
			list = append(list, Lifetime{From: 5, To: 5 + int64(dice.IntN(longest))*60e6, Lost: dice.IntN(3) > 0})
		}
		return append(list, Lifetime{To: int64(longest) * 60e6, Lost: true})
	}
	for n := range 60 {
		a, b := draw(n, 90), draw(7, 1+2*n)
		want := KaplanMeier(b)
		for _, until := range []float64{0, 0.5, want.LastLoss(), 2} {
			var ages Ages
			ages.Add(a)
			if got, ok := ages.Distance(want, until); !ok || got != KaplanMeier(a).Distance(want, until) {
				t.Errorf("%d lifetimes, until %v h: %v, %v, want %v", n, until, got, ok, KaplanMeier(a).Distance(want, until))
			}
		}
	}
	good := KaplanMeier(draw(3, 9))
	for name, x := range map[string][]Lifetime{"nobody": nil, "nobody lost": {{To: 60e6}}, "too long": {{To: 1 << 61, Lost: true}}} {
		var ages Ages
		ages.Add(x)
		if d, ok := ages.Distance(good, 1); ok {
			t.Errorf("%s: distance %v", name, d)
		}
	}
	var ages Ages
	ages.Add(draw(3, 9))
	if d, ok := ages.Distance(Survival{}, 1); ok {
		t.Errorf("distance %v from no curve", d)
	}
}

// A survival curve of n lifetimes takes 8 bytes for each, and nothing more, to compare: not a step of 56 for each age.
func TestAgesMemory(t *testing.T) {
	list := make([]Lifetime, 10_000)
	for i := range list {
		list[i] = Lifetime{To: int64(i) * 1e6, Lost: true}
	}
	want := KaplanMeier(list[:100])
	var ages Ages
	ages.Add(list)
	if n := testing.AllocsPerRun(5, func() { ages.Distance(want, 1) }); n > 20 {
		t.Errorf("%v allocations for %d lifetimes, want at most 20", n, len(list))
	}
	if !slices.IsSorted(ages) || cap(ages) > 2*len(list) {
		t.Errorf("%d places for %d lifetimes", cap(ages), len(list))
	}
}
