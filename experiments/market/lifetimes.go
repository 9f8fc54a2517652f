package market

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces/describe"
)

// lifetimes returns the distribution that a spec asks for, nil where it asks for
// none.
func lifetimes(l *spec.Lifetime, sources map[string]source) (d describe.LifetimeDistribution, err error) {
	if l == nil {
		return nil, nil
	}
	switch l.Distribution {
	case spec.Exponential:
		d = describe.ExponentialLifetime(l.MeanH)
	case spec.Bathtub:
		d = l.Bathtub()
	default:
		var pools []int
		src := sources[l.Trace]
		if l.Pool != "" {
			p, err := src.pool(l.Pool)
			if err != nil {
				return nil, err
			}
			pools = append(pools, p)
		}
		if d, err = describe.RecordedLifetimes(src.set, pools...); err != nil {
			return nil, fmt.Errorf("trace %s: %w", l.Trace, err)
		}
	}
	if l.MaxH > 0 {
		d = describe.Capped{LifetimeDistribution: d, Max: time.Duration(l.MaxH * float64(time.Hour))}
	}
	return d, nil
}
