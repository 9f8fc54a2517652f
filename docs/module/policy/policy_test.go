package policy

import (
	"testing"

	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// The suite of every policy: determinism, no look into the future, forks, quotas, bills that add up.
func TestSuite(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return &Steady{Instances: 2} })
}

// The sweep can be planned: it names settings that there are.
func TestSweep(t *testing.T) {
	s, err := sweep.Open("../sweep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Plan(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
}
