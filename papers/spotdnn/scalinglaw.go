package spotdnn

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/ps"
)

// scalingLaw is the time of a fixed number of mini-batches, trained by n workers of
// g GPUs each beside one parameter server: with the iteration time of spotDNN
// (Eqs. 6 to 8), a mini-batch a GPU,
//
//	seconds = (work + K (2 S (1/B(n) - 1/B_req) + 2 g S / B_pcie)) / (n g)
type scalingLaw struct {
	ps.Coefficients         // S, bandwidths, contention
	Work            float64 // GPU-seconds without contention
	Batches         float64 // K, mini-batches of one GPU
}

// gang is one measured run.
type gang struct {
	Workers, GPUs int // GPUs in each worker
	Seconds       float64
}

// Seconds returns the time on n workers of g GPUs.
func (s *scalingLaw) Seconds(n, g int) float64 {
	comm := 2*s.ParameterMB*(1/s.Bandwidth(n, 1, 0)-1/s.WorkerMBps) + 2*float64(g)*s.ParameterMB/s.PCIeMBps
	return (s.Work + s.Batches*comm) / float64(n*g)
}

// fitScaling fits the work and K of one workload to runs at which the workers
// do not contend for the server, or contend alike, and returns the residuals:
// the fitted time over the measured less one. It needs runs with two numbers of
// GPUs.
func fitScaling(c ps.Coefficients, runs []gang) (scalingLaw, []float64, error) {
	s := scalingLaw{Coefficients: c}
	largest := 0.0
	for i, r := range runs {
		if r.Workers < 1 || r.GPUs < 1 || !(r.Seconds > 0) {
			return s, nil, fmt.Errorf("run %d, %+v: expected numbers above 0", i+1, r)
		}
		largest = max(largest, r.Seconds*float64(r.Workers*r.GPUs))
	}
	pcie := 2 * c.ParameterMB / c.PCIeMBps
	set := func(x []float64) { s.Work, s.Batches = largest*x[0], largest*x[1]/pcie }
	best, err := fit.LeastSquares([][]float64{{0.9, 0.01}, {0.5, 0.1}}, func(x []float64) float64 {
		set(x)
		return s.squares(runs)
	})
	if err != nil {
		return s, nil, fmt.Errorf("scaling: %w", err)
	}
	set(best.X)
	return s, s.residuals(runs), nil
}

// fitContentionByScaling fits K of each workload and the contention that they
// share, being served by one kind of server, to runs of workloads whose Work is
// known from profiles: K to the runs in which the workers ask for no more than
// the server has, of which each workload needs one, then alpha1 and beta1 of
// Eq. 9 to the others. It returns the workloads with both, and the sum of squares
// of the relative residuals of the others.
func fitContentionByScaling(workloads []scalingLaw, runs [][]gang) ([]scalingLaw, float64, error) {
	if len(workloads) != len(runs) {
		panic(fmt.Sprintf("spotdnn: %d workloads with runs of %d", len(workloads), len(runs)))
	}
	fitted := append([]scalingLaw{}, workloads...)
	contended := make([][]gang, len(runs))
	for i := range fitted {
		s := &fitted[i]
		batches, free := 0.0, 0.0
		for _, r := range runs[i] {
			if float64(r.Workers)*s.WorkerMBps > s.ServerMBps {
				contended[i] = append(contended[i], r)
				continue
			}
			over := r.Seconds*float64(r.Workers*r.GPUs) - s.Work
			batches += over / (2 * float64(r.GPUs) * s.ParameterMB / s.PCIeMBps)
			free++
		}
		if s.Batches = batches / free; !(s.Batches > 0) {
			return nil, 0, fmt.Errorf("workload %d: %v mini-batches from %v runs without contention, expected more than 0", i+1,
				s.Batches, free)
		}
	}
	set := func(x []float64) {
		for i := range fitted {
			fitted[i].Alpha1, fitted[i].Beta1 = x[0], x[1]
		}
	}
	best, err := fit.LeastSquares(ps.ContentionStarts(), func(x []float64) float64 {
		set(x)
		sum := 0.0
		for i := range fitted {
			sum += fitted[i].squares(contended[i])
		}
		return sum
	})
	if err != nil {
		return nil, 0, fmt.Errorf("contention: %w", err)
	}
	set(best.X)
	return fitted, best.F, nil
}

func (s *scalingLaw) residuals(runs []gang) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = s.Seconds(r.Workers, r.GPUs)/r.Seconds - 1
	}
	return out
}

func (s *scalingLaw) squares(runs []gang) float64 {
	sum := 0.0
	for _, r := range s.residuals(runs) {
		sum += r * r
	}
	return sum
}
