package gpu

import (
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// The memory of a step is a line of the batch.
func TestMemoryLinear(t *testing.T) {
	check := near.Count(t)
	p := fit.Grid(StepTimeLinear, []float64{0.1, 0.01})
	for i := range p.Rows {
		p.Rows[i].MemoryMB = 1000 + 90*float64(p.Rows[i].Batch)
	}
	m, err := fit.Fit(MemoryLinear, p, nil, "test")
	if err != nil || check.Off(m.Parameters[0].Value, 1000, 1e-6) || check.Off(m.Parameters[1].Value, 90, 1e-6) {
		t.Fatalf("%+v, %v", m, err)
	}
	if left, err := m.LeaveOut(p, "batch_per_gpu"); err != nil || check.Above(left.Worst, 1e-9) {
		t.Errorf("%+v, %v", left, err)
	}
}

// The batches of ResNet-110 in spotDNN's profile by the memory of the GPUs: M60
// 8 GB, K80 12, T4 and V100 16.
func TestFitBatchMemory(t *testing.T) {
	points := []batchLimitPoint{{8, 512}, {12, 1024}, {16, 1024}}
	m, residuals, err := fitBatchLimit(points)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points {
		if m.Batch(p.MemoryGB) != p.Batch || residuals[i] != 0 {
			t.Errorf("%+v: %+v says %d, residual %v", p, m, m.Batch(p.MemoryGB), residuals[i])
		}
	}
	if b := m.Batch(32); b != 2048 {
		t.Errorf("32 GB: %d", b)
	}
	if m.Batch(0.001) > 128 || (batchLimit{1, 0}).Batch(0.5) != 0 {
		t.Error("no memory holds a batch")
	}
	if _, residuals, err = fitBatchLimit([]batchLimitPoint{{8, 512}, {9, 2048}, {10, 512}}); err != nil || residuals[0] == 0 && residuals[1] == 0 &&
		residuals[2] == 0 {
		t.Errorf("no line holds these: %v, %v", residuals, err)
	}
	for _, bad := range [][]batchLimitPoint{{{8, 512}}, {{8, 512}, {16, 1000}}, {{0, 512}, {16, 1024}}} {
		if _, _, err := fitBatchLimit(bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

func TestBatchMemoryFamily(t *testing.T) {
	var rows []fit.Measurement
	for i, gb := range []float64{8, 12, 16, 24, 32, 48} {
		rows = append(rows, fit.Measurement{GPUMemoryGB: gb, Batch: []int{32, 64, 64, 128, 128, 256}[i], Line: i + 2})
	}
	m, err := fit.Fit(batchMemory, &fit.Measured{Name: "b.csv", Rows: rows}, nil, "test")
	if err != nil || *m.Errors.Fitted != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
