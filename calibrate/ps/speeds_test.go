package ps

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/gpu"
	"github.com/marigram/marigram/internal/near"
)

// fitted returns a model of the time of a step on two GPUs g.
func fitted(t testing.TB) *fit.Model {
	t.Helper()
	m, err := fit.Fit(gpu.StepTimeLinear, fit.Grid(gpu.StepTimeLinear, []float64{0.1, 0.01}), []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A profile gets the predicted speeds of its types with the model's GPU.
func TestSpeeds(t *testing.T) {
	check := near.Count(t)
	p := Profile{{InstanceType: "one", GPU: "g", GPUs: 2, BatchPerGPU: 64, SpeedSamplesPerS: 1}, {InstanceType: "two", GPU: "h", GPUs: 2, BatchPerGPU: 64,
		SpeedSamplesPerS: 1},
		{InstanceType: "big", GPU: "g", GPUs: 2, BatchPerGPU: 256, SpeedSamplesPerS: 1}}
	out, warnings, err := PredictSpeeds(fitted(t), p, []string{"one", "two"})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if want := 128 / 0.74; check.Off(out[0].SpeedSamplesPerS, want, 1e-6) || out[1].SpeedSamplesPerS != 1 || p[0].SpeedSamplesPerS != 1 {
		t.Errorf("%+v", out)
	}
	_, warnings, err = PredictSpeeds(fitted(t), p, []string{"big"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0],
		"the speed of big is predicted outside the fitted range of the model (batch_per_gpu 256 is outside 16 to 128)") {
		t.Errorf("%v, %v", warnings, err)
	}
	if _, _, err = PredictSpeeds(fitted(t), p[1:2], nil); err == nil || !strings.Contains(err.Error(), `fitted on GPU "g", but no instance type`) {
		t.Errorf("got %v", err)
	}
	contention, err := fit.Fit(psContention, fit.Grid(psContention, []float64{1, 3, 4}), []string{"batch_per_gpu=16"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = PredictSpeeds(contention, p, nil); err == nil || !strings.Contains(err.Error(), "without contention") {
		t.Errorf("got %v", err)
	}
}
