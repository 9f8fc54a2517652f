package ps

import (
	"math"

	"github.com/marigram/marigram/calibrate/fit"
)

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
		{Name: "gamma2", Unit: "1/sample", Doc: "growth of the iterations with the batch; 0 if all rows have one batch"},
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
		{Name: "gamma2", Unit: "1/sample", Doc: "growth of the iterations with the batch; 0 if all rows have one batch"},
		{Name: "gamma3", Unit: "1", Doc: "iterations that do not depend on the batch"},
		{Name: "gamma4", Unit: "1", Doc: "part that does not depend on the convergence coefficient"},
		{Name: "gamma5", Unit: "1", Doc: "loss that no training reaches"},
	},
}, FormPaper)

// lossFamily completes a family of Eq. 3 in one form. A loss at or below gamma5
// takes infinitely many iterations.
func lossFamily(f fit.Family, form Form) fit.Family {
	f.Target, f.Same = "iterations", []string{"model"}
	f.Fit = func(rows []fit.Measurement) ([]float64, error) {
		points := make([]LossPoint, len(rows))
		for i, r := range rows {
			points[i] = LossPoint{Workers: r.Instances, Batch: r.WorkerBatch, Iterations: r.Iterations, Loss: r.Loss}
			if form == FormPaper {
				points[i].Convergence = r.Convergence
			}
		}
		c, _, err := FitLoss(Coefficients{}, form, points)
		if form == FormPaper {
			return []float64{c.Gamma1, c.Gamma2, c.Gamma3, c.Gamma4, c.Gamma5}, err
		}
		return []float64{c.Gamma1, c.Gamma2, c.Gamma3, c.Gamma5}, err
	}
	f.Predict = func(x []float64, m *fit.Measurement) float64 {
		above := m.Loss - x[len(x)-1]
		if above <= 0 {
			return math.Inf(1)
		}
		n := float64(m.Instances)
		if form == FormPaper {
			n *= m.Convergence + x[3]
		}
		return (x[1]*m.WorkerBatch+x[2])*math.Sqrt(n)/above - x[0]
	}
	return f
}
