package policies

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Checkpoint trains on as many spot instances as its model can use, saves at an
// interval and, after a loss, continues from the last save on the instances that
// are left.
//
// The interval is that of a formula of CheckpointInterval. The mean time between
// failures is that between the instants at which the job lost instances so far
// (several at one instant count once), as if one more had happened in the prior
// time. Jobs of parameter servers have nothing to save: they train on as many
// workers as their server can use.
type Checkpoint struct {
	Instances int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Interval  time.Duration `set:"interval_s" min:"0" max:"604800" doc:"time between saves; 0 takes the interval of the rule"`
	Rule      string        `set:"rule" names:"young,daly-first,daly,exact" doc:"formula of the interval: Young, Daly of first order, Daly of higher order, exact for exponential failures"`
	Prior     time.Duration `set:"prior_mtbf_s" min:"60" max:"31536000" doc:"mean time between losses, assumed until the first loss"`
	OnNotice  bool          `set:"save_on_notice" doc:"complete a save just before an instance under notice is gone"`
	Settle    time.Duration `set:"settle_s" min:"0" max:"86400" doc:"minimum time after a pause before the job is reconfigured only to grow"`

	loss policyutil.Loss
}

const dalyFirst = "daly-first" // the rule that needs to know how long a restart takes

func init() {
	register("saves at an interval and restarts from the last save",
		"Young (CACM 1974), Daly (FGCS 2006)", RestartingPipelines,
		func() sim.Policy { return &Checkpoint{Prior: 24 * time.Hour, Settle: 5 * time.Minute} })
}

// Name implements sim.Policy.
func (*Checkpoint) Name() string { return "checkpoint" }

// Decide implements sim.Policy.
func (c *Checkpoint) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		if workers, served := job.Model().(sim.WorkerModel); served && workers.NeedsServers() {
			policyutil.RequestSpot(v, j, c.mostWorkers(job, workers), plan)
			continue
		}
		policyutil.RequestSpot(v, j, policyutil.MaxInstances(c.Instances, policyutil.Pipelines(v, j)), plan)
		policyutil.Reconfigure(v, j, c.Settle, plan)
		policyutil.KeepSaved(v, j, c.interval(v, j, plan), c.OnNotice, plan)
	}
}

// mostWorkers returns how many workers of a parameter server to hold: as the setting says, or as many as it can use.
func (c *Checkpoint) mostWorkers(job sim.JobView, model sim.WorkerModel) int {
	if c.Instances > 0 {
		return c.Instances
	}
	objective := job.Objective()
	low, high := model.WorkerBounds(math.Inf(1), objective.Loss, objective.Within.Seconds())
	return max(low, high)
}

func (c *Checkpoint) interval(v sim.View, j int, plan *sim.Plan) time.Duration {
	if c.Interval > 0 {
		return c.Interval
	}
	job := v.Job(j)
	lived := v.Now().Sub(v.Start()) + c.Prior
	times := CheckpointInterval{
		Save: job.SaveTime().Seconds(),
		MTBF: lived.Seconds() / float64(1+job.Losses()),
	}
	plan.AddInput("time that a save takes", times.Save, "s")
	if c.Rule == dalyFirst {
		times.Restart = c.loss.Of(job.Model(), job.Layout()).Stall.Seconds()
		plan.AddInput("time that a restart takes", times.Restart, "s")
	}
	plan.AddInput("mean time between losses", times.MTBF, "s")
	return max(time.Duration(math.Round(c.formula(&times)*1e9)), time.Second)
}

// formula returns the interval by the rule, in seconds.
func (c *Checkpoint) formula(times *CheckpointInterval) float64 {
	switch c.Rule {
	case "", "young":
		return times.Young()
	case dalyFirst:
		return times.DalyFirst()
	case "daly":
		return times.Daly()
	case "exact":
		return times.Exact()
	}
	panic(fmt.Sprintf("policies: Checkpoint.Rule is %q", c.Rule))
}
