package policies_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// silent is a recorder that keeps nothing. The world then meets every record.
type silent struct{}

func (silent) Span(*sim.Span)                     {}
func (silent) Decision(sim.View, *sim.Plan, bool) {}

// In a market of many pools the world passes over what can touch neither what is held nor what is wanted:
// every policy has the run, to the last bit, that it has where the world meets every record.
func TestDenseMarkets(t *testing.T) {
	market := denseMarket(t, 32, 40*time.Minute, 6)
	check := func(name string, jobs []sim.Job, fresh func() sim.Policy) {
		run := func(r sim.Recorder) sim.Totals {
			w, err := sim.New(sim.Config{Market: market, Jobs: jobs, Policy: withMarket(fresh(), market), Seed: 7, Billing: sim.PerSecond(), Recorder: r})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return *w.Run()
		}
		all, some := run(silent{}), run(nil)
		if name == "ondemand" && some.Events > 100 {
			t.Errorf("%s: %d events, although no record matters to it", name, some.Events)
		}
		if all.Events = some.Events; !reflect.DeepEqual(all, some) {
			t.Errorf("%s: all records met\n%+v\nsome passed over\n%+v", name, all, some)
		}
	}
	for _, info := range policies.List() {
		if info.Needs != policies.MigratingPipelines && info.Needs < policies.Gangs && !foretold(&info) {
			check(info.Name, simtest.Jobs(1), func() sim.Policy { return quick(info) })
		}
	}
	forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
		check(name+" in pipelines", inPipelines(needs)(1), fresh)
	})
}
