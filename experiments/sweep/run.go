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

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/internal/store"
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
	unlock, err := f.lock(ctx, o.Shard, s.Notice)
	if err != nil {
		return s.report, err
	}
	defer unlock()
	for chunk := range f.Plan.Chunks() {
		if o.Shard.owns(chunk) {
			s.mine = append(s.mine, chunk)
			s.Progress.All.Add(f.Plan.ChunkRuns(chunk))
		}
	}
	s.report.Chunks = len(s.mine)
	var workers atomic.Int64
	work := func(ctx context.Context, numbers iter.Seq[int]) error {
		return s.work(ctx, int(workers.Add(1))-1, numbers)
	}
	err = parallel.Each(store.WithNotice(ctx, s.Notice), o.Workers, len(s.mine), work)
	wrote := s.timings.flush(ctx)
	slices.Sort(s.report.Broken)
	if err != nil {
		return s.report, err
	}
	if wrote != nil {
		return s.report, wrote
	}
	return s.report, store.Sweep(s.chunks(), s.isAbandoned)
}

// isAbandoned reports whether a temporary file is that of a chunk that this sweep has
// seen to: of a process that was killed, or of one that makes the chunk as well and
// bears to find it gone.
func (s *sweeper) isAbandoned(name string) bool {
	number := partFile().FindStringSubmatch(name)
	if number == nil {
		return false
	}
	chunk, err := strconv.Atoi(number[1])
	return err == nil && chunk < s.Plan.Chunks() && s.Shard.owns(chunk)
}

// work makes the chunks of some numbers.
func (s *sweeper) work(ctx context.Context, worker int, numbers iter.Seq[int]) error {
	r := &runner{plan: s.Plan, progress: s.Progress}
	defer r.close()
	for i := range numbers {
		there, err := s.find(ctx, s.mine[i])
		if err == nil && !there {
			err = s.makeChunk(ctx, r, worker, s.mine[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find looks whether a chunk is there, and need not be made. What is in its place and is not
// the chunk is set aside.
func (s *sweeper) find(ctx context.Context, chunk int) (bool, error) {
	state, failed, why := s.check(ctx, chunk)
	switch {
	case state == Missing, state == Failed && s.Retry:
		return false, nil
	case state == Unknown:
		return false, fmt.Errorf("chunk %d: %w", chunk, why)
	case state == Damaged || state == Foreign:
		name := "damaged"
		if state == Foreign {
			name = "foreign"
		}
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

// makeChunk runs a chunk and writes it.
func (s *sweeper) makeChunk(ctx context.Context, r *runner, worker, chunk int) error {
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
