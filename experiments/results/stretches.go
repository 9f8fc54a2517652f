package results

import (
	"fmt"
	"iter"
	"slices"
)

// Used reports whether the run holds or requests something in the pool.
func (s *Span) Used() bool { return s.Held()+s.Waiting > 0 }

// FirstSpans are the rows of a run's pools in its first interval: its pools, in their order.
func FirstSpans(spans []Span) []Span { return spans[:group(spans)] }

// group is the number of rows that begin with the first, each of another pool than that.
func group(spans []Span) int {
	first := &spans[0]
	for n := 1; n < len(spans); n++ {
		if spans[n].StartS != first.StartS || spans[n].Pool == first.Pool {
			return n
		}
	}
	return len(spans)
}

// JobSpans are the rows of a run's first pool: one for each interval in which nothing changed, with what the job did.
func JobSpans(spans []Span) (out []Span) {
	for len(spans) > 0 {
		out = append(out, spans[0])
		spans = spans[group(spans):]
	}
	return out
}

// Stretches are the intervals of a run in which nothing changed, in order, each with a row of every pool, whose
// columns of the job and of time are those of the interval. The rows are valid until the next ones, and not to be
// changed. The last has the error if the rows of spans are not of one run, in order and without gaps.
func Stretches(spans []Span) iter.Seq2[[]Span, error] {
	return func(yield func([]Span, error) bool) {
		if len(spans) == 0 {
			return
		}
		stretch := newStretches(FirstSpans(spans))
		run := spans[0].Run
		for len(spans) > 0 {
			n := group(spans)
			if err := stretch.next(spans[:n]); err != nil {
				yield(nil, fmt.Errorf("run %d, span at %v s: %w", run, spans[0].StartS, err))
				return
			}
			if !yield(stretch.rows, nil) {
				return
			}
			spans = spans[n:]
		}
	}
}

// stretches are the rows of an interval.
type stretches struct {
	rows []Span
	ends []float64      // of the row of each pool
	find map[string]int // rows by pool
}

func newStretches(first []Span) *stretches {
	made := &stretches{
		rows: slices.Clone(first),
		ends: make([]float64, len(first)),
		find: make(map[string]int, len(first)),
	}
	for p := range first {
		made.find[first[p].Pool] = p
	}
	made.rows[0].EndS = first[0].StartS
	return made
}

// next goes on to the interval whose new rows are given.
func (s *stretches) next(rows []Span) error {
	first := &rows[0]
	before := s.rows[0].EndS
	switch {
	case first.Pool != s.rows[0].Pool:
		return fmt.Errorf("pool %q, want %q as in the first interval", first.Pool, s.rows[0].Pool)
	case !(first.EndS > first.StartS):
		return fmt.Errorf("from %v to %v s, want one interval for all pools", first.StartS, first.EndS)
	case first.StartS < before:
		return fmt.Errorf("begins before the previous one ends, at %v s", before)
	}
	for i := range rows {
		if err := s.take(&rows[i]); err != nil {
			return err
		}
	}
	for p := range s.rows {
		if !(s.ends[p] >= first.EndS) {
			return fmt.Errorf("pool %q ends at %v s, want one interval for all pools, to %v s or later",
				s.rows[p].Pool, s.ends[p], first.EndS)
		}
		s.rows[p].setJob(first)
	}
	return nil
}

// take makes a row that of its pool.
func (s *stretches) take(row *Span) error {
	pool, known := s.find[row.Pool]
	if !known {
		return fmt.Errorf("pool %q (%s, %s), want one of the first interval", row.Pool, row.InstanceType, row.Market)
	}
	has := &s.rows[pool]
	switch {
	case row.InstanceType != has.InstanceType || row.Market != has.Market:
		return fmt.Errorf("pool %q (%s, %s), want %s and %s as in the first interval",
			row.Pool, row.InstanceType, row.Market, has.InstanceType, has.Market)
	case row.Run != has.Run:
		return fmt.Errorf("of run %d: want the spans of one run", row.Run)
	}
	s.rows[pool] = *row
	s.ends[pool] = row.EndS
	return nil
}

// setJob gives a row the interval and the job of another.
func (s *Span) setJob(of *Span) {
	s.StartS = of.StartS
	s.EndS = of.EndS
	s.Activity = of.Activity
	s.RateProgressPerS = of.RateProgressPerS
	s.Slowed = of.Slowed
	s.Progress = of.Progress
	s.Loss = of.Loss
	s.JobsRunning = of.JobsRunning
	s.JobsWaiting = of.JobsWaiting
	s.GPUsWanted = of.GPUsWanted
	s.Layout = of.Layout
	s.CostUSD = of.CostUSD
}
