package experiments

import (
	"context"

	"github.com/marigram/marigram/experiments/spec"
)

// Assumption is what the runs of a spec come to under one assumption of what was not recorded, or not measured.
type Assumption struct {
	Name string
	// Speed says that it is one of the speeds of an estimate: the ends of its band, or its middle; else it is one of
	// capacity.
	Speed bool
	Rows  []Aggregate
}

// The speeds of an estimate under which a spec is run.
const (
	slow   = "slow"
	middle = "middle"
	fast   = "fast"
)

// assumption is a spec under one assumption.
type assumption struct {
	name  string
	speed bool
	spec  *spec.Spec
}

// Assumptions runs a spec under the assumptions of capacity, of speed, or of both; none if its pools have no assumed
// capacity and the job no estimated speed, or it has many jobs. Done are the rows of those that were run already, by
// their assumption; open makes the studies of the others, as NewStudy does.
func Assumptions(ctx context.Context, s *spec.Spec, done map[string][]Aggregate,
	open func(*spec.Spec) (*Study, error)) (all []Assumption, err error) {
	for _, of := range assumptions(s) {
		rows := done[of.name]
		if rows == nil {
			if rows, err = totals(ctx, of.spec, open); err != nil {
				return nil, err
			}
		}
		all = append(all, Assumption{of.name, of.speed, rows})
	}
	return all, nil
}

// totals runs a spec and keeps no more than totals.
func totals(ctx context.Context, s *spec.Spec, open func(*spec.Spec) (*Study, error)) ([]Aggregate, error) {
	study, err := open(s)
	if err != nil {
		return nil, err
	}
	study.Timelines = 0
	set, err := study.Run(ctx)
	if err != nil {
		return nil, err
	}
	return Aggregates(set.Summaries), nil
}

// assumptions returns a spec under each assumption: of speed under the middle one of capacity, and of capacity under
// the middle speed.
func assumptions(s *spec.Spec) (all []assumption) {
	capacity := s.Workload().MeetsTypicalCapacity() && s.Assuming(spec.TypicalBand) != nil
	speed, estimated := s.Estimate()
	if !estimated {
		if capacity {
			for _, typical := range []string{spec.TypicalLow, spec.TypicalBand, spec.TypicalHigh} {
				all = append(all, assumption{name: typical, spec: s.Assuming(typical)})
			}
		}
		return all
	}
	base := s
	if capacity {
		base = s.Assuming(spec.TypicalBand)
	}
	all = []assumption{
		{slow, true, base.AtSpeed(-speed.Slow)},
		{middle, true, base},
		{fast, true, base.AtSpeed(speed.Fast)},
	}
	if capacity {
		for _, typical := range []string{spec.TypicalLow, spec.TypicalHigh} {
			all = append(all, assumption{name: "capacity " + typical, spec: s.Assuming(typical)})
		}
	}
	return all
}

// Assumed returns the name of the assumption that a spec itself is: the one of capacity that all pools with one have,
// or the middle speed; empty if there is none, or pools differ.
func Assumed(s *spec.Spec) (typical string) {
	for i := range s.Market.Pools {
		switch t := s.Market.Pools[i].Typical(); {
		case t == "":
		case typical == "":
			typical = t
		case typical != t:
			return ""
		}
	}
	if _, estimated := s.Estimate(); !estimated {
		return typical
	}
	switch typical {
	case "", spec.TypicalBand:
		return middle
	}
	return "capacity " + typical
}
