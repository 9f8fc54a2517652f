package plots

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func predictions() []Prediction {
	dice := rand.New(rand.NewPCG(9, 7))
	var all []Prediction
	for i := range 30 {
		x := 0.05 + 0.02*float64(i)
		p := Prediction{Measured: x, Predicted: x * (1 + 0.06*dice.NormFloat64())}
		if i%5 == 2 {
			p.Kind = HeldOutOfFit
		} else if i > 27 {
			p.Kind = OutsideOfRange
		} else if i > 24 {
			p.Kind = ComparedWith
		}
		all = append(all, p)
	}
	return all
}

func calibrationFigure(t *testing.T) *canvas.Figure {
	f, err := Calibration("step-time-linear", "gavel-resnet50; V100; mean |residual| 2.2 % of the mean, held out 2.4 %", "step_time_s", "s", predictions())
	return must(t, f, err)
}

func TestCalibration(t *testing.T) {
	wantTexts(t, calibrationFigure(t), "step-time-linear: measured and predicted", "measured step_time_s (s)", "predicted (s)", "predicted - measured (s)",
		"fitted, 20", "held out of the fit, 6", "inside the fitted range, 2", "outside the fitted range, 2")
	for _, bad := range []Prediction{{Measured: math.NaN()}, {Predicted: math.Inf(-1)}} {
		if _, err := Calibration("", "", "", "", []Prediction{bad}); err == nil {
			t.Errorf("%+v was drawn", bad)
		}
	}
	if _, err := Calibration("", "", "", "", nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	f, err := Calibration("", "", "rate", "", append(predictions(), Prediction{Measured: 100, Predicted: 110}))
	wantTexts(t, must(t, f, err), "predicted - measured (% of measured)", "measured rate, logarithmic")
	f, err = Calibration("", "", "x", "s", []Prediction{{Measured: 0, Predicted: 0}})
	wantTexts(t, must(t, f, err), "fitted, 1")
}
