package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/traces/catalogue"
)

// opened is a study that is ready to run: its points are pairs of all policies.
type opened struct {
	name   string
	study  *experiments.Study
	unit   string
	points []experiments.Case // without a policy
	own    int                // number of policies of marigram; entries follow
}

// LeftOut is a study that was not run.
type LeftOut struct {
	Study string `json:"study"`
	Why   string `json:"why"`
}

// open opens the studies of a set with the entries among their policies. Those whose traces are not pulled
// are left out.
func (s *Set) open(entries []*loader.Plugin) (all []*opened, left []LeftOut, err error) {
	for _, x := range s.Studies {
		parsed, err := s.spec(x)
		if err != nil {
			return nil, nil, err
		}
		if why := missing(parsed); why != "" {
			left = append(left, LeftOut{parsed.Name, why})
			continue
		}
		own := len(parsed.Policies)
		for _, g := range entries {
			if err := parsed.AddPlugin(g); err != nil {
				return nil, nil, err
			}
		}
		ready, err := openStudy(x, parsed)
		if err != nil {
			return nil, nil, fmt.Errorf("study %s: %w", parsed.Name, err)
		}
		ready.own = own
		all = append(all, ready)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("set %s: no study can be run: %s: %s", s.Name, left[0].Study, left[0].Why)
	}
	return all, left, nil
}

// missing says why a study cannot be run here; empty if it can.
func missing(parsed *spec.Spec) string {
	for _, h := range parsed.Market.Traces {
		name, pulled := strings.CutPrefix(h.Path, catalogue.PulledPrefix)
		if !pulled {
			continue
		}
		if _, err := catalogue.PulledDir(name); err != nil {
			return err.Error()
		}
	}
	return ""
}

func openStudy(x Study, parsed *spec.Spec) (*opened, error) {
	if err := parsed.OnlyDeadlines("judge"); err != nil {
		return nil, err
	}
	marketsOf := market.Of
	if x.Every != "" {
		marketsOf = market.Whole
	}
	markets, err := marketsOf(parsed)
	if err != nil {
		return nil, err
	}
	starts := []time.Duration{0}
	if x.Every != "" {
		every, err := spec.ParseDuration(x.Every)
		if err != nil {
			return nil, err
		}
		of := spec.Starts{EveryS: every.Seconds(), Part: x.Part}
		seconds, err := of.List(markets.LastStart()+parsed.Horizon(), parsed.Horizon(), 0)
		if err != nil {
			return nil, err
		}
		starts = nil
		for _, at := range seconds {
			starts = append(starts, units.Seconds(at))
		}
	}
	study, err := experiments.NewStudyOn(parsed, markets)
	if err != nil {
		return nil, err
	}
	ready := &opened{name: parsed.Name, study: study, unit: markets.Unit}
	for objective := range parsed.Objectives {
		for _, start := range starts {
			for k := range parsed.Seeds {
				point := experiments.Case{Objective: objective, Seed: parsed.Seed + int64(k), Start: start}
				ready.points = append(ready.points, point)
			}
		}
	}
	return ready, nil
}
