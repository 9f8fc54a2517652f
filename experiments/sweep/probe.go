package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies/plugin"
)

// Estimate is what a sweep will take, from a probe.
type Estimate struct {
	Probed       int64   `json:"probed"` // runs
	Cells        int     `json:"cells"`  // of which they are
	Failed       int64   `json:"failed"` // of the runs
	SecondsARun  float64 `json:"seconds_a_run"`
	BytesARun    float64 `json:"bytes_a_run"`
	TotalSeconds float64 `json:"total_seconds"` // of one core
	MinSeconds   float64 `json:"least_seconds"` // the range that it should be in
	MaxSeconds   float64 `json:"most_seconds"`
	TotalBytes   float64 `json:"total_bytes"`
}

// A probe runs at most probePoints points in each of at most probeCells cells, for about
// probeTime in all; a point that was begun is finished.
const (
	probeCells  = 8
	probePoints = 256
	probeTime   = 1500 * time.Millisecond
)

// rough is how many times longer or shorter than estimated a sweep may take even if all
// its cells are alike: machines are shared, and cores differ.
const rough = 1.5

// Probe runs points of a few cells, spread over the plan, on one core, and writes their
// rows to a file that it removes. A cell is run as a sweep runs it: opened once, then
// point after point, so that what a policy learns in its first runs is not counted
// for all.
func (p *Plan) Probe(ctx context.Context) (e Estimate, err error) { return p.probe(ctx, time.Now) }

// probe is Probe by a clock.
func (p *Plan) probe(ctx context.Context, now func() time.Time) (e Estimate, err error) {
	r := &runner{plan: p, progress: &Progress{}}
	defer r.close()
	e.Cells = min(len(p.Cells), probeCells)
	var seconds []float64 // of the whole cell
	for k := range e.Cells {
		cell := k * len(p.Cells) / e.Cells
		of, failed, err := r.probe(ctx, now, cell, probeTime/time.Duration(e.Cells))
		if err != nil {
			return e, err
		}
		e.Failed += failed
		seconds = append(seconds, of)
	}
	e.Probed = int64(len(r.rows))
	e.sum(seconds, float64(len(p.Cells)))
	e.SecondsARun = e.TotalSeconds / float64(p.Runs())
	e.TotalBytes, err = p.size(r.rows)
	e.BytesARun = e.TotalBytes / float64(p.Runs())
	return e, err
}

// sum sums up cells like those that were probed, whose seconds differ.
func (e *Estimate) sum(seconds []float64, cells float64) {
	n := float64(len(seconds))
	e.TotalSeconds = cells * stat.Mean(seconds, nil)
	e.MinSeconds = e.TotalSeconds
	e.MaxSeconds = e.TotalSeconds
	if n > 1 && n < cells {
		off := 2 * stat.StdErr(stat.StdDev(seconds, nil), n) * cells
		e.MinSeconds = max(e.TotalSeconds-off, e.TotalSeconds/2)
		e.MaxSeconds += off
	}
	e.MinSeconds /= rough
	e.MaxSeconds *= rough
}

// probe runs points of a cell for a while and returns the seconds that all of it will
// take: those until its runs take no less any more, and all others at the pace of the
// latter half.
func (r *runner) probe(
	ctx context.Context, now func() time.Time, cell int, budget time.Duration,
) (seconds float64, failed int64, err error) {
	all := r.plan.perCell()
	todo := spread(min(all, probePoints))
	began := now()
	last := began
	opening := -1.0 // until the first slot has opened the cell
	var took []float64
	// As a sweep does, in slots that ask a program of a policy together: a decision in a batch takes a fraction of one
	// alone.
	r.batch.Run(func() int { return r.slots[0].worker.Slots() }, func(l *plugin.Slot) {
		slot := r.in(l)
		if wrong := slot.enter(cell); wrong != nil {
			err = errors.Join(err, wrong)
			return
		}
		if opening < 0 {
			last = now()
			opening = last.Sub(began).Seconds()
		}
		for err == nil && len(todo) > 0 && (len(took) == 0 || last.Sub(began) <= budget) {
			point := int64(cell)*all + todo[0]*all/min(all, probePoints)
			todo = todo[1:]
			slot.rows = slot.rows[:0]
			failures, wrong := slot.point(ctx, point)
			if wrong != nil {
				err = errors.Join(err, wrong)
				return
			}
			failed += failures
			r.rows = append(r.rows, slot.rows...)
			at := now()
			took = append(took, at.Sub(last).Seconds())
			last = at
		}
	})
	if err != nil {
		return 0, 0, err
	}
	pace := stat.Mean(took[len(took)/2:], nil)
	return opening + floats.Sum(took) + pace*float64(all-int64(len(took))), failed, nil
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
	runs := int(min(int64(len(rows)), p.ChunkRuns(0)))
	file, err := p.fileSize(rows[:runs])
	if runs == 1 || err != nil {
		return file * float64(p.Chunks()), err
	}
	smallest, err := p.fileSize(rows[:1])
	row := (file - smallest) / float64(runs-1)
	return float64(p.Chunks())*(smallest-row) + float64(p.Runs())*row, err
}

// fileSize returns the size of a chunk of these rows.
func (p *Plan) fileSize(rows []results.SweepRow) (float64, error) {
	dir, err := os.MkdirTemp("", "marigram-probe-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "probe.parquet")
	part := results.Part{Provenance: p.Provenance(), Plan: p.Hash}
	if err := results.WritePart(context.Background(), path, part, rows); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}
