package policies

import (
	"math"

	"github.com/marigram/marigram/policies/policyutil"
)

// CheckpointInterval is what the best interval between saves depends on: how long a
// save takes, the mean time between failures of the job, and how long a restart
// takes, in seconds. Where machines fail one by one, MTBF is that of one machine
// divided by their number; where several fail at once it is longer: the mean time
// between the instants at which any fails.
type CheckpointInterval struct {
	Save, MTBF, Restart float64 // C, M and R
}

// Young returns the interval of work between saves sqrt(2 C M) (J. W. Young, "A
// first order approximation to the optimum checkpoint interval", CACM 1974).
func (c CheckpointInterval) Young() float64 { return policyutil.Young(c.Save, c.MTBF) }

// DalyFirst returns sqrt(2 C (M+R)) - C (J. T. Daly, "A higher order estimate of
// the optimum checkpoint interval for restart dumps", FGCS 2006, Eq. 9), but not
// less than 0.
func (c CheckpointInterval) DalyFirst() float64 {
	return max(math.Sqrt(2*c.Save*(c.MTBF+c.Restart))-c.Save, 0)
}

// Daly returns Daly's higher-order interval (the same paper, Eq. 37): for C < 2M
// sqrt(2 C M) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C, else M.
func (c CheckpointInterval) Daly() float64 {
	if c.Save >= 2*c.MTBF {
		return c.MTBF
	}
	ratio := c.Save / (2 * c.MTBF)
	return math.Sqrt(2*c.Save*c.MTBF)*(1+math.Sqrt(ratio)/3+ratio/9) - c.Save
}

// Exact returns the interval of least expected time when failures are
// exponential: M (1 + W(-exp(-C/M - 1))), W the principal branch of Lambert's
// function.
func (c CheckpointInterval) Exact() float64 {
	return c.MTBF * (1 + lambertW(-math.Exp(-c.Save/c.MTBF-1)))
}

// Stretch returns the expected time for a second of work when saves are interval
// seconds of work apart and failures are exponential, with restarts and lost work:
// M exp(R/M) (exp((tau+C)/M) - 1) / tau.
func (c CheckpointInterval) Stretch(interval float64) float64 {
	return c.MTBF * math.Exp(c.Restart/c.MTBF) * math.Expm1((interval+c.Save)/c.MTBF) / interval
}

// lambertW returns the w of at least -1 with w exp(w) = x, for x in [-1/e, 0], by
// Halley's method from the series around the branch point.
func lambertW(x float64) float64 {
	p := math.Sqrt(max(2*(math.E*x+1), 0))
	w := -1 + p - p*p/3 + 11*p*p*p/72
	for range 20 {
		e := math.Exp(w)
		f := w*e - x
		step := f / (e*(w+1) - (w+2)*f/(2*w+2))
		if math.IsNaN(step) || math.Abs(step) < 1e-16 {
			break
		}
		w -= step
	}
	return w
}
