package experiments

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/policies/plugin"
)

// Run runs everything, a goroutine a core, and returns the rows in the order of
// the runs: they do not depend on how many goroutines there are. It stops early
// when ctx is done.
func (s *Study) Run(ctx context.Context) (*results.Set, error) {
	return s.RunPart(ctx, 0, 1)
}

// RunPart is Run for a part of n, counted from 0: every of-th point, so that several processes can share the
// work. Rows are numbered as Run numbers them, and those of all parts, by their numbers, are those of Run.
func (s *Study) RunPart(ctx context.Context, part, of int) (*results.Set, error) {
	if part < 0 || part >= of {
		panic(fmt.Sprintf("experiments: part %d of %d", part, of))
	}
	records := make([]record, s.Runs())
	var spilled spill
	defer spilled.close()
	var done atomic.Int64
	cores, points := runtime.GOMAXPROCS(0), (s.Points()+of-1-part)/of
	err := parallel.Each(ctx, cores, points, func(_ context.Context, numbers iter.Seq[int]) (err error) {
		Batch(s, (points+cores-1)/cores, func(w *Worker) {
			for k := range numbers {
				failed := guarded(func() error { return w.point(part+of*k, records, &spilled) })
				if failed != nil || err != nil {
					err = cmp.Or(err, failed)
					return
				}
				if s.Progress != nil {
					each := s.Runs() / s.Points()
					s.Progress(int(done.Add(int64(each))), s.Runs())
				}
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	var some []record
	for run := range records {
		if run%s.Points()%of != part {
			continue
		}
		some = append(some, records[run])
		if err := s.tell(int64(run), &records[run], &spilled); err != nil {
			return nil, err
		}
	}
	return gather(some), nil
}

// tell gives the rows of a run to whoever asked for them.
func (s *Study) tell(run int64, r *record, spilled *spill) (err error) {
	if s.Rows == nil {
		return nil
	}
	rows := r.rows
	if rows == nil {
		rows, err = spilled.get(run)
	}
	if err != nil || rows == nil {
		return err
	}
	return s.Rows(rows)
}

// guarded turns a panic, of a policy for instance, into an error: users of a study
// need a message, not a stack.
func guarded(work func() error) (err error) {
	defer func() {
		x := recover()
		if failure := plugin.Fault(x); failure != nil {
			err = failure
		} else if x != nil {
			err = fmt.Errorf("bug in marigram or in a policy, please report it with the spec: %v", x)
		}
	}()
	return work()
}
