package plots

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

// forecasts are errors that grow with the look-ahead, of more forecasters than
// there are colours.
func forecasts(n int) []ForecastError {
	var all []ForecastError
	for i := range n {
		f := ForecastError{Name: fmt.Sprintf("forecaster-%d", i)}
		for k := range 12 {
			f.Errors = append(f.Errors, 0.4+0.15*float64(k)+0.1*float64(i)*math.Sqrt(float64(k)))
		}
		all = append(all, f)
	}
	return all
}

func forecastFigure(t *testing.T) *canvas.Figure {
	f, err := ForecastErrors("made-up", "683 intervals of 1m0s", forecasts(9))
	return must(t, f, err)
}

func TestForecastErrors(t *testing.T) {
	wantTexts(t, forecastFigure(t), "made-up: forecast errors", "683 intervals of 1m0s", "forecaster-8", "intervals ahead",
		"mean absolute error (instances)", "12")
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		fs := forecasts(2)
		fs[1].Errors[3] = bad
		if _, err := ForecastErrors("", "", fs); err == nil || !strings.Contains(err.Error(), "forecaster-1: error") {
			t.Errorf("%v was drawn: %v", bad, err)
		}
	}
	if _, err := ForecastErrors("", "", forecasts(MaxForecasters+1)); err == nil {
		t.Error("more forecasters than can be told apart were drawn")
	}
	if _, err := ForecastErrors("", "", []ForecastError{{Name: "a", Errors: []float64{1}}}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}
