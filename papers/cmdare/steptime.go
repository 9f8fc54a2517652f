package cmdare

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers/cmdare/complexity"
)

// regression returns a kind of regressor by name: linear, quadratic (one feature
// only), svr-poly or svr-rbf. The kernels are those of CM-DARE's step times:
// (x.z + 1)^2 and exp(-|x-z|^2). c and epsilon are the support-vector
// regression's (SVRSettings); the others have none.
func regression(kind string, c, epsilon float64) (fitter, error) {
	kernels := map[string]complexity.Kernel{"svr-poly": complexity.Polynomial(2, 1, 1), "svr-rbf": complexity.RBF(1)}
	switch k := kernels[kind]; {
	case kind == "linear":
		return func(x [][]float64, y []float64) (regressor, error) { return fitLinear(x, y) }, nil
	case kind == "quadratic":
		return func(x [][]float64, y []float64) (regressor, error) { return fitQuadratic(x, y) }, nil
	case k == nil:
		return nil, fmt.Errorf("no regression %q, expected linear, quadratic, svr-poly or svr-rbf", kind)
	case !(c > 0) || !(epsilon >= 0):
		return nil, fmt.Errorf("%s with c %v, epsilon %v, expected above 0 and at least 0", kind, c, epsilon)
	default:
		return func(x [][]float64, y []float64) (regressor, error) {
			return complexity.FitSVR(x, y, complexity.SVRSettings{Kernel: k, C: c, Epsilon: epsilon})
		}, nil
	}
}

// cmdareTFLOPS are the GPU speeds that CM-DARE's features take, TFLOP/s.
var cmdareTFLOPS = map[string]float64{"K80": 4.113, "P100": 9.526}

type stepTimeFact struct {
	GPU     string  `col:"gpu"`
	Network string  `col:"model"`
	Seconds float64 `col:"step_s"`
}

type networkFact struct {
	Name       string  `col:"model"`
	FLOPs      float64 `col:"flops"`
	Parameters float64 `col:"parameters"`
}

// stepTimes returns CM-DARE's measured step times, seconds, with their features.
// For a GPU ("K80", "P100") the feature is the model complexity, the FLOPs scaled
// to 0 for the least and 1 for the most of the 20 networks. For "any" GPU it is
// the computation ratio, FLOPs over the GPU's TFLOP/s scaled likewise, and with
// "any-two" the complexity and the TFLOP/s.
func stepTimes(of string) (x [][]float64, y []float64, err error) {
	flops, smallest, largest := map[string]float64{}, math.Inf(1), 0.
	for _, n := range facts.Read[networkFact]("cmdare_networks") {
		flops[n.Name], smallest, largest = n.FLOPs, min(smallest, n.FLOPs), max(largest, n.FLOPs)
	}
	slow, fast := cmdareTFLOPS["K80"], cmdareTFLOPS["P100"]
	for _, r := range facts.Read[stepTimeFact]("cmdare_step_times") {
		f, g := flops[r.Network], cmdareTFLOPS[r.GPU]
		work := (f - smallest) / (largest - smallest)
		switch of {
		case r.GPU:
			x = append(x, []float64{work})
		case "any":
			x = append(x, []float64{(f/g - smallest/fast) / (largest/slow - smallest/fast)})
		case "any-two":
			x = append(x, []float64{work, g})
		default:
			continue
		}
		y = append(y, r.Seconds)
	}
	if len(y) == 0 {
		return nil, nil, fmt.Errorf("no step times of %q, expected K80, P100, any or any-two", of)
	}
	return x, y, nil
}
