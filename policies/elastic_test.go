package policies_test

import (
	"reflect"
	"testing"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// inelastic is a model that the world asks for everything.
type inelastic struct{ *ps.ASP }

// TestElasticModelChangesNothing runs with a model whose rate alone is asked (sim.ElasticModel), and with the same
// one that is asked what each change costs, too: the totals are the same to the last bit.
func TestElasticModelChangesNothing(t *testing.T) {
	c := halfDayConfig(t)
	for _, m := range []*sim.Market{c.Market, busyHalfDay(t)} {
		for _, name := range []string{"reactive", "spotdnn", "greedy"} {
			totals := func(model sim.Model) *sim.Totals {
				c := configIn(t, m)
				c.Jobs[0].Model = model
				policy, err := policies.New(name)
				if err != nil {
					t.Fatal(err)
				}
				c.Policy = policy
				w, err := sim.New(c)
				if err != nil {
					t.Fatal(err)
				}
				return w.Run()
			}
			model := c.Jobs[0].Model.(*ps.ASP)
			if got, want := totals(model), totals(inelastic{model}); !reflect.DeepEqual(got, want) || got.Preemptions == 0 {
				t.Errorf("%s: %+v\nwant %+v", name, got, want)
			}
		}
	}
}
