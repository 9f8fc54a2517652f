package ps

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/fit"
	"gonum.org/v1/gonum/optimize"
)

// Capacity is how fast asynchronous workers train together when parameter
// servers (PS) serve n updates a second and no more:
//
//	v = ((g s)^-p + cap^-p)^(-1/p),  s = sum of the workers' speeds alone
//
// For n equal workers, g s = n v1. The form is fitted to the cluster speeds of
// CM-DARE (Li, Walls, Guo, ICDCS 2020) and ICAC 2019; the papers have none: they
// show that speeds add up until the PS saturates.
type Capacity struct {
	Gain float64 // g, speed of a worker in a cluster over its speed alone, above 0
	Cap  float64 // what the parameter servers can serve, steps/s, above 0; +Inf: no limit
	P    float64 // how sharp the bend is, at least 1
}

// Unlimited is the capacity of a worker that has no parameter server.
func Unlimited() Capacity { return Capacity{Gain: 1, Cap: math.Inf(1), P: 1} }

// Speed returns the steps/s of workers whose speeds alone add up to sum steps/s,
// which is at least 0.
func (c Capacity) Speed(sum float64) float64 {
	sum *= c.Gain
	return sum * math.Pow(1+math.Pow(sum/c.Cap, c.P), -1/c.P)
}

// SpeedPoint is one measured cluster.
type SpeedPoint struct {
	Sum   float64 // of the workers' speeds alone, steps/s
	Speed float64 // measured, steps/s
	Runs  float64 // that it is the mean of: its weight in a fit, above 0
}

// errors returns |predicted/measured - 1| for each point.
func (c Capacity) errors(points []SpeedPoint) []float64 {
	errs := make([]float64, len(points))
	for i, point := range points {
		errs[i] = math.Abs(c.Speed(point.Sum)/point.Speed - 1)
	}
	return errs
}

// Sharpest bend and largest capacity, in units of the largest sum, that are
// tried: where nothing saturates, the points say no more than "far away".
const (
	sharpest = 30
	farAway  = 1e3
)

// FitCapacity fits the law by least squares of the relative errors, weighted by
// runs: Nelder and Mead's search from several starts, the best of which counts. At least
// three points, else it panics; an error if no start leads anywhere.
func FitCapacity(points []SpeedPoint) (Capacity, error) {
	if len(points) < 3 {
		panic("ps: FitCapacity needs three points")
	}
	top := 0.0
	for _, point := range points {
		top = max(top, point.Sum)
	}
	problem := optimize.Problem{Func: func(x []float64) float64 { return lawOf(x).misfit(points, top) }}
	best := math.Inf(1)
	var law Capacity
	for _, reach := range []float64{.3, .7, 1.5, 10} {
		for _, sharpness := range []float64{1.5, 4, 12} {
			start := []float64{0, math.Log(reach * top), math.Log(sharpness)}
			found, err := optimize.Minimize(problem, start, nil, &optimize.NelderMead{})
			if err == nil && found.F < best {
				best = found.F
				law = lawOf(found.X)
			}
		}
	}
	if math.IsInf(best, 1) {
		return law, fmt.Errorf("no capacity law fits the %d points", len(points))
	}
	return law, nil
}

// lawOf is the law of the logarithms of its parameters.
func lawOf(x []float64) Capacity { return Capacity{math.Exp(x[0]), math.Exp(x[1]), math.Exp(x[2])} }

func (c Capacity) misfit(points []SpeedPoint, top float64) float64 {
	if c.P < 1 || c.P > sharpest || c.Cap > farAway*top {
		return math.Inf(1)
	}
	sum := 0.0
	for i, off := range c.errors(points) {
		sum += points[i].Runs * off * off
	}
	return sum
}

func init() {
	fit.Register(psCapacity)
	fit.Register(psContention)
}

// psContention is asynchronous training in which n GPUs, a worker each, share
// what the parameter servers can take: Capacity by the time of a step, with
// Gain times the speed of a worker as one parameter.
var psContention = fit.Family{
	Name:    "ps-contention",
	Formula: "step_time_s = gpus ((gpus v)^-p + cap^-p)^(1/p)",
	Source:  "fitted to the cluster speeds of CM-DARE (ICDCS 2020) and ICAC 2019; the papers have no such law",
	Target:  "step_time_s",
	Inputs:  []string{"gpus"},
	Same:    []string{"model", "gpu", "batch_per_gpu", "parameter_servers"},
	Parameters: []fit.Parameter{
		{Name: "v", Unit: "steps/s", Doc: "speed of a worker alone"},
		{Name: "cap", Unit: "steps/s", Doc: "capacity of the parameter servers"},
		{Name: "p", Unit: "1", Doc: "sharpness of the bend, at least 1"},
	},
	Fit: fitContention,
	Predict: func(x []float64, m *fit.Measurement) float64 {
		n := float64(m.GPUs)
		return n / Capacity{Gain: x[0], Cap: x[1], P: x[2]}.Speed(n)
	},
}

func fitContention(rows []fit.Measurement) ([]float64, error) {
	alone := 0.0 // about the speed of a worker alone, from which the search starts
	for i := range rows {
		alone = max(alone, 1/rows[i].StepS)
	}
	points := make([]SpeedPoint, len(rows))
	for i := range rows {
		workers := float64(rows[i].GPUs)
		points[i] = SpeedPoint{Sum: workers * alone, Speed: workers / rows[i].StepS, Runs: 1}
	}
	law, err := FitCapacity(points)
	return []float64{law.Gain * alone, law.Cap, law.P}, err
}

// psCapacity is Capacity for workers of any kinds.
var psCapacity = fit.Family{
	Name:    "ps-capacity",
	Formula: "step_time_s = gpus ((g alone_steps_per_s)^-p + cap^-p)^(1/p)",
	Source:  psContention.Source,
	Target:  "step_time_s",
	Inputs:  []string{"gpus", "alone_steps_per_s"},
	Same:    []string{"model", "parameter_servers"},
	Parameters: []fit.Parameter{
		{Name: "g", Unit: "1", Doc: "speed of a worker in a cluster over its speed alone"},
		{Name: "cap", Unit: "steps/s", Doc: "capacity of the parameter servers"},
		{Name: "p", Unit: "1", Doc: "sharpness of the bend, at least 1"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		points := make([]SpeedPoint, len(rows))
		for i, r := range rows {
			points[i] = SpeedPoint{Sum: r.AloneStepsPerS, Speed: float64(r.GPUs) / r.StepS, Runs: 1}
		}
		law, err := FitCapacity(points)
		return []float64{law.Gain, law.Cap, law.P}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		return float64(m.GPUs) / Capacity{Gain: x[0], Cap: x[1], P: x[2]}.Speed(m.AloneStepsPerS)
	},
}
