package ps

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/fit"
	"gonum.org/v1/gonum/mat"
)

// LossPoint is one measurement of a training run: the loss that a cluster
// reached.
type LossPoint struct {
	Workers     int
	Batch       float64 // weighted average, samples (Eq. 4)
	Convergence float64 // coefficient R (Eq. 5); read in the paper's form only
	Iterations  float64 // normalised, since the start of training
	Loss        float64
}

// FitLoss fits gamma1 to gamma5 of spotDNN's loss model (Eq. 3) to points and
// returns c with them, and the residual of each point, the fitted iterations
// over the measured less one. It minimises the sum of their squares: given gamma5
// and gamma4, the iterations
//
//	j = gamma2 b s/(loss - gamma5) + gamma3 s/(loss - gamma5) - gamma1
//
// with s = sqrt(n), in the paper's form sqrt((R + gamma4) n), are linear in the
// other three. Where all points have one batch, gamma2 cannot be told from gamma3
// and is 0; gamma4 is NaN outside of the paper's form. Errors say which points
// are missing, or that what comes out has not the shape of Eq. 3.
func FitLoss(c Coefficients, form Form, points []LossPoint) (Coefficients, []float64, error) {
	fitted := lossFit{form: form, points: points}
	if err := fitted.check(); err != nil {
		return c, nil, err
	}
	var starts [][]float64
	for _, above := range []float64{-2, -1, 0, 1, 2} { // the floor: from little below the least loss to far below
		starts = append(starts, []float64{above, -1}[:1+fitted.free4()])
	}
	best, err := fit.LeastSquares(starts, fitted.squares)
	if err != nil {
		return c, nil, fmt.Errorf("loss: %w", err)
	}
	gammas, residuals := fitted.solve(best.X)
	c.Gamma1 = gammas[0]
	c.Gamma2 = gammas[1]
	c.Gamma3 = gammas[2]
	c.Gamma4 = gammas[3]
	c.Gamma5 = gammas[4]
	if !(c.Gamma1 > 0 && c.Gamma3 > 0) {
		return c, residuals, fmt.Errorf("the points do not have the shape of Eq. 3: gamma1 %v, gamma3 %v, "+
			"expected more than 0", c.Gamma1, c.Gamma3)
	}
	return c, residuals, nil
}

type lossFit struct {
	form    Form
	points  []LossPoint
	batches bool // more than one: gamma2 can be told
	min     float64
}

// free4 is the number of fitted coefficients that are gamma4.
func (f *lossFit) free4() int {
	if f.form == FormPaper {
		return 1
	}
	return 0
}

func (f *lossFit) check() error {
	f.min = math.Inf(1)
	spread := false
	for i, point := range f.points {
		if !(point.Workers > 0 && point.Batch > 0 && point.Iterations > 0 && point.Loss > 0 && point.Convergence >= 0) {
			return fmt.Errorf("point %d, %+v: expected numbers above 0", i+1, point)
		}
		f.batches = f.batches || point.Batch != f.points[0].Batch
		spread = spread || point.Convergence != f.points[0].Convergence
		f.min = min(f.min, point.Loss)
	}
	if f.form == FormPaper && !spread {
		return fmt.Errorf("all points have the same convergence coefficient, but gamma4 needs at least two")
	}
	need := 3 + f.free4()
	if f.batches {
		need++
	}
	if len(f.points) < need {
		return fmt.Errorf("%d points, expected at least %d, the number of coefficients", len(f.points), need)
	}
	return nil
}

// squares returns the sum of squares at x, the logarithms of the least loss above
// gamma5 and, in the paper's form, of gamma4.
func (f *lossFit) squares(x []float64) float64 {
	_, residuals := f.solve(x)
	if residuals == nil {
		return math.Inf(1)
	}
	sum := 0.0
	for _, residual := range residuals {
		sum += residual * residual
	}
	return sum
}

