package ps

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// What planners ask of spotDNN's model.

const manyWorkers = 1 << 20

// WorkerBounds implements sim.WorkerModel (Eqs. 15 and 16). In the artifact's
// form the factor sqrt(gamma4) of Eq. 16 is 1.
func (m *ASP) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	coef := &m.coef
	hi = manyWorkers
	if root := (1 - coef.Beta1) / coef.Alpha1; root > 0 && root*root < manyWorkers {
		hi = int(root * root)
	}
	amplitude := coef.Gamma2*m.slowest + coef.Gamma3
	if m.form == FormPaper {
		amplitude *= math.Sqrt(coef.Gamma4)
	}
	need := amplitude/(to-coef.Gamma5) - m.begun(amplitude, from)
	smallest := math.Ceil(m.slowest * need / (m.fastest * seconds))
	if !(smallest < manyWorkers) {
		return manyWorkers, hi
	}
	return max(int(smallest), 1), hi
}

// Estimate implements sim.WorkerModel (Eqs. 1-3). A cluster on which training
// would start at or below the objective loss is out of the loss model's range
// and counts as one that never gets there, as in the artifact.
func (m *ASP) Estimate(t sim.Tally, from, to float64) sim.Estimate {
	estimate := sim.Estimate{Batch: m.batch(t.Rate, t.Speed), Convergence: Convergence(&t)}
	estimate.Iterations, estimate.Seconds = m.needs(&t, estimate.Batch, estimate.Convergence, from, to)
	return estimate
}

// SecondsOf implements spotdnn.SecondsModel: the artifact's form reads no convergence coefficient.
func (m *ASP) SecondsOf(self sim.WorkerModel, t *sim.Tally, from, to float64) (seconds float64, known bool) {
	if self != sim.WorkerModel(m) || m.form != FormArtifact {
		return 0, false
	}
	_, seconds = m.needs(t, m.batch(t.Rate, t.Speed), 0, from, to)
	return seconds, true
}

// needs returns the normalised iterations and the seconds from one loss to another.
func (m *ASP) needs(t *sim.Tally, batch, convergence, from, to float64) (iterations, seconds float64) {
	coef := &m.coef
	amplitude := m.amplitudeAt(t.N, batch, convergence)
	if amplitude <= 0 || to <= coef.Gamma5 || t.N == 0 {
		return math.Inf(1), math.Inf(1)
	}
	iterations = amplitude/(to-coef.Gamma5) - m.begun(amplitude, from)
	if m.form == FormArtifact {
		iterations = math.RoundToEven(iterations)
		seconds = math.RoundToEven(iterations*batch/t.Speed*100) / 100
	} else {
		seconds = iterations / t.Rate
	}
	if iterations > 0 {
		return iterations, seconds
	}
	if math.IsInf(from, 1) {
		return 0, math.Inf(1)
	}
	return 0, 0
}

// MinIterations implements spotdnn.BoundedModel: Eq. 3 at the batch, of those
// between lo and hi, and at the convergence coefficient that need the fewest
// iterations: R is least where one worker has the share top and the others are
// alike. The artifact's roundings take up to 0.05 samples off the batch, half an
// iteration, and 5 ms.
func (m *ASP) MinIterations(n int, lo, hi, top, from, to float64) (iterations, slack float64) {
	coef := &m.coef
	rounding := 0.0
	if m.form == FormArtifact {
		rounding = 0.05
	}
	amplitude := (coef.Gamma3 + min(coef.Gamma2*(lo-rounding), coef.Gamma2*(hi+rounding))) * math.Sqrt(float64(n))
	if m.form == FormPaper {
		convergence := 0.0
		if n > 1 {
			convergence = max(1-top, 0) * math.Sqrt(float64(n)/float64(n-1))
		}
		amplitude *= math.Sqrt(convergence + coef.Gamma4)
	}
	if amplitude <= 0 || to <= coef.Gamma5 {
		return 0, 0
	}
	iterations = amplitude/(to-coef.Gamma5) - m.begun(amplitude, from)
	if m.form == FormArtifact {
		iterations = (iterations - 0.5) * (1 - rounding/lo)
		slack = 0.005
	}
	return max(iterations, 0), slack
}

// begun returns the iterations, gamma1 of Eq. 3 included, that lie behind a
// cluster of amplitude a at a loss; a loss of +Inf is the start of training.
func (m *ASP) begun(a, from float64) float64 {
	if math.IsInf(from, 1) {
		if m.coef.BeginLoss == 0 {
			return m.coef.Gamma1
		}
		from = m.coef.BeginLoss
	}
	return a / (from - m.coef.Gamma5)
}
