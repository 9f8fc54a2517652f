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
	worker *experiments.Worker // nil: there is none yet, or the last one panicked
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
		r.cell, r.worker = cell, nil
		if r.study, err = r.plan.studies.get(cell, r.plan.Settings[cell]); err != nil {
			return fmt.Errorf("cell %d %s: %w", cell, r.plan.Cells[cell].Parameters, err)
		}
	}
	if r.worker == nil {
		r.worker = r.study.Worker()
	}
	return nil
}

// row runs one case.
func (r *runner) row(cell int, c experiments.Case) results.SweepRow {
	in := &r.plan.Cells[cell]
	row := results.SweepRow{Cell: int64(cell), Parameters: in.Parameters, StartS: c.Start.Seconds()}
	summary, err := r.run(c)
	if err == nil {
		err = summary.Check()
	}
	row.Summary = summary
	if err != nil {
		spec := r.study.Spec
		o := &spec.Objectives[c.Objective]
		row.Summary = results.Summary{Run: c.Run, Objective: o.Name, Policy: in.Policies[c.Policy], Seed: c.Seed,
			Market: r.study.Markets.Name, Replay: r.study.Markets.Replay, Unit: r.study.Markets.Unit, ObjectiveLoss: o.Loss,
			ObjectiveS: o.TimeS, ObjectiveShare: o.Share, HorizonS: spec.HorizonS}
		row.Fail(err)
	}
	row.Scenario = r.plan.Name
	return row
}

// run runs one case; a panic, of a policy for one, is an error, and the worker is
// not used again.
func (r *runner) run(c experiments.Case) (s results.Summary, err error) {
	w := r.worker
	if w == nil {
		w = r.study.Worker()
	}
	r.worker = nil
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
			return
		}
		r.worker = w
	}()
	return w.Run(c)
}
