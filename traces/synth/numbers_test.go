package synth

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestWeights(t *testing.T) {
	a := summed([]weight{{3, 1}, {1, .5}, {3, 2}, {1, .25}})
	if want := (weights{{1, .75}, {3, 3}}); !slices.Equal(a, want) {
		t.Errorf("summed %v, want %v", a, want)
	}
	b := weights{{1, 1}, {2, 4}, {5, 1}}
	if got, want := a.with(b), (weights{{1, 1.75}, {2, 4}, {3, 3}, {5, 1}}); !slices.Equal(got, want) {
		t.Errorf("together %v, want %v", got, want)
	}
	if got := weights(nil).with(b); !slices.Equal(got, b) {
		t.Errorf("with nothing %v, want %v", got, b)
	}
	// 1: 0.2 and 1/6; 2: 0.2 and 5/6; 3: 1 and 5/6.
	if d, ok := a.distance(b); !ok || d != 1./6+4./6-.2 {
		t.Errorf("distance %v, %v, want %v", d, ok, 1./6+4./6-.2)
	}
	// Values between those of b, below and above them are one each: there the distance is the largest at an end.
	many := weights{{.25, 1}, {.5, 1}, {1, 2}, {1.25, 3}, {1.5, 1}, {2, 1}, {7, 2}, {8, 5}}
	few := many.coarse(b)
	want, _ := many.distance(b)
	if got, _ := few.distance(b); len(few) != 5 || !near.Is(got, want, 1e-15) {
		t.Errorf("%v: distance %v, want 5 values and %v", few, got, want)
	}
	if _, ok := a.distance(nil); ok {
		t.Error("a distance from nothing")
	}
}
