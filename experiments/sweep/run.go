package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies/plugin"
)

// Options say how a sweep is run; results do not depend on them.
type Options struct {
	Workers int   // goroutines, at least 1
	Shard   Shard // which chunks
	// Retry makes chunks again in which runs failed.
	Retry bool
	// Progress is counted up, from several goroutines. It may be nil.
	Progress *Progress
	// Notice is told of files that are set aside, from several goroutines. It
	// may be nil.
	Notice func(string)
}

// Report is what a sweep came to.
type Report struct {
	Chunks  int   // of the shard
	Made    int   // by this process
	Skipped int   // that were there
	Broken  []int // chunks with runs that failed, ascending
}

// sweeper is a sweep under way.
type sweeper struct {
	*Folder
	Options
	mine    []int // chunks of the shard
	timings *timings
	mu      sync.Mutex
	report  Report
}

// Run makes the chunks of a shard that are not there, a goroutine a worker. A run
// that fails is a row with its error. It stops at the first chunk that cannot be
// written, and when ctx is done: chunks under way are given up, those that were
// made stay.
func (f *Folder) Run(ctx context.Context, o Options) (Report, error) {
	s := &sweeper{Folder: f, Options: o, timings: f.timings(o.Shard)}
	if s.Progress == nil {
		s.Progress = &Progress{}
	}
	if s.Notice == nil {
		s.Notice = func(string) {}
	}
	for chunk := range f.Plan.Chunks() {
		if o.Shard.owns(chunk) {
			s.mine = append(s.mine, chunk)
			s.Progress.All.Add(f.Plan.ChunkRuns(chunk))
		}
	}
	s.report.Chunks = len(s.mine)
	var workers atomic.Int64
	err := parallel.Each(store.WithNotice(ctx, s.Notice), o.Workers, len(s.mine), func(ctx context.Context, numbers iter.Seq[int]) error {
		return s.work(ctx, int(workers.Add(1))-1, numbers)
	})
	wrote := s.timings.flush(ctx)
	slices.Sort(s.report.Broken)
	if err != nil {
		return s.report, err
	}
	if wrote != nil {
		return s.report, wrote
	}
	return s.report, store.Sweep(s.chunks(), s.abandoned)
}

// abandoned reports whether a temporary file is that of a chunk that this sweep has
// seen to: of a process that was killed, or of one that makes the chunk as well and
// bears to find it gone.
func (s *sweeper) abandoned(name string) bool {
	m := partFile().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	chunk, err := strconv.Atoi(m[1])
	return err == nil && chunk < s.Plan.Chunks() && s.Shard.owns(chunk)
}

// work makes the chunks of some numbers.
func (s *sweeper) work(ctx context.Context, worker int, numbers iter.Seq[int]) error {
	r := &runner{plan: s.Plan, progress: s.Progress}
	defer r.close()
	for i := range numbers {
		there, err := s.there(ctx, s.mine[i])
		if err == nil && !there {
			err = s.make(ctx, r, worker, s.mine[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// there reports whether a chunk need not be made. What is in its place and is not
// the chunk is set aside.
func (s *sweeper) there(ctx context.Context, chunk int) (bool, error) {
	state, failed, why := s.check(ctx, chunk)
	switch {
	case state == Missing, state == Failed && s.Retry:
		return false, nil
	case state == Unknown:
		return false, fmt.Errorf("chunk %d: %w", chunk, why)
	case state == Damaged || state == Foreign:
		name := map[State]string{Damaged: "damaged", Foreign: "foreign"}[state]
		to, err := store.SetAside(ctx, s.Part(chunk), name)
		if err == nil {
			s.Notice(fmt.Sprintf("%v; kept as %s, and the chunk is made again", why, filepath.Base(to)))
		}
		return false, err
	}
	s.note(chunk, failed, false)
	s.Progress.Skipped.Add(s.Plan.ChunkRuns(chunk))
	s.Progress.Failed.Add(failed)
	return true, nil
}

// make runs a chunk and writes it.
func (s *sweeper) make(ctx context.Context, r *runner, worker, chunk int) error {
	began := time.Now()
	failed, err := r.chunk(ctx, chunk)
	if err != nil {
		return err
	}
	part := results.Part{Provenance: s.Plan.Provenance(), Plan: s.Plan.Hash, Chunk: chunk, Failed: failed}
	if err := r.parts.Write(ctx, s.Part(chunk), part, r.rows); err != nil {
		// Another worker that made the chunk as well has cleaned up behind it.
		if state, _, _ := s.check(ctx, chunk); state == Missing || !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("chunk %d: %w", chunk, err)
		}
	}
	s.note(chunk, failed, true)
	return s.timings.add(ctx, worker, chunk, len(r.rows), failed, began)
}

func (s *sweeper) note(chunk int, failed int64, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made {
		s.report.Made++
	} else {
		s.report.Skipped++
	}
	if failed > 0 {
		s.report.Broken = append(s.report.Broken, chunk)
	}
}

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
			n, fails := slot.point(ctx, point)
			if failed += n; fails != nil {
				err = fails
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
	row.Cell, row.Parameters, row.Scenario = int64(cell), r.plan.Cells[cell].Parameters, r.plan.Name
	return row
}

// seedsTogether is for how many seeds a start is run before the next one: many, so that a processor meets the same
// events again and again, and few enough that their random numbers can be kept.
const seedsTogether = 64

// order is the order in which the points of a chunk are run, cell by cell. Rows stand by their points, whatever it is.
type order struct {
	plan       *Plan
	points     []int64 // of a cell; the first taken of them are under way
	taken      int
	next, last int64 // the points of the cells to come: to before last
}

// take returns the next point, negative where there is none.
func (o *order) take() (int64, error) {
	for o.taken == len(o.points) {
		if o.next == o.last {
			return -1, nil
		}
		if err := o.enter(int(o.next / o.plan.perCell())); err != nil {
			return -1, err
		}
	}
	o.taken++
	return o.points[o.taken-1], nil
}

// enter orders the points of a cell. Where seeds have markets of their own it is one seed at a time, so that each
// market is made once.
func (o *order) enter(cell int) error {
	study, err := o.plan.study(cell)
	if err != nil {
		return err
	}
	together := seedsTogether
	if study.Markets.Shared() == nil {
		together = 1
	}
	last := min(o.last, int64(cell+1)*o.plan.perCell())
	o.points, o.taken = bySeeds(o.points[:0], o.next, last, o.plan.Seeds, together), 0
	o.next = last
	return nil
}

// bySeeds appends the points of a cell from first to before last, by blocks of n seeds, start and seed.
func bySeeds(points []int64, first, last int64, seeds, together int) []int64 {
	width := int64(seeds)
	for block := int64(0); block < width; block += int64(together) {
		for start := first - first%width; start < last; start += width {
			until := start + min(block+int64(together), width)
			for at := max(start+block, first); at < min(until, last); at++ {
				points = append(points, at)
			}
		}
	}
	return points
}
