package plots

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// The front goes through what is not beaten, in stairs that show what it beats;
// oracles and policies with unfinished runs are not part of it.
func TestFront(t *testing.T) {
	at := func(x, y float64, fair bool) marks { return marks{mean: plotter.XY{X: x, Y: y}, fair: fair} }
	list := []marks{at(120, 10, true), at(80, 50, true), at(100, 20, true), at(110, 30, true), at(90, 5, false), at(120, 15, true)}
	stairs := front(list)
	want := plotter.XYs{{X: 80, Y: 50}, {X: 100, Y: 50}, {X: 100, Y: 20}, {X: 120, Y: 20}, {X: 120, Y: 10}}
	if !slices.Equal(stairs, want) {
		t.Errorf("%v, want %v", stairs, want)
	}
	for _, alone := range [][]marks{nil, list[:1], {at(1, 1, true), at(2, 2, true)}} {
		if got := front(alone); got != nil {
			t.Errorf("a front of %v: %+v", alone, got)
		}
	}
}
