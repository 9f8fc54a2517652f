package parallel

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
)

// Every number is done once, on any number of goroutines.
func TestEach(t *testing.T) {
	for _, goroutines := range []int{1, 3, 200} {
		for _, n := range []int{0, 1, 100} {
			done := make([]atomic.Int32, n)
			err := Each(context.Background(), goroutines, n, func(_ context.Context, numbers iter.Seq[int]) error {
				for i := range numbers {
					done[i].Add(1)
				}
				return nil
			})
			for i := range done {
				if done[i].Load() != 1 || err != nil {
					t.Errorf("%d goroutines, number %d of %d: done %d times, %v", goroutines, i, n, done[i].Load(), err)
				}
			}
		}
	}
}

// An error ends the work of all, and so does the end of the context.
func TestEachEndsEarly(t *testing.T) {
	wrong := errors.New("wrong")
	done := 0
	err := Each(context.Background(), 1, 10, func(_ context.Context, numbers iter.Seq[int]) error {
		for i := range numbers {
			if done++; i == 3 {
				return wrong
			}
		}
		return nil
	})
	if !errors.Is(err, wrong) || done != 4 {
		t.Errorf("%d done, %v, want 4 and the error", done, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done = 0
	err = Each(ctx, 1, 10, func(_ context.Context, numbers iter.Seq[int]) error {
		for i := range numbers {
			if done++; i == 3 {
				cancel()
			}
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || done != 4 {
		t.Errorf("%d done, %v, want 4 and that it was cancelled", done, err)
	}
}
