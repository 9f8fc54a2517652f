package plots

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
)

// steps are the spans of one run in the form in which they are drawn.
type steps struct {
	at       []float64 // hours: where each stretch begins, and where the last ends
	progress []float64 // per cent at each of them
	series   []*series
}

// series is what is drawn of one instance type on one market: a value for each
// stretch.
type series struct {
	instance, market string
	capacity         []float64
	held             []float64
	price            []float64 // USD/h, mean over the pools
	pools            int
	limited          bool // whether any pool's capacity is
}

// stepsOf checks the spans of a run, which are in order, and gathers them.
func stepsOf(spans []results.Span) (*steps, error) {
	if len(spans) == 0 {
		return nil, fmt.Errorf("plots: no spans")
	}
	pools := poolsOf(spans)
	if len(spans)%len(pools) != 0 {
		return nil, fmt.Errorf("plots: run %d: %d spans of %d pools", spans[0].Run, len(spans), len(pools))
	}
	s := &steps{at: []float64{spans[0].StartS / 3600}, progress: []float64{0}}
	find := s.seriesOf(pools)
	for from := 0; from < len(spans); from += len(pools) {
		stretch := spans[from : from+len(pools)]
		if err := checkStretch(spans, from, pools); err != nil {
			return nil, fmt.Errorf("plots: run %d, span at %v s: %w", spans[0].Run, stretch[0].StartS, err)
		}
		s.add(stretch, find)
	}
	return s, nil
}

// poolsOf are the rows of the first stretch: each stretch has one for each pool.
func poolsOf(spans []results.Span) []results.Span {
	n := 1
	for n < len(spans) && spans[n].StartS == spans[0].StartS && spans[n].Pool != spans[0].Pool {
		n++
	}
	return spans[:n]
}

// seriesOf makes a series for each kind of pool and says which is whose.
func (s *steps) seriesOf(pools []results.Span) []*series {
	find := make([]*series, len(pools))
	for i, p := range pools {
		for _, have := range s.series {
			if have.instance == p.InstanceType && have.market == p.Market {
				find[i] = have
			}
		}
		if find[i] == nil {
			find[i] = &series{instance: p.InstanceType, market: p.Market}
			s.series = append(s.series, find[i])
		}
		find[i].pools++
	}
	return find
}

func (s *steps) add(stretch []results.Span, find []*series) {
	for _, e := range s.series {
		e.capacity, e.held, e.price = append(e.capacity, 0), append(e.held, 0), append(e.price, 0)
	}
	last := len(s.at) - 1
	for i := range stretch {
		e, row := find[i], &stretch[i]
		e.held[last] += float64(row.Held())
		e.price[last] += row.PriceUSDPerH / float64(e.pools)
		if row.Capacity != nil {
			e.capacity[last] += float64(*row.Capacity)
			e.limited = true
		}
	}
	s.at = append(s.at, stretch[0].EndS/3600)
	s.progress = append(s.progress, 100*stretch[0].Progress)
}

// checkStretch holds the rows from from on to one stretch of the same run and
// pools, after the one before, with numbers that can be drawn.
func checkStretch(spans []results.Span, from int, pools []results.Span) error {
	for i := range pools {
		row, first := &spans[from+i], &spans[from]
		switch {
		case row.Run != spans[0].Run:
			return fmt.Errorf("of run %d: want the spans of one run", row.Run)
		case row.Pool != pools[i].Pool || row.InstanceType != pools[i].InstanceType || row.Market != pools[i].Market:
			return fmt.Errorf("pool %q (%s, %s), want %q as in the first interval", row.Pool, row.InstanceType, row.Market, pools[i].Pool)
		case row.StartS != first.StartS || row.EndS != first.EndS || !(row.EndS > row.StartS):
			return fmt.Errorf("from %v to %v s, want one interval for all pools", row.StartS, row.EndS)
		case from > 0 && row.StartS < spans[from-1].EndS:
			return fmt.Errorf("begins before the previous one ends, at %v s", spans[from-1].EndS)
		}
		if err := checkNumbers(row); err != nil {
			return err
		}
	}
	return nil
}

func checkNumbers(row *results.Span) error {
	counts := min(row.Ready, row.Starting, row.Noticed)
	if row.Capacity != nil {
		counts = min(counts, *row.Capacity)
	}
	switch {
	case counts < 0:
		return fmt.Errorf("pool %q: a number of instances is %d", row.Pool, counts)
	case !drawable(row.PriceUSDPerH):
		return fmt.Errorf("pool %q: price_usd_per_h is %v, want 0 to %g", row.Pool, row.PriceUSDPerH, most)
	case !drawable(row.StartS) || !drawable(row.EndS):
		return fmt.Errorf("t_end_s is %v, want 0 to %g", row.EndS, most)
	case !(row.Progress >= 0 && row.Progress <= 1):
		return fmt.Errorf("progress_fraction is %v, want 0 to 1", row.Progress)
	}
	return nil
}
