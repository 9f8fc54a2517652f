package gpu

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/fit"
)

// batchLimit is the mini-batch that fits into a GPU's memory (spotDNN Eq. 10).
type batchLimit struct {
	Alpha2 float64 // samples per GB
	Beta2  float64 // samples
}

// batchLimitPoint is a GPU and the largest power of two of samples that trains
// on it.
type batchLimitPoint struct {
	MemoryGB float64
	Batch    int // samples
}

// Batch returns the mini-batch of a GPU, 2^floor(log2(alpha2 mem + beta2)); 0
// where not one sample fits.
func (m batchLimit) Batch(memoryGB float64) int {
	fits := m.Alpha2*memoryGB + m.Beta2
	if fits < 1 {
		return 0
	}
	_, exponent := math.Frexp(fits)
	return 1 << (exponent - 1)
}

// fitBatchLimit fits alpha2 and beta2. A batch says no more of what fits than
// that it is from one to two times as much: the fit takes the line nearest to the
// middles of these ranges, in octaves, that leaves none. The residual of a point
// is by how many octaves the fitted batch is off: 0 unless no line does.
func fitBatchLimit(points []batchLimitPoint) (batchLimit, []float64, error) {
	if len(points) < 2 {
		return batchLimit{}, nil, fmt.Errorf("%d points, expected at least 2", len(points))
	}
	perGB := 0.0
	for i, p := range points {
		if !(p.MemoryGB > 0) || p.Batch < 1 || p.Batch&(p.Batch-1) != 0 {
			return batchLimit{}, nil, fmt.Errorf("point %d, %+v: expected memory above 0 and a power of two", i+1, p)
		}
		perGB += 1.5 * float64(p.Batch) / p.MemoryGB / float64(len(points))
	}
	const outside = 1e3 // a point out of its range outweighs all in theirs
	squares := func(x []float64) float64 {
		sum := 0.0
		for _, p := range points {
			fits := max(x[0]*p.MemoryGB+x[1], 1e-3)
			off := math.Abs(math.Log2(fits/float64(p.Batch)) - 0.5)
			sum += off*off + outside*math.Pow(max(off-0.499, 0), 2)
		}
		return sum
	}
	r, err := fit.LeastSquares([][]float64{{perGB, 0}}, squares)
	if err != nil {
		return batchLimit{}, nil, fmt.Errorf("batch and memory: %w", err)
	}
	m := batchLimit{Alpha2: r.X[0], Beta2: r.X[1]}
	residuals := make([]float64, len(points))
	for i, p := range points {
		residuals[i] = math.Log2(float64(m.Batch(p.MemoryGB))) - math.Log2(float64(p.Batch))
	}
	return m, residuals, nil
}

func init() { fit.Register(batchMemory) }

// batchMemory is the largest power of two of samples that trains on a GPU.
var batchMemory = fit.Family{
	Name:    "batch-memory",
	Formula: "batch_per_gpu = 2^floor(log2(alpha2 gpu_memory_gb + beta2))",
	Source:  "spotDNN (IWQoS 2023), Eq. 10",
	Target:  "batch_per_gpu",
	Inputs:  []string{"gpu_memory_gb"},
	Same:    []string{"model"},
	Parameters: []fit.Parameter{
		{Name: "alpha2", Unit: "samples/GB", Doc: "samples per GB"},
		{Name: "beta2", Unit: "samples", Doc: "offset: memory of the network, usually below 0"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		points := make([]batchLimitPoint, len(rows))
		for i, r := range rows {
			points[i] = batchLimitPoint{MemoryGB: r.GPUMemoryGB, Batch: r.Batch}
		}
		law, _, err := fitBatchLimit(points)
		return []float64{law.Alpha2, law.Beta2}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		return float64(batchLimit{Alpha2: x[0], Beta2: x[1]}.Batch(m.GPUMemoryGB))
	},
}
