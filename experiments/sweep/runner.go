package sweep

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies/plugin"
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
	points   []int64            // memory of order
	parts    results.PartWriter

	cell   int // whose study the worker runs
	study  *experiments.Study
	worker *experiments.Worker

	batch plugin.Batch
	slots []*runner    // one a lane of it
	slot  *plugin.Slot // of a batch of which this runner is one; nil: of none
}

// chunk runs a chunk and leaves its rows in r.rows, in the order of the points. It returns how many runs
// failed, or an error where it was stopped.
func (r *runner) chunk(ctx context.Context, chunk int) (failed int64, err error) {
	runs := int(r.plan.ChunkRuns(chunk))
	r.rows = slices.Grow(r.rows[:0], runs)[:runs]
	first, last := r.plan.points(chunk)
	before := r.plan.runsBefore(first)
	todo := order{plan: r.plan, points: r.points[:0], next: first, last: last}
	r.batch.Run(func() int { return r.slots[0].worker.Slots() }, func(l *plugin.Slot) {
		for slot := r.in(l); err == nil; {
			point, wrong := todo.take()
			if err = wrong; err != nil || point < 0 {
				break
			}
			from := r.plan.runsBefore(point) - before
			slot.rows = r.rows[from:from]
			failures, stopped := slot.point(ctx, point)
			failed += failures
			if stopped != nil {
				err = stopped
			}
		}
	})
	r.points = todo.points
	if err != nil {
		return 0, err
	}
	return failed, nil
}

// in returns the runner of a lane.
func (r *runner) in(l *plugin.Slot) *runner {
	for len(r.slots) <= l.Number() {
		r.slots = append(r.slots, &runner{plan: r.plan, progress: r.progress, slot: l})
	}
	return r.slots[l.Number()]
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
			row := r.row(cell, experiments.Case{
				Run:       run,
				Objective: o,
				Policy:    p,
				Seed:      r.plan.Seed + int64(seed),
				Start:     at,
			})
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
		if r.study, err = r.plan.study(cell); err != nil {
			return err
		}
		r.worker = r.study.WorkerIn(r.slot)
	}
	return nil
}

// close ends what the worker has started.
func (r *runner) close() {
	for _, slot := range r.slots {
		slot.close()
	}
	if r.worker != nil {
		r.worker.Close()
		r.worker = nil
	}
}

// row runs one case.
func (r *runner) row(cell int, c experiments.Case) results.SweepRow {
	row := r.worker.Row(c)
	row.Cell = int64(cell)
	row.Parameters = r.plan.Cells[cell].Parameters
	row.Scenario = r.plan.Name
	return row
}
