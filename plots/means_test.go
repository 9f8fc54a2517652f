package plots

import (
	"errors"
	"math"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func policyMeans() []MeansOf {
	return []MeansOf{
		{Policy: "fifo", Points: []MeanAt{{130, 97.6, 97.4, 97.9}, {132, 97.2, 97, 97.5}, {140, 96, 96, 96}}},
		{Policy: "hadar-like", Points: []MeanAt{{130, 95, 94.5, 95.5}, {140, 97, 96.5, 97.5}}},
	}
}

func meansFigure(t *testing.T) *canvas.Figure {
	f, err := Means([]string{"study: mean effective training time", "synthetic"}, "servers 0: count", "effective training time (%)", policyMeans())
	return must(t, f, err)
}

func TestMeansRefuses(t *testing.T) {
	if _, err := Means(nil, "x", "y", nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1e300} {
		for k := range 4 {
			of := policyMeans()
			at := &of[1].Points[1]
			*[...]*float64{&at.X, &at.Mean, &at.Low, &at.High}[k] = bad
			if _, err := Means(nil, "x", "y", of); err == nil {
				t.Errorf("%v is drawn", at)
			}
		}
	}
	if _, err := Means(nil, "x", "y", []MeansOf{{Policy: "fifo", Points: []MeanAt{{3, 0, 0, 0}}}}); err != nil {
		t.Error(err)
	}
}
