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
// time.
type Checkpoint struct {
	Instances int           `set:"instances" min:"0" max:"65536" doc:"maximum number of instances; 0 takes as many as the model can use"`
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
		if job := v.Job(j); job.Active() {
			policyutil.RequestSpot(v, j, policyutil.MaxInstances(c.Instances, policyutil.Pipelines(v, j)), plan)
			policyutil.Reconfigure(v, j, c.Settle, plan)
			policyutil.KeepSaved(v, j, c.interval(v, j, plan), c.OnNotice, plan)
		}
	}
}

func (c *Checkpoint) interval(v sim.View, j int, plan *sim.Plan) time.Duration {
	if c.Interval > 0 {
		return c.Interval
	}
	job := v.Job(j)
	lived := v.Now().Sub(v.Start()) + c.Prior
	x := CheckpointInterval{
		Save: job.SaveTime().Seconds(),
		MTBF: lived.Seconds() / float64(1+job.Losses()),
	}
	plan.AddInput("time that a save takes", x.Save, "s")
	if c.Rule == dalyFirst {
		x.Restart = c.loss.Of(job.Model(), job.Layout()).Stall.Seconds()
		plan.AddInput("time that a restart takes", x.Restart, "s")
	}
	plan.AddInput("mean time between losses", x.MTBF, "s")
	return max(time.Duration(math.Round(c.formula(&x)*1e9)), time.Second)
}

// formula returns the interval by the rule, in seconds.
func (c *Checkpoint) formula(x *CheckpointInterval) float64 {
	switch c.Rule {
	case "", "young":
		return x.Young()
	case dalyFirst:
		return x.DalyFirst()
	case "daly":
		return x.Daly()
	case "exact":
		return x.Exact()
	}
	panic(fmt.Sprintf("policies: Checkpoint.Rule is %q", c.Rule))
}

// CheckpointInterval is what the best interval between saves depends on: how long a
// save takes, the mean time between failures of the job, and how long a restart
// takes, in seconds. Where machines fail one by one, MTBF is that of one machine
// divided by their number; where several fail at once it is longer: the mean time
// between the instants at which any fails.
type CheckpointInterval struct {
	Save, MTBF, Restart float64 // C, M and R
}

// Young returns the interval of work between saves sqrt(2 C M) (J. W. Young, "A
// first order approximation to the optimum checkpoint interval", CACM 1974).
func (c CheckpointInterval) Young() float64 { return policyutil.Young(c.Save, c.MTBF) }

// DalyFirst returns sqrt(2 C (M+R)) - C (J. T. Daly, "A higher order estimate of
// the optimum checkpoint interval for restart dumps", FGCS 2006, Eq. 9), but not
// less than 0.
func (c CheckpointInterval) DalyFirst() float64 {
	return max(math.Sqrt(2*c.Save*(c.MTBF+c.Restart))-c.Save, 0)
}

// Daly returns Daly's higher-order interval (the same paper, Eq. 37): for C < 2M
// sqrt(2 C M) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C, else M.
func (c CheckpointInterval) Daly() float64 {
	if c.Save >= 2*c.MTBF {
		return c.MTBF
	}
	x := c.Save / (2 * c.MTBF)
	return math.Sqrt(2*c.Save*c.MTBF)*(1+math.Sqrt(x)/3+x/9) - c.Save
}

// Exact returns the interval of least expected time when failures are
// exponential: M (1 + W(-exp(-C/M - 1))), W the principal branch of Lambert's
// function.
func (c CheckpointInterval) Exact() float64 {
	return c.MTBF * (1 + lambertW(-math.Exp(-c.Save/c.MTBF-1)))
}

// Stretch returns the expected time for a second of work when saves are interval
// seconds of work apart and failures are exponential, with restarts and lost work:
// M exp(R/M) (exp((tau+C)/M) - 1) / tau.
func (c CheckpointInterval) Stretch(interval float64) float64 {
	return c.MTBF * math.Exp(c.Restart/c.MTBF) * math.Expm1((interval+c.Save)/c.MTBF) / interval
}

// lambertW returns the w of at least -1 with w exp(w) = x, for x in [-1/e, 0], by
// Halley's method from the series around the branch point.
func lambertW(x float64) float64 {
	p := math.Sqrt(max(2*(math.E*x+1), 0))
	w := -1 + p - p*p/3 + 11*p*p*p/72
	for range 20 {
		e := math.Exp(w)
		f := w*e - x
		step := f / (e*(w+1) - (w+2)*f/(2*w+2))
		if math.IsNaN(step) || math.Abs(step) < 1e-16 {
			break
		}
		w -= step
	}
	return w
}
