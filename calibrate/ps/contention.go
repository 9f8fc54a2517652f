package ps

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/fit"
)

// contention returns the probability that n workers contend for the PS (Eq. 9).
func (c *Coefficients) contention(n int) float64 {
	return min(max(c.Alpha1*math.Sqrt(float64(n))+c.Beta1, 0), 1)
}

// Bandwidth returns what each of n workers gets of the PS, MB/s (Eq. 8), with
// the contention predicted higher by margin of it. More PS than one share the
// load evenly, which is not in the paper.
func (c *Coefficients) Bandwidth(n int, servers int32, margin float64) float64 {
	offered := float64(servers) * c.ServerMBps
	if float64(n)*c.WorkerMBps <= offered {
		return c.WorkerMBps
	}
	contended := min(c.contention(n)*(1+margin), 1)
	return contended*offered/float64(n) + (1-contended)*c.WorkerMBps
}

// bandwidthPoint is the bandwidth that each of n workers was measured to get of
// the parameter server.
type bandwidthPoint struct {
	Workers int
	MBps    float64
}

// fitBandwidth fits alpha1 and beta1 of spotDNN's contention (Eq. 9) to measured
// bandwidths by Eq. 8 and returns c, whose WorkerMBps and ServerMBps it reads,
// with them. Points at which the workers ask for no more than the server has say
// nothing of contention; at least two others are needed.
func fitBandwidth(c Coefficients, points []bandwidthPoint) (Coefficients, error) {
	asking := 0
	for i, point := range points {
		if point.Workers < 1 || !(point.MBps > 0) {
			return c, fmt.Errorf("point %d, %+v: expected numbers above 0", i+1, point)
		}
		if float64(point.Workers)*c.WorkerMBps > c.ServerMBps {
			asking++
		}
	}
	if asking < 2 {
		return c, fmt.Errorf("%d points at which %v MB/s a worker are more than the server's %v, expected at least 2",
			asking, c.WorkerMBps, c.ServerMBps)
	}
	at, err := fit.LeastSquares(ContentionStarts(), func(x []float64) float64 {
		c.Alpha1 = x[0]
		c.Beta1 = x[1]
		sum := 0.0
		for _, point := range points {
			sum += math.Pow(c.Bandwidth(point.Workers, 1, 0)/point.MBps-1, 2)
		}
		return sum
	})
	if err != nil {
		return c, fmt.Errorf("contention: %w", err)
	}
	c.Alpha1 = at.X[0]
	c.Beta1 = at.X[1]
	return c, nil
}

// ContentionStarts are values of alpha1 and beta1 from which fits start, of gentle
// and of steep contention.
func ContentionStarts() [][]float64 {
	var starts [][]float64
	for _, alpha := range []float64{0.2, 0.5, 0.9} {
		for _, free := range []float64{1, 2, 3} { // sqrt of the number of workers at which contention begins
			starts = append(starts, []float64{alpha, -alpha * free})
		}
	}
	return starts
}

func init() { fit.Register(psBandwidth) }

// psBandwidth is spotDNN's contention for the bandwidth of one parameter server.
var psBandwidth = fit.Family{
	Name: "ps-bandwidth",
	Formula: "bandwidth_mb_per_s = P server_mb_per_s / instances + (1 - P) worker_mb_per_s, P = alpha1 " +
		"sqrt(instances) + beta1 within 0 and 1; worker_mb_per_s while the server has as much for each",
	Source: "spotDNN (IWQoS 2023), Eqs. 8 and 9",
	Target: "bandwidth_mb_per_s",
	Inputs: []string{"instances", "worker_mb_per_s", "server_mb_per_s"},
	Same:   []string{"worker_mb_per_s", "server_mb_per_s"},
	Parameters: []fit.Parameter{
		{Name: "alpha1", Unit: "1", Doc: "growth of the probability P of contention"},
		{Name: "beta1", Unit: "1", Doc: "P of no instances, usually below 0"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		points := make([]bandwidthPoint, len(rows))
		for i, r := range rows {
			points[i] = bandwidthPoint{Workers: r.Instances, MBps: r.BandwidthMBps}
		}
		c, err := fitBandwidth(Coefficients{WorkerMBps: rows[0].WorkerMBps, ServerMBps: rows[0].ServerMBps}, points)
		return []float64{c.Alpha1, c.Beta1}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		c := Coefficients{Alpha1: x[0], Beta1: x[1], WorkerMBps: m.WorkerMBps, ServerMBps: m.ServerMBps}
		return c.Bandwidth(m.Instances, 1, 0)
	},
}
