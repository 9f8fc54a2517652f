package policies

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// CheckFreq saves in two phases, as often as a budget of the time allows (Mohan,
// Phanishayee, Chidambaram, "CheckFreq", FAST 2021): a snapshot stops training,
// then the save becomes safe in the background, and the next snapshot waits for it.
// The interval is the smallest whole number of steps in which the background part
// fits and of which the stall is at most the budget.
type CheckFreq struct {
	Instances int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Budget    float64       `set:"budget" min:"0.001" max:"1" doc:"largest share of the time that saving may take"`
	Settle    time.Duration `set:"settle_s" min:"0" max:"86400" doc:"minimum time after a pause before the job is reconfigured only to grow"`
}

func init() {
	register("saves in two phases, at the rate that a budget allows",
		"CheckFreq (FAST 2021)", RestartingPipelines,
		func() sim.Policy { return &CheckFreq{Budget: 0.035, Settle: 5 * time.Minute} })
}

// Name implements sim.Policy.
func (*CheckFreq) Name() string { return "checkfreq" }

// Decide implements sim.Policy.
func (c *CheckFreq) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if job := v.Job(j); job.Active() {
			policyutil.RequestSpot(v, j, policyutil.MaxInstances(c.Instances, policyutil.Pipelines(v, j)), plan)
			policyutil.Reconfigure(v, j, c.Settle, plan)
			if interval := c.interval(job); interval > 0 {
				policyutil.KeepSaved(v, j, interval, false, plan)
			}
		}
	}
}

// interval returns 0 while the job does not train.
func (c *CheckFreq) interval(job sim.JobView) time.Duration {
	rate := job.Model().Rate(job.Layout())
	if rate.Progress == 0 || rate.Step == 0 {
		return 0
	}
	step := rate.Step / rate.Progress
	steps := max(1, math.Ceil(job.PersistTime().Seconds()/step), math.Ceil(job.SaveTime().Seconds()/c.Budget/step))
	return time.Duration(math.Round(steps * step * 1e9))
}
