package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
)

// Progress counts runs.
type Progress struct {
	All     atomic.Int64 // of the shard
	Made    atomic.Int64 // by this process
	Skipped atomic.Int64 // that were there
	Failed  atomic.Int64 // of both
}

// runner runs points one after the other, in memory of its own.
type runner struct {
	plan     *Plan
	progress *Progress
	rows     []results.SweepRow // of the chunk

	cell   int // whose study the worker runs
	study  *experiments.Study
	worker *experiments.Worker
}

// chunk runs a chunk and leaves its rows in r.rows. It returns how many runs
// failed, or an error where it was stopped.
func (r *runner) chunk(ctx context.Context, chunk int) (failed int64, err error) {
	r.rows = slices.Grow(r.rows[:0], int(r.plan.ChunkRuns(chunk)))
	first, last := r.plan.points(chunk)
	for point := first; point < last; point++ {
		n, err := r.point(ctx, point)
		if err != nil {
			return 0, err
		}
		failed += n
	}
	return failed, nil
}

// point runs the objectives and policies of a point.
func (r *runner) point(ctx context.Context, point int64) (failed int64, err error) {
	cell, start, seed, run := r.plan.place(point)
	if err := r.enter(cell); err != nil {
		return 0, err
	}
	at := time.Duration(r.plan.StartsS[start] * 1e9)
	for o := range r.plan.Cells[cell].Objectives {
		for p := range r.plan.Cells[cell].Policies {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			row := r.row(cell, experiments.Case{Run: run, Objective: o, Policy: p, Seed: r.plan.Seed + int64(seed), Start: at})
			if row.Error != "" {
				failed++
				r.progress.Failed.Add(1)
			}
			r.progress.Made.Add(1)
			r.rows = append(r.rows, row)
			run++
		}
	}
	return failed, nil
}

func (r *runner) enter(cell int) (err error) {
	if r.study == nil || r.cell != cell {
		r.close()
		r.cell = cell
		if r.study, err = r.plan.studies.get(cell, r.plan.Settings[cell]); err != nil {
			return fmt.Errorf("cell %d %s: %w", cell, r.plan.Cells[cell].Parameters, err)
		}
		r.worker = r.study.Worker()
	}
	return nil
}

// close ends what the worker has started.
func (r *runner) close() {
	if r.worker != nil {
		r.worker.Close()
		r.worker = nil
	}
}

// row runs one case.
func (r *runner) row(cell int, c experiments.Case) results.SweepRow {
	row := r.worker.Row(c)
	row.Cell, row.Parameters, row.Scenario = int64(cell), r.plan.Cells[cell].Parameters, r.plan.Name
	return row
}
