package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
)

// Resimulate runs some runs of the sweep again and keeps what happens in them: spans,
// decisions, candidates and instances, which a sweep does not keep. A run is a function
// of its spec, cell, start and seed, so these are what happened in the sweep; that the
// totals are the same to the last bit is checked. The spec, and the files that it
// names, must be where they were when the plan was made. Runs that failed are left out,
// the others come in the order of their numbers, each once.
func (f *Folder) Resimulate(ctx context.Context, runs []int64) (*results.Set, error) {
	origin, err := Reopen(f.Plan)
	if err != nil {
		return nil, err
	}
	origin.AllowCommands = f.AllowCommands
	settings, err := origin.cells()
	if err != nil {
		return nil, err
	}
	if results.SHA256(origin.source) != f.Plan.SpecSHA256 || len(settings) != len(f.Plan.Cells) {
		return nil, fmt.Errorf("%s is not what it was when the sweep was begun", f.Plan.Made.File)
	}
	again := resimulation{folder: f, settings: settings, studies: origin.studies(1)}
	again.studies.bound = false // columns that a recorded run does not need
	set := &results.Set{Provenance: f.Plan.Provenance()}
	for _, run := range slices.Compact(slices.Sorted(slices.Values(runs))) {
		if run < 0 || run >= f.Plan.Runs() {
			return nil, fmt.Errorf("run %d: the sweep has runs 0 to %d", run, f.Plan.Runs()-1)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := again.add(set, run); err != nil {
			return nil, fmt.Errorf("run %d: %w", run, err)
		}
	}
	return set, nil
}

// resimulation keeps what runs that follow each other share.
type resimulation struct {
	folder   *Folder
	settings [][]spec.Setting
	studies  *studies
	study    *experiments.Study
	worker   *experiments.Worker

	chunk int
	rows  []results.SweepRow // of the chunk
}

// add runs one run again and adds what happened to a set.
func (r *resimulation) add(set *results.Set, run int64) error {
	was, err := r.row(run)
	if err != nil || was.Error != "" {
		return err
	}
	plan := r.folder.Plan
	at := plan.Place(run)
	if got := spec.Parameters(r.settings[at.Cell]); got != plan.Cells[at.Cell].Parameters {
		return fmt.Errorf("%s: cell %d is %s, and was %s when the sweep was begun", plan.Made.File, at.Cell, got,
			plan.Cells[at.Cell].Parameters)
	}
	study, err := r.studies.get(at.Cell, r.settings[at.Cell])
	if err != nil {
		return err
	}
	if study != r.study {
		r.study = study
		r.worker = study.Worker()
	}
	one, err := r.worker.Record(experiments.Case{Run: run, Objective: at.Objective, Policy: at.Policy,
		Seed: plan.Seed + int64(at.Seed), Start: time.Duration(plan.StartsS[at.Start] * 1e9)})
	if err != nil {
		return err
	}
	one.Summaries[0].Scenario = plan.Name
	if err := same(&one.Summaries[0], &was.Summary); err != nil {
		return err
	}
	set.Add(one)
	return nil
}

// row reads what the sweep says of a run.
func (r *resimulation) row(run int64) (*results.SweepRow, error) {
	plan := r.folder.Plan
	chunk := int(plan.pointOf(run) / int64(plan.ChunkPoints))
	if r.rows == nil || r.chunk != chunk {
		rows, err := r.folder.read(chunk)
		if err != nil {
			return nil, err
		}
		r.chunk = chunk
		r.rows = rows
	}
	return &r.rows[run-r.rows[0].Run], nil
}

// same says in which total a run differs from what it was in the sweep.
func same(now, was *results.Summary) error {
	for _, total := range []struct {
		name     string
		now, was float64
	}{
		{"cost_usd", now.CostUSD, was.CostUSD},
		{"finish_s", stats.Or(now.FinishS, math.Inf(1)), stats.Or(was.FinishS, math.Inf(1))},
		{"progress", now.Progress, was.Progress},
		{"instance_h", now.InstanceH, was.InstanceH},
		{"preemptions", float64(now.Preemptions), float64(was.Preemptions)},
		{"decisions", float64(now.Decisions), float64(was.Decisions)},
	} {
		if total.now != total.was {
			return fmt.Errorf("comes out otherwise than in the sweep: %s is %v and was %v; the program or a file "+
				"that the spec names has changed since", total.name, total.now, total.was)
		}
	}
	if now.Policy != was.Policy || now.Objective != was.Objective || now.Seed != was.Seed {
		return fmt.Errorf("is %s for %s under seed %d, and was %s for %s under seed %d in the sweep", now.Policy,
			now.Objective, now.Seed, was.Policy, was.Objective, was.Seed)
	}
	return nil
}
