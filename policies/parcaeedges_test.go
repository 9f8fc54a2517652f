package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// listener is a recorder that only listens.
type listener struct{}

func (listener) Span(*sim.Span)                     {}
func (listener) Decision(sim.View, *sim.Plan, bool) {}

// A plan of one interval needs no forecast, and has none to explain.
func TestParcaeOneInterval(t *testing.T) {
	for _, name := range []string{"parcae", "parcae-ideal"} {
		m := simtest.Market(1, 2*time.Hour, sim.Never)
		p := told(with(t, name, map[string]float64{"look_ahead": 1}), m)
		w, err := sim.New(sim.Config{Market: m, Policy: p, Jobs: inPipelines(policies.MigratingPipelines)(1), Recorder: listener{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Jobs[0].Samples; !(got > 0) {
			t.Errorf("%s: %v samples, want some", name, got)
		}
	}
}

// with returns a policy with settings.
func with(t *testing.T, name string, set map[string]float64) sim.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range policies.Settings(p) {
		if x, other := set[s.Name]; other {
			if err := s.Set(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}
