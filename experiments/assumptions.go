package experiments

import (
	"context"

	"github.com/marigram/marigram/experiments/spec"
)

// Assumption is what the runs of a spec come to under one assumption of capacity.
type Assumption struct {
	Typical string // spec.TypicalLow, TypicalBand or TypicalHigh
	Rows    []Aggregate
}

// Assumptions runs a spec under the three assumptions of capacity; none if its pools have no assumed capacity, or it
// has many jobs. Done are the rows of those that were run already, by their assumption; open makes the studies of the
// others, as NewStudy does.
func Assumptions(ctx context.Context, s *spec.Spec, done map[string][]Aggregate,
	open func(*spec.Spec) (*Study, error)) (all []Assumption, err error) {
	for _, typical := range assumptions(s) {
		rows := done[typical]
		if rows == nil {
			study, err := open(s.Assuming(typical))
			if err != nil {
				return nil, err
			}
			study.Timelines = 0
			set, err := study.Run(ctx)
			if err != nil {
				return nil, err
			}
			rows = Aggregates(set.Summaries)
		}
		all = append(all, Assumption{typical, rows})
	}
	return all, nil
}

// assumptions returns the assumptions of capacity under which a spec is run; none if its pools have no assumed
// capacity, or it has many jobs.
func assumptions(s *spec.Spec) []string {
	if !s.Workload().MeetsTypicalCapacity() || s.Assuming(spec.TypicalBand) == nil {
		return nil
	}
	return []string{spec.TypicalLow, spec.TypicalBand, spec.TypicalHigh}
}

// Assumed returns the one assumption of capacity that all pools with one have; empty if there is none, or they differ.
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
	return typical
}
