package policies

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// CMDARE is the controller of CM-DARE (ICDCS 2020): it replaces a lost worker at
// once, and adds a parameter server at a bottleneck, which it detects when the
// measured speed is below the sum of the speeds of single workers. In the paper
// users choose the workers to start with; here Reactive does. The defaults of
// threshold and warm-up are from memory: the text of the paper was not available.
type CMDARE struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"n; 0 takes the smallest number that meets the objective"`
	Patience   time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request waits before it moves to the next zone of the type; 0 waits for ever"`
	Warmup     time.Duration `set:"warmup_s" min:"1" max:"86400" doc:"how long a layout trains before its speed is judged (paper: about 30 s)"`
	Threshold  float64       `set:"threshold" min:"0" max:"1" doc:"shortfall of the speed that counts as a bottleneck, as a share of the sum of the workers' own speeds (paper: 0.067)"`
	MaxServers int           `set:"max_servers" min:"1" max:"64" doc:"maximum number of parameter servers"`
	SaveEvery  time.Duration `set:"save_every_s" min:"0" max:"86400" doc:"time between checkpoints; 0 takes none"`

	keep   Reactive
	single sim.Layout
}

func init() {
	register("keeps n instances as reactive does; adds a parameter server when the cluster is slower than the "+
		"sum of its workers",
		"CM-DARE (ICDCS 2020)", ServerModels,
		func() sim.Policy {
			return &CMDARE{Patience: 5 * time.Minute, Warmup: 30 * time.Second, Threshold: 0.067, MaxServers: 2}
		})
}

// Name implements sim.Policy.
func (*CMDARE) Name() string { return "cmdare" }

// Decide implements sim.Policy.
func (c *CMDARE) Decide(v sim.View, plan *sim.Plan) {
	c.keep.Instances = c.Instances
	c.keep.Patience = c.Patience
	c.keep.Decide(v, plan)
	for j := range v.Jobs() {
		job := v.Job(j)
		if job.Active() {
			c.judge(v, job, plan, &plan.Jobs[j])
			c.save(v, plan, &plan.Jobs[j])
		}
	}
}

// judge adds a parameter server where the job is too slow after its warm-up.
func (c *CMDARE) judge(v sim.View, job sim.JobView, plan *sim.Plan, p *sim.JobPlan) {
	if job.Servers() >= c.MaxServers {
		return
	}
	left := job.LaidAt().Add(c.Warmup).Sub(v.Now())
	speed := job.Speed()
	if left > 0 {
		plan.WakeIn(left)
		return
	}
	if speed == 0 { // not started, or paused
		plan.WakeIn(c.Warmup)
		return
	}
	sum := c.sumSpeeds(v, job)
	plan.AddInput("speed", speed, "iterations/s")
	plan.AddInput("sum of the workers' own speeds", sum, "iterations/s")
	if speed < (1-c.Threshold)*sum {
		p.Servers = job.Servers() + 1
		plan.WakeIn(c.Warmup)
		plan.SetReason("a parameter server is added: the speed is too low")
	}
}

// sumSpeeds returns the sum of the speeds that the job's workers have alone, each with a parameter server of its own.
func (c *CMDARE) sumSpeeds(v sim.View, job sim.JobView) float64 {
	if len(c.single.Workers) != v.Pools() {
		c.single.Workers = make([]int32, v.Pools())
	}
	c.single.Servers = 1
	sum := 0.0
	for p, n := range job.Layout().Workers {
		if n > 0 {
			c.single.Workers[p] = 1
			sum += float64(float64(n) * job.Model().Rate(&c.single).Iterations)
			c.single.Workers[p] = 0
		}
	}
	return sum
}

// save asks for a checkpoint at multiples of SaveEvery since the start of the run.
func (c *CMDARE) save(v sim.View, plan *sim.Plan, p *sim.JobPlan) {
	if c.SaveEvery == 0 {
		return
	}
	since := v.Now().Sub(v.Start()) % c.SaveEvery
	p.Save = since == 0
	plan.WakeIn(c.SaveEvery - since)
}
