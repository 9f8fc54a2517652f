package policyutil_test

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// two holds two instances of the first pool, where the quotas have room, and saves every 15 minutes.
type two struct{ answers policyutil.Answerer }

func (*two) Name() string { return "two" }

func (t *two) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		if v.Trigger() == sim.TriggerStart {
			a := t.answers.Ask(v, &message.Ask{Job: j, Instances: 2})
			fmt.Printf("headroom %d; on two the job takes %.0f s, and both boot within %.0f s\n",
				policyutil.Headroom(v, plan, j, 0), *a.WholeS, policyutil.ReadyAfter(v.Pool(0).Boot, 2, 0.99))
		}
		active := v.Held(j, 0).Active()
		plan.Jobs[j].Hold[0] = active + min(2-active, policyutil.Headroom(v, plan, j, 0))
		policyutil.KeepSaved(v, j, 15*time.Minute, true, plan)
	}
}

// What policies share, in a policy.
func Example() {
	world, err := sim.New(sim.Config{Market: simtest.Market(1, 6*time.Hour, sim.Never), Jobs: simtest.Jobs(1), Policy: new(two), Billing: sim.PerSecond()})
	if err != nil {
		panic(err)
	}
	fmt.Println("finished:", world.Run().Jobs[0].Finished)
	// Output:
	// headroom 4; on two the job takes 5400 s, and both boot within 195 s
	// finished: true
}
