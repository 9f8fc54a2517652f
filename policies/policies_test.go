package policies_test

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

func TestSuite(t *testing.T) {
	for _, info := range policies.List() {
		if info.Needs == policies.MigratingPipelines {
			continue // see TestSuiteInPipelines
		}
		t.Run(info.Name, func(t *testing.T) {
			simtest.Suite(t, func(*sim.Market) sim.Policy { return info.Defaults() })
		})
	}
}

// clairvoyant holds instances only where it knows that there will be capacity
// in an hour.
type clairvoyant struct{ m *sim.Market }

func (clairvoyant) Name() string { return "clairvoyant" }

func (c clairvoyant) Decide(v sim.View, plan *sim.Plan) {
	for p := range v.Pools() {
		n, _ := c.m.Capacity(p, v.Now().After(3600))
		plan.Jobs[0].Hold[p] = min(n, v.Pool(p).Quota)
	}
	plan.WakeIn(600e9)
}

func TestSuiteCatchesACheat(t *testing.T) {
	err := simtest.Causality(func(m *sim.Market) sim.Policy { return clairvoyant{m} }, 1, simtest.Jobs(1))
	if err == nil || !strings.Contains(err.Error(), "the future") {
		t.Errorf("a policy that looks an hour ahead was not caught: %v", err)
	}
}

func TestSettings(t *testing.T) {
	for _, info := range policies.List() {
		p := info.Defaults()
		if p.Name() != info.Name || info.Doc == "" || info.Source == "" {
			t.Errorf("%+v", info)
		}
		for _, s := range policies.Settings(p) {
			if s.Doc == "" || s.Value < s.Min || s.Value > s.Max || s.Min >= s.Max {
				t.Errorf("%s: %+v", info.Name, s)
			}
			if err := s.Set(s.Max + 1); err == nil {
				t.Errorf("%s: %s takes more than its most", info.Name, s.Name)
			}
			if err := s.Set(s.Max); err != nil {
				t.Error(err)
			}
		}
		for _, s := range policies.Settings(p) {
			if s.Value != s.Max {
				t.Errorf("%s: %s was set to %v and is %v", info.Name, s.Name, s.Max, s.Value)
			}
		}
	}
	if _, err := policies.New("spotdn"); err == nil || !strings.Contains(err.Error(), "spotdnn") {
		t.Errorf("got %v", err)
	}
}
