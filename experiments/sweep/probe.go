package sweep

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/marigram/marigram/experiments/results"
)

// Estimate is what a sweep will take, from a probe.
type Estimate struct {
	Probed       int64   `json:"probed"` // runs
	Failed       int64   `json:"failed"` // of them
	SecondsARun  float64 `json:"seconds_a_run"`
	BytesARun    float64 `json:"bytes_a_run"`
	TotalSeconds float64 `json:"total_seconds"` // of one core
	TotalBytes   float64 `json:"total_bytes"`
}

// probePoints and probeTime bound a probe; a point that was begun is finished.
const (
	probePoints = 1024
	probeTime   = time.Second
)

// Probe runs points spread over the plan for about a second on one core, and
// writes their rows to a file that it removes.
func (p *Plan) Probe(ctx context.Context) (e Estimate, err error) {
	r := &runner{plan: p, progress: &Progress{}}
	points := p.perCell() * int64(len(p.Cells))
	n := min(points, probePoints)
	if _, err := r.point(ctx, 0); err != nil { // opens what is not timed
		return e, err
	}
	r.rows = r.rows[:0]
	order := spread(n)
	began := time.Now()
	for _, k := range order {
		failed, err := r.point(ctx, k*points/n)
		if err != nil {
			return e, err
		}
		e.Failed += failed
		if time.Since(began) > probeTime {
			break
		}
	}
	e.Probed = int64(len(r.rows))
	e.SecondsARun = time.Since(began).Seconds() / float64(e.Probed)
	e.TotalSeconds = e.SecondsARun * float64(p.Runs())
	e.TotalBytes, err = p.size(r.rows)
	e.BytesARun = e.TotalBytes / float64(p.Runs())
	return e, err
}

// spread returns 0 to n-1 in an order of which every beginning is spread out:
// golden-ratio steps, of a length that has no divisor in common with n.
func spread(n int64) []int64 {
	step := max(n*618/1000, 1)
	for gcd(step, n) > 1 {
		step++
	}
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i) * step % n
	}
	return order
}

func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// size returns the bytes of all chunks, from rows spread over the plan: a chunk
// is a file, which takes some without any row, and more a row.
func (p *Plan) size(rows []results.SweepRow) (float64, error) {
	n := int(min(int64(len(rows)), p.ChunkRuns(0)))
	file, err := p.fileSize(rows[:n])
	if n == 1 || err != nil {
		return file * float64(p.Chunks()), err
	}
	least, err := p.fileSize(rows[:1])
	row := (file - least) / float64(n-1)
	return float64(p.Chunks())*(least-row) + float64(p.Runs())*row, err
}

// fileSize returns the size of a chunk of these rows.
func (p *Plan) fileSize(rows []results.SweepRow) (float64, error) {
	dir, err := os.MkdirTemp("", "marigram-probe-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "probe.parquet")
	if err := results.WritePart(path, results.Part{Provenance: p.provenance(), Plan: p.Hash}, rows); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}
