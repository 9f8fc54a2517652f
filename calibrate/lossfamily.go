package calibrate

import "math"

func init() {
	Register(lossEven)
	Register(lossMixed)
}

// lossEven is spotDNN's loss on clusters of one instance type, or any if the
// factor of the convergence coefficient is left out, as in its artifact.
var lossEven = lossFamily(Family{
	Name:    "loss",
	Formula: "iterations = (gamma2 worker_batch + gamma3) sqrt(instances) / (loss - gamma5) - gamma1",
	Source:  "spotDNN (IWQoS 2023), Eq. 3 as its artifact computes it",
	Inputs:  []string{"instances", "worker_batch", "loss"},
	Parameters: []Parameter{
		{"gamma1", "iterations", "iterations that the first loss is worth"},
		{"gamma2", "1/sample", "growth of the iterations with the batch; 0 if all rows have one batch"},
		{"gamma3", "1", "iterations that do not depend on the batch"},
		{"gamma5", "1", "loss that no training reaches"},
	},
}, FormArtifact)

// lossMixed is the loss on clusters of several instance types.
var lossMixed = lossFamily(Family{
	Name:    "loss-mixed",
	Formula: "iterations = (gamma2 worker_batch + gamma3) sqrt((convergence + gamma4) instances) / (loss - gamma5) - gamma1",
	Source:  "spotDNN (IWQoS 2023), Eq. 3",
	Inputs:  []string{"instances", "worker_batch", "loss", "convergence"},
	Parameters: []Parameter{
		{"gamma1", "iterations", "iterations that the first loss is worth"},
		{"gamma2", "1/sample", "growth of the iterations with the batch; 0 if all rows have one batch"},
		{"gamma3", "1", "iterations that do not depend on the batch"},
		{"gamma4", "1", "what does not depend on the convergence coefficient"},
		{"gamma5", "1", "loss that no training reaches"},
	},
}, FormPaper)

// lossFamily completes a family of Eq. 3 in one form. A loss at or below gamma5
// takes infinitely many iterations.
func lossFamily(f Family, form Form) Family {
	f.Target, f.Same = "iterations", []string{"model"}
	f.Fit = func(rows []Measurement) ([]float64, error) {
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
	f.Predict = func(x []float64, m *Measurement) float64 {
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
