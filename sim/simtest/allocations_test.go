package simtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/sim"
)

// scribbler holds an instance, and allocates at each decision.
type scribbler struct{ notes []string }

func (*scribbler) Name() string { return "scribbler" }

func (s *scribbler) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 1
	s.notes = append(s.notes[:0], note(v))
}

//go:noinline
func note(v sim.View) string { return fmt.Sprintf("at %v %v", v.Now(), v.Trigger()) }

// The suite says which line of a policy allocates, and takes an allowance.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	policy := func(*sim.Market) sim.Policy { return new(scribbler) }
	x := newTrial(policy, 1, Jobs(1))
	err := x.allocations()
	if err == nil || !strings.Contains(err.Error(), " in simtest.(*scribbler).Decide (allocations_test.go:18)") {
		t.Errorf("error %v, expected the line that allocates and that of the decision", err)
	}
	x.allowed = 10
	if err := x.allocations(); err != nil {
		t.Errorf("10 a decision are allowed: %v", err)
	}
}
