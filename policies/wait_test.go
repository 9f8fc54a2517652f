package policies_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// asked is a policy within another one: it is asked whenever anything happens, and polls as ever.
type asked struct{ sim.Policy }

// A policy that says what it waits for gets the same numbers, to the last bit, as one that is
// asked for everything, and is asked less often.
func TestWaitingChangesNoNumber(t *testing.T) {
	for name, policy := range map[string]sim.Policy{
		"reactive":           &policies.Reactive{Instances: 12, Patience: 5 * time.Minute},
		"reactive, all":      &policies.Reactive{Instances: 32, Patience: 5 * time.Minute},
		"reactive, for ever": &policies.Reactive{Instances: 20},
		"spotdnn":            &spotdnn.SpotDNN{Poll: 15 * time.Second, Patience: 5 * time.Minute, OverPrediction: 0.03, Overhead: 30 * time.Second},
		"spotdnn, no polls":  &spotdnn.SpotDNN{Patience: 2 * time.Minute},
		"fixed":              &policies.Fixed{Instances: 3},
		"fixed, replaced":    &policies.Fixed{Instances: 3, Replace: true},
	} {
		for _, market := range []func(testing.TB) *sim.Market{halfDay, busyHalfDay} {
			for jobs := 1; jobs <= 2; jobs++ {
				c := halfDayConfig(t)
				c.Market = market(t)
				if jobs == 2 {
					second := c.Jobs[0]
					second.Submit = 100 * time.Minute
					c.Jobs = append(c.Jobs, second)
				}
				idle, calls := totalsOf(t, c, policy)
				all, every := totalsOf(t, c, asked{policy})
				if !reflect.DeepEqual(idle, all) {
					t.Errorf("%s, %d jobs: other numbers\n%+v\n%+v", name, jobs, idle, all)
				}
				if calls > every {
					t.Errorf("%s, %d jobs: asked %d times, without waiting %d times", name, jobs, calls, every)
				}
			}
		}
	}
}

// totalsOf returns the results of a run but for what counts decisions, and the number of these.
func totalsOf(t *testing.T, c sim.Config, policy sim.Policy) (sim.Totals, int64) {
	t.Helper()
	c.Policy = policy
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	total := *w.Run()
	n := total.Decisions
	total.Events, total.Decisions, total.Wakes = 0, 0, 0
	return total, n
}
