package describe

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// maxSamples is how many samples are taken at most: a year of seconds.
const maxSamples = 1 << 25

// Sample returns how many machines there were in some pools together (of all,
// if none is named) at the start of the observation and at every interval from
// there, after what happened at that instant; NaN where it is not known of one of
// them: in gaps, before its first record, and at the very end unless something was
// recorded then. Pools without any counts are passed over; only such ones, an
// interval below 1 us or more than 2^25 samples are errors.
func Sample(s *traces.Set, interval time.Duration, pools ...int) ([]float64, error) {
	m := &s.Manifest
	every := interval.Microseconds()
	if every < 1 || (m.TEndUs-m.TStartUs)/every >= maxSamples {
		observed := time.Duration(m.TEndUs-m.TStartUs) * time.Microsecond
		return nil, fmt.Errorf("an interval of %v in an observation of %v, "+
			"expected at least 1 us and at most %d intervals", interval, observed, maxSamples)
	}
	n := len(s.Pools)
	if len(pools) == 0 {
		for i := range n {
			pools = append(pools, i)
		}
	}
	capacity := series.ByPool(s.Capacity, n)
	events := series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
	gaps := series.GapsByPool(s.Gaps, n)
	out := make([]float64, (m.TEndUs-m.TStartUs)/every+1)
	counted := false
	for _, i := range pools {
		if steps, _ := series.CountSteps(capacity[i], events[i], probes[i]); len(steps) > 0 {
			counted = true
			addSamples(out, m, every, steps, gaps[i])
		}
	}
	if !counted {
		return nil, fmt.Errorf("%s has no counts of machines", m.TraceID)
	}
	if last := len(out) - 1; math.IsNaN(out[last]) && m.TStartUs+int64(last)*every == m.TEndUs {
		out = out[:last]
	}
	return out, nil
}

// addSamples adds what is known of one pool.
func addSamples(out []float64, m *traces.Manifest, every int64, steps []series.Step, gaps []traces.GapRow) {
	for k := range out {
		t := m.TStartUs + int64(k)*every
		for len(gaps) > 0 && gaps[0].TEnd <= t {
			gaps = gaps[1:]
		}
		i := series.At(steps, t)
		if i < 0 || t == m.TEndUs && steps[i].T < t || len(gaps) > 0 && gaps[0].TStart <= t {
			out[k] = math.NaN()
			continue
		}
		out[k] += steps[i].V
	}
}
