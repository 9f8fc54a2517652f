package ps

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/marigram/marigram/calibrate/fit"
)

// Distance is what a parameter server far away adds to each step of a worker:
// round trips, and the parameters twice over a path with less bandwidth,
//
//	added = RoundTrips * rtt + 2 * bytes / Bandwidth
//
// after the added step times of CM-DARE (ICDCS 2020), which grow with the size
// of the network and not only with the latency. The paper gives no form.
type Distance struct {
	RoundTrips float64 // in one step, above 0
	Bandwidth  float64 // of the far path, bytes/s, above 0
}

// Added returns the seconds that rtt seconds of further latency add to a step
// of a network with n bytes of parameters. It is nothing for no latency.
func (d Distance) Added(rtt, bytes float64) float64 {
	if rtt == 0 {
		return 0
	}
	return d.RoundTrips*rtt + 2*bytes/d.Bandwidth
}

// DistancePoint is a step time measured near and far.
type DistancePoint struct {
	GPU, Network string
	RTT          float64 // latency that is added, s
	Bytes        float64 // of parameters
	Near, Far    float64 // step times, s
}

// FitDistance fits by least squares of the relative errors of the far step
// times (Nelder and Mead's search). At least two points, else it panics.
func FitDistance(points []DistancePoint) (Distance, error) {
	if len(points) < 2 {
		panic("ps: FitDistance needs two points")
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		law := Distance{math.Exp(x[0]), math.Exp(x[1])}
		sum := 0.0
		for _, point := range points {
			off := (point.Near+law.Added(point.RTT, point.Bytes))/point.Far - 1
			sum += off * off
		}
		return sum
	}}
	found, err := optimize.Minimize(problem, []float64{0, math.Log(1e8)}, nil, &optimize.NelderMead{})
	if err != nil {
		return Distance{}, fmt.Errorf("distance to the parameter server: %w", err)
	}
	return Distance{math.Exp(found.X[0]), math.Exp(found.X[1])}, nil
}

func init() { fit.Register(psDistance) }

// psDistance is Distance by latencies and gradients in the units of profiles.
var psDistance = fit.Family{
	Name:    "ps-distance",
	Formula: "step_time_s = near_step_time_s + r latency_ms / 1000 + 2 gradient_mb / b",
	Source:  "fitted to the far step times of CM-DARE (ICDCS 2020); the paper has no such law",
	Target:  "step_time_s",
	Inputs:  []string{"near_step_time_s", "latency_ms", "gradient_mb"},
	Parameters: []fit.Parameter{
		{Name: "r", Unit: "1", Doc: "round trips in a step"},
		{Name: "b", Unit: "MB/s", Doc: "bandwidth of the far path"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		points := make([]DistancePoint, len(rows))
		for i, r := range rows {
			points[i] = DistancePoint{RTT: r.LatencyMs / 1e3, Bytes: 1e6 * r.GradientMB, Near: r.NearStepS,
				Far: r.StepS}
		}
		law, err := FitDistance(points)
		return []float64{law.RoundTrips, law.Bandwidth / 1e6}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		return m.NearStepS + Distance{x[0], 1e6 * x[1]}.Added(m.LatencyMs/1e3, 1e6*m.GradientMB)
	},
}
