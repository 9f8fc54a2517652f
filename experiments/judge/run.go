package judge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// Options say how to judge.
type Options struct {
	Slow     bool                  // a contest also runs what takes long
	Why      bool                  // a contest says where its runs paid more than the optimum
	Sandbox  bool                  // entries are started by bwrap (loader.Plugin.Confine)
	Progress func(done, all int64) // called after every point, from several goroutines; may be nil
}

// trial is a set with the entries at work.
type trial struct {
	options Options
	studies []*opened
	entries []*loader.Plugin

	rows [][][]results.Summary // by study, point and policy
	done atomic.Int64
	all  int64

	mu     sync.Mutex
	failed map[string]failure // entries that are out
}

// failure is why an entry is out: of the first of its runs in which it failed, by number.
type failure struct {
	at  int64
	why string
}

// run runs all points of all studies.
func (t *trial) run(ctx context.Context) error {
	t.failed = map[string]failure{}
	for _, o := range t.studies {
		rows := make([][]results.Summary, len(o.points))
		for k := range rows {
			rows[k] = make([]results.Summary, len(o.study.Spec.Policies))
		}
		t.rows = append(t.rows, rows)
		t.all += int64(len(o.points))
	}
	return parallel.Each(ctx, runtime.GOMAXPROCS(0), int(t.all), t.work)
}

// work runs the points of some numbers.
func (t *trial) work(_ context.Context, numbers iter.Seq[int]) error {
	workers := make([]*experiments.Worker, len(t.studies))
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.Close()
			}
		}
	}()
	for n := range numbers {
		s := 0
		at := n // among the points of study s
		for at >= len(t.studies[s].points) {
			at -= len(t.studies[s].points)
			s++
		}
		if workers[s] == nil {
			workers[s] = t.studies[s].study.Worker()
		}
		if err := t.point(int64(n), workers[s], t.studies[s], at, t.rows[s][at]); err != nil {
			return err
		}
		if done := t.done.Add(1); t.options.Progress != nil {
			t.options.Progress(done, t.all)
		}
	}
	return nil
}

// point runs all policies of a point.
func (t *trial) point(n int64, w *experiments.Worker, o *opened, k int, rows []results.Summary) (err error) {
	c := o.points[k]
	first := k == 0 || o.points[k-1].Objective != c.Objective
	for p := range rows {
		c.Policy = p
		if p < o.own {
			if rows[p], err = attempt(w, c); err != nil {
				return fmt.Errorf("study %s, policy %s: %w", o.name, o.study.Spec.Policies[p].Name, err)
			}
			continue
		}
		name := o.study.Spec.Policies[p].Name
		if t.isOut(name, n) {
			continue
		}
		if rows[p], err = alone(w, c); err == nil && first {
			err = again(w, c, &rows[p])
		}
		if errors.As(err, new(*results.BelowBound)) { // no fault of the entry
			return fmt.Errorf("study %s: %w", o.name, err)
		}
		if err != nil {
			t.fail(t.entries[p-o.own], n, fmt.Sprintf("study %s, objective %s, seed %d, start %v: %v", o.name,
				o.study.Spec.Objectives[c.Objective].Name, c.Seed, c.Start, err))
		}
	}
	return nil
}

// isOut reports whether an entry failed in a run before the n-th, so that later ones need not be run.
func (t *trial) isOut(name string, n int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	failed, is := t.failed[name]
	return is && failed.at < n
}

// fail puts an entry out. Of several failures the first in the order of runs counts, whoever came first.
func (t *trial) fail(g *loader.Plugin, n int64, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, is := t.failed[g.Name]; !is || n < before.at {
		t.failed[g.Name] = failure{n, why}
	}
}

// alone runs an entry that knows of no other run: its program is started for this one.
func alone(w *experiments.Worker, c experiments.Case) (results.Summary, error) {
	w.Close()
	defer w.Close()
	return attempt(w, c)
}

// again runs an entry once more, and reports whether it does the same.
func again(w *experiments.Worker, c experiments.Case, once *results.Summary) error {
	twice, err := alone(w, c)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(*once, twice) {
		return errors.New("the same run twice is not the same: a policy decides by what it sees, " +
			"and by the random numbers that it is given")
	}
	return nil
}

// attempt runs a case; a policy of one's own that fails is an error, not a panic.
func attempt(w *experiments.Worker, c experiments.Case) (row results.Summary, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if err = plugin.Fault(fault); err == nil {
				panic(fault)
			}
			if failure := new(plugin.Failure); errors.As(err, &failure) {
				err = failure.Err // the name is said once
			}
		}
	}()
	return w.Run(c)
}
