package policies

import (
	"cmp"
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Varuna trains on all spot instances that it gets. At every change it restarts
// from the last save in the fastest layout of pipelines for them (Athlur et al.,
// "Varuna", EuroSys 2022). It saves every few steps, and just before an instance
// under notice is gone.
type Varuna struct {
	Instances int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Steps     int           `set:"save_every_steps" min:"0" max:"1000000" doc:"steps between saves; 0 takes 10, or Young's interval where that is longer"`
	OnNotice  bool          `set:"save_on_notice" doc:"complete a save just before an instance under notice is gone"`
	Settle    time.Duration `set:"settle_s" min:"0" max:"86400" doc:"minimum time after a pause before the job is reconfigured only to grow"`
}

// minSteps is what Varuna's authors set: for networks of which ten steps take minutes.
const minSteps = 10

func init() {
	register("the fastest pipelines for its present instances, restarted from a save at every change",
		"Varuna (EuroSys 2022)", RestartingPipelines,
		func() sim.Policy { return &Varuna{OnNotice: true, Settle: 5 * time.Minute} })
}

// Name implements sim.Policy.
func (*Varuna) Name() string { return "varuna" }

// Decide implements sim.Policy.
func (p *Varuna) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		policyutil.RequestSpot(v, j, policyutil.MaxInstances(p.Instances, policyutil.Pipelines(v, j)), plan)
		policyutil.Reconfigure(v, j, p.Settle, plan)
		if rate := job.Model().Rate(job.Layout()); rate.Progress > 0 {
			steps := float64(cmp.Or(p.Steps, minSteps)) * rate.Step / rate.Progress
			interval := max(time.Duration(math.Round(steps*1e9)), time.Microsecond)
			if p.Steps == 0 {
				interval = max(interval, policyutil.YoungInterval(v, j))
			}
			policyutil.KeepSaved(v, j, interval, p.OnNotice, plan)
		}
	}
}