// solve returns gamma1 to gamma5 at x and the residuals; none where the points
// leave them open.
func (f *lossFit) solve(x []float64) (gammas [5]float64, residuals []float64) {
	gamma5 := f.min - math.Exp(x[0])
	gamma4 := math.NaN()
	if f.form == FormPaper {
		gamma4 = math.Exp(x[1])
	}
	columns := 2
	if f.batches {
		columns = 3
	}
	a := mat.NewDense(len(f.points), columns, nil)
	ones := mat.NewVecDense(len(f.points), nil)
	for i, point := range f.points {
		factor := math.Sqrt(float64(point.Workers))
		if f.form == FormPaper {
			factor *= math.Sqrt(point.Convergence + gamma4)
		}
		factor /= (point.Loss - gamma5) * point.Iterations
		a.Set(i, 0, -1/point.Iterations)
		a.Set(i, 1, factor)
		if f.batches {
			a.Set(i, 2, factor*point.Batch)
		}
		ones.SetVec(i, 1)
	}
	var solution, fitted mat.VecDense
	if err := solution.SolveVec(a, ones); err != nil {
		return gammas, nil
	}
	fitted.MulVec(a, &solution)
	for i := range f.points {
		residuals = append(residuals, fitted.AtVec(i)-1)
	}
	gammas = [5]float64{solution.AtVec(0), 0, solution.AtVec(1), gamma4, gamma5}
	if f.batches {
		gammas[1] = solution.AtVec(2)
	}
	return gammas, residuals
}

func init() {
	fit.Register(lossEven)
	fit.Register(lossMixed)
}

// lossEven is spotDNN's loss on clusters of one instance type, or any if the
// factor of the convergence coefficient is left out, as in its artifact.
var lossEven = lossFamily(fit.Family{
	Name:    "loss",
	Formula: "iterations = (gamma2 worker_batch + gamma3) sqrt(instances) / (loss - gamma5) - gamma1",
	Source:  "spotDNN (IWQoS 2023), Eq. 3 as its artifact computes it",
	Inputs:  []string{"instances", "worker_batch", "loss"},
	Parameters: []fit.Parameter{
		{Name: "gamma1", Unit: "iterations", Doc: "iterations that the first loss is worth"},
		{Name: "gamma2", Unit: "1/sample",
			Doc: "growth of the iterations with the batch; 0 if all rows have one batch"},
		{Name: "gamma3", Unit: "1", Doc: "iterations that do not depend on the batch"},
		{Name: "gamma5", Unit: "1", Doc: "loss that no training reaches"},
	},
}, FormArtifact)

// lossMixed is the loss on clusters of several instance types.
var lossMixed = lossFamily(fit.Family{
	Name: "loss-mixed",
	Formula: "iterations = (gamma2 worker_batch + gamma3) sqrt((convergence + gamma4) instances) / (loss - " +
		"gamma5) - gamma1",
	Source: "spotDNN (IWQoS 2023), Eq. 3",
	Inputs: []string{"instances", "worker_batch", "loss", "convergence"},
	Parameters: []fit.Parameter{
		{Name: "gamma1", Unit: "iterations", Doc: "iterations that the first loss is worth"},
		{Name: "gamma2", Unit: "1/sample",
			Doc: "growth of the iterations with the batch; 0 if all rows have one batch"},
		{Name: "gamma3", Unit: "1", Doc: "iterations that do not depend on the batch"},
		{Name: "gamma4", Unit: "1", Doc: "part that does not depend on the convergence coefficient"},
		{Name: "gamma5", Unit: "1", Doc: "loss that no training reaches"},
	},
}, FormPaper)

// lossFamily completes a family of Eq. 3 in one form. A loss at or below gamma5
// takes infinitely many iterations.
func lossFamily(f fit.Family, form Form) fit.Family {
	f.Target = "iterations"
	f.Same = []string{"model"}
	f.Fit = func(rows []fit.Measurement) ([]float64, error) {
		points := make([]LossPoint, len(rows))
		for i, row := range rows {
			points[i] = LossPoint{Workers: row.Instances, Batch: row.WorkerBatch, Iterations: row.Iterations,
				Loss: row.Loss}
			if form == FormPaper {
				points[i].Convergence = row.Convergence
			}
		}
		coefficients, _, err := FitLoss(Coefficients{}, form, points)
		if form == FormPaper {
			return []float64{coefficients.Gamma1, coefficients.Gamma2, coefficients.Gamma3, coefficients.Gamma4,
				coefficients.Gamma5}, err
		}
		return []float64{coefficients.Gamma1, coefficients.Gamma2, coefficients.Gamma3, coefficients.Gamma5}, err
	}
	f.Predict = func(x []float64, m *fit.Measurement) float64 {
		above := m.Loss - x[len(x)-1]
		if above <= 0 {
			return math.Inf(1)
		}
		workers := float64(m.Instances)
		if form == FormPaper {
			workers *= m.Convergence + x[3]
		}
		return (x[1]*m.WorkerBatch+x[2])*math.Sqrt(workers)/above - x[0]
	}
	return f
}
