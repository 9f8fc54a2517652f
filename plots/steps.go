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

	layout []string  // of each stretch: that in which the job trains, "" where it has none
	rate   []float64 // samples per second, of a job in layouts
	usd    []float64 // USD/h: the instances that are held
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
	pools := results.FirstSpans(spans)
	s := &steps{at: []float64{spans[0].StartS / 3600}, progress: []float64{0}}
	find := s.seriesOf(pools)
	for stretch, err := range results.Stretches(spans) {
		if err != nil {
			return nil, fmt.Errorf("plots: %w", err)
		}
		s.add(stretch, find)
	}
	for i := range spans {
		if err := checkNumbers(&spans[i]); err != nil {
			return nil, fmt.Errorf("plots: run %d, span at %v s: %w", spans[0].Run, spans[i].StartS, err)
		}
	}
	return s, nil
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
	last, usd := len(s.at)-1, 0.0
	for i := range stretch {
		e, row := find[i], &stretch[i]
		usd += float64(row.Held()) * row.PriceUSDPerH
		e.held[last] += float64(row.Held())
		e.price[last] += row.PriceUSDPerH / float64(e.pools)
		if row.Capacity != nil {
			e.capacity[last] += float64(*row.Capacity)
			e.limited = true
		}
	}
	s.layout, s.rate, s.usd = append(s.layout, stretch[0].Layout), append(s.rate, stretch[0].RateProgressPerS), append(s.usd, usd)
	s.at = append(s.at, stretch[0].EndS/3600)
	s.progress = append(s.progress, 100*stretch[0].Progress)
}

// checkNumbers says which number of a row cannot be drawn.
func checkNumbers(row *results.Span) error {
	counts := min(row.Ready, row.Starting, row.Noticed)
	if row.Capacity != nil {
		counts = min(counts, *row.Capacity)
	}
	switch {
	case counts < 0:
		return fmt.Errorf("pool %q: a number of instances is %d", row.Pool, counts)
	case !drawable(row.PriceUSDPerH):
		return fmt.Errorf("pool %q: price_usd_per_h is %v, want 0 to %g", row.Pool, row.PriceUSDPerH, maxNumber)
	case !drawable(row.StartS) || !drawable(row.EndS):
		return fmt.Errorf("t_end_s is %v, want 0 to %g", row.EndS, maxNumber)
	case !drawable(row.RateProgressPerS):
		return fmt.Errorf("rate_progress_per_s is %v, want 0 to %g", row.RateProgressPerS, maxNumber)
	case !(row.Progress >= 0 && row.Progress <= 1):
		return fmt.Errorf("progress_fraction is %v, want 0 to 1", row.Progress)
	}
	return nil
}
