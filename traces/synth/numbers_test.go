package synth

import (
	"slices"
	"testing"
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
	if _, ok := a.distance(nil); ok {
		t.Error("a distance from nothing")
	}
}
