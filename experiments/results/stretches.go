package results

import (
	"fmt"
	"iter"
	"slices"
)

// Used reports whether the run holds or requests something in the pool.
func (s *Span) Used() bool { return s.Held()+s.Waiting > 0 }

// FirstSpans are the rows of a run's pools in its first interval: its pools, in their order.
func FirstSpans(spans []Span) []Span { return spans[:group(spans, 0)] }

// group is the number of rows from i on that begin at one instant, each of another pool than the first of them.
func group(spans []Span, i int) int {
	n := i + 1
	for n < len(spans) && spans[n].StartS == spans[i].StartS && spans[n].Pool != spans[i].Pool {
		n++
	}
	return n - i
}

// JobSpans are the rows of a run's first pool: one for each interval in which nothing changed, with what the job did.
func JobSpans(spans []Span) (out []Span) {
	for i := 0; i < len(spans); i += group(spans, i) {
		out = append(out, spans[i])
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
		s := newStretches(FirstSpans(spans))
		for i := 0; i < len(spans); {
			n := group(spans, i)
			if err := s.next(spans[i : i+n]); err != nil {
				yield(nil, fmt.Errorf("run %d, span at %v s: %w", spans[0].Run, spans[i].StartS, err))
				return
			}
			if !yield(s.rows, nil) {
				return
			}
			i += n
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
	s := &stretches{rows: slices.Clone(first), ends: make([]float64, len(first)), find: make(map[string]int, len(first))}
	for p := range first {
		s.find[first[p].Pool] = p
	}
	s.rows[0].EndS = first[0].StartS
	return s
}

// next goes on to the interval whose new rows are given.
func (s *stretches) next(rows []Span) error {
	first, before := &rows[0], s.rows[0].EndS
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
			return fmt.Errorf("pool %q ends at %v s, want one interval for all pools, to %v s or later", s.rows[p].Pool, s.ends[p], first.EndS)
		}
		s.rows[p].setJob(first)
	}
	return nil
}

// take makes a row that of its pool.
func (s *stretches) take(row *Span) error {
	p, known := s.find[row.Pool]
	if !known {
		return fmt.Errorf("pool %q (%s, %s), want one of the first interval", row.Pool, row.InstanceType, row.Market)
	}
	has := &s.rows[p]
	switch {
	case row.InstanceType != has.InstanceType || row.Market != has.Market:
		return fmt.Errorf("pool %q (%s, %s), want %s and %s as in the first interval", row.Pool, row.InstanceType, row.Market, has.InstanceType, has.Market)
	case row.Run != has.Run:
		return fmt.Errorf("of run %d: want the spans of one run", row.Run)
	}
	s.rows[p], s.ends[p] = *row, row.EndS
	return nil
}

// setJob gives a row the interval and the job of another.
func (s *Span) setJob(of *Span) {
	s.StartS, s.EndS, s.Activity, s.RateProgressPerS, s.Progress, s.Loss = of.StartS, of.EndS, of.Activity, of.RateProgressPerS, of.Progress, of.Loss
	s.JobsRunning, s.JobsWaiting, s.GPUsWanted, s.Layout, s.CostUSD = of.JobsRunning, of.JobsWaiting, of.GPUsWanted, of.Layout, of.CostUSD
}
