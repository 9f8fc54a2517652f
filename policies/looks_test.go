package policies_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// A policy that leaves out looks at which it has nothing to decide gets the same numbers, to the last bit, as one that
// looks each time, whatever the market, the time that is left, and what a loss takes back.
func TestPollsLeftOut(t *testing.T) {
	models := map[string]sim.Model{
		"no loss":   simtest.Linear{PerWorker: 1},
		"saves":     simtest.Linear{PerWorker: 1, Stall: time.Minute, Rollback: true, Save: 20 * time.Second},
		"long save": simtest.Linear{PerWorker: 1, Stall: 3 * time.Minute, Reshape: time.Minute, Rollback: true, Save: 2 * time.Minute},
	}
	decisions, polls, late := int64(0), int64(0), 0
	for name, model := range models {
		for k := range uint64(20) {
			dice := sim.Rand{Seed: k}
			draw := func(n uint64, low, high float64) float64 { return low + (high-low)*dice.Uniform(sim.PurposeUser, 7, n) }
			base := spotdnn.SpotDNN{Poll: [...]time.Duration{0, 7 * time.Second, 15 * time.Second, 61300 * time.Millisecond, 11*time.Minute + time.Nanosecond}[k%5],
				Patience: time.Duration(draw(0, 20, 600)) * time.Second, Overhead: 30 * time.Second}
			within := time.Duration(draw(1, 1.2, 4)*3600) * time.Second
			job := sim.Job{Model: model, Objective: sim.Objective{Loss: simtest.LossAt(draw(2, 1, 9) * within.Seconds()), Within: within}}
			jobs := []sim.Job{job}
			if k%3 == 2 {
				jobs = append(jobs, job)
				jobs[1].Submit = 23 * time.Minute
			}
			for which, policy := range map[string]func() sim.Policy{
				"spotdnn": func() sim.Policy { p := base; return &p },
				"safe": func() sim.Policy {
					p := base
					s := safe.New(&p)
					s.Reserve, s.Regret = time.Duration(draw(3, 10, 400))*time.Second, [...]float64{100, 0.05}[k%2] // the deadline decides, or money does
					return s
				},
				"mixed": func() sim.Policy {
					return &policies.Mixed{Instances: int(k % 4), Base: int(k % 2), Share: 1 - draw(4, 0, 1)*float64(k%2), PriceCap: draw(5, 0.26, 0.34),
						Fallback: base.Patience + time.Duration(k%4)*137*time.Millisecond, Return: time.Duration(k%3) * 11 * time.Minute}
				},
			} {
				t.Run(fmt.Sprintf("%s/%s/%d", which, name, k), func(t *testing.T) {
					c := sim.Config{Market: simtest.Market(k, 6*time.Hour, sim.Never), Jobs: jobs, Seed: k, Billing: sim.PerSecond()}
					some, n := totalsOf(t, c, policy())
					all, every := totalsOf(t, c, asked{policy()})
					if !reflect.DeepEqual(some, all) {
						t.Errorf("other numbers\n%+v\n%+v", some, all)
					}
					if n > every {
						t.Errorf("asked %d times, with all looks %d times", n, every)
					}
					decisions, polls = decisions+n, polls+every
					if some.Bill.OnDemand > 0 {
						late++
					}
				})
			}
		}
	}
	t.Logf("%d decisions of %d, %d runs came to on demand", decisions, polls, late)
	if decisions*3 > polls*2 || late < 40 { // next to on demand the base of a safe form is asked at each poll
		t.Errorf("%d decisions of %d, %d runs came to on demand: the runs show nothing", decisions, polls, late)
	}
}
