// Package parallel does numbered pieces of work on several goroutines.
package parallel

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
)

// Each calls work on n goroutines, at most one a number, and returns when all have returned. What each is given
// yields numbers from 0 to before n, every number once in all; it ends early when ctx is done or a call has returned
// an error, at which the context that work is given is done. Each returns the first error, else that of ctx.
func Each(ctx context.Context, goroutines, n int, work func(ctx context.Context, numbers iter.Seq[int]) error) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	numbers := func(yield func(int) bool) {
		for within.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n || !yield(i) {
				return
			}
		}
	}
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	for range min(goroutines, n) {
		wait.Go(func() {
			if err := work(within, numbers); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	if wait.Wait(); first != nil {
		return first
	}
	return ctx.Err()
}
