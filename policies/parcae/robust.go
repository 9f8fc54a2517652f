package parcae

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Robust is Reactive at a low cost per sample, for traces of which nothing is
// known: it forecasts nothing. It holds only instances that are worth their price
// (worthwhile) and releases those that have been idle for a while. It requests more
// when one goes, and now and then, because a policy does not see capacity.
// Instances under notice train until shortly before they go.
//
// The policy is ours; migrations and parameter servers are Parcae's. Without
// parameter servers it keeps its instances when no layout fits, since they hold the
// state.
type Robust struct {
	migration
	Slack    float64       `set:"slack" min:"0" max:"1" doc:"share of the best speed that may be given up to hold fewer instances"`
	Patience time.Duration `set:"patience_s" min:"1" max:"86400" doc:"idle instances are given back after this time, and after twice this time at most"`
	Probe    time.Duration `set:"probe_s" min:"1" max:"604800" doc:"after some were given back: time between requests for more"`

	value []worthwhile
	past  []float64
}

func NewRobust() *Robust {
	p := &Robust{migration: newMigration(), Slack: 0.1, Patience: time.Minute, Probe: 15 * time.Minute}
	p.Lead = 20 * time.Second
	return p
}

// Name implements sim.Policy.
func (*Robust) Name() string { return "parcae-robust" }

// Decide implements sim.Policy.
func (p *Robust) Decide(v sim.View, plan *sim.Plan) {
	plan.Remember(p.Patience, 2)
	for j := range v.Jobs() {
		if !v.Job(j).Active() {
			continue
		}
		n, may := p.prepare(v, j, p.want(v, j, plan), plan)
		if may {
			p.takeFastest(v, j, p.useful(v, j, n), plan)
		}
	}
}

// want returns how many instances to hold: as many as can be of use, until some
// have been idle for a while; then those that are of use, until one goes or it is
// time to probe again.
func (p *Robust) want(v sim.View, j int, plan *sim.Plan) int {
	job := v.Job(j)
	there := activeInstances(v, j)
	useful := p.useful(v, j, there)
	if useful == 0 && p.Servers == 0 {
		useful = there
	}
	asks := job.Want() > there || v.Trigger()&sim.TriggerStart != 0 || left(v, p.Probe) == p.Probe
	if useful < there {
		if p.isQuiet(v, job, there) {
			there = useful
			asks = false
		} else {
			plan.WakeIn(left(v, p.Patience))
		}
	}
	if asks {
		return p.maxInstances(v, j)
	}
	plan.WakeIn(left(v, p.Probe))
	return there
}

// left returns how long it is until the next multiple of every since the start of
// the run.
func left(v sim.View, every time.Duration) time.Duration {
	return every - v.Now().Sub(v.Start())%every
}

// isQuiet reports whether the job has had so many instances for as long as Patience
// says, none of them under notice. It answers at multiples of Patience only, so
// that extra wake-ups change nothing.
func (p *Robust) isQuiet(v sim.View, job sim.JobView, there int) bool {
	if left(v, p.Patience) != p.Patience || job.Leaving() != sim.Never {
		return false
	}
	p.past = job.Past(p.past[:0])
	return len(p.past) == 2 && int(p.past[0]) == there
}

// useful returns how many of n instances are worth their price for job j.
func (p *Robust) useful(v sim.View, j, n int) int {
	model := policyutil.Pipelines(v, j)
	i := slices.IndexFunc(p.value, func(w worthwhile) bool { return w.model == model })
	if i < 0 {
		i = len(p.value)
		p.value = append(p.value, worthwhile{model, countWorthwhile(model, v.Pools(), p.Slack)})
	}
	of := p.value[i].of
	return of[min(n, len(of)-1)]
}

// worthwhile is how many of n instances are worth their price for a model: the size
// of the layout with the least product of cost and time per sample, among those at
// least 1-slack times as fast as the fastest. An instance that would add less than
// half its share of the speed is not worth it.
type worthwhile struct {
	model sim.PipelineModel
	of    []int
}

// countWorthwhile returns how many instances are worthwhile, by those that there are.
func countWorthwhile(m sim.PipelineModel, pools int, slack float64) []int {
	of := make([]int, m.MaxUseful()+1)
	speeds := make([]float64, len(of)) // of the fastest layout, as its size is in sizes
	sizes := make([]int, len(of))
	layout := sim.Layout{Workers: make([]int32, pools)}
	for n := range of {
		pipelines, stages := m.Best(n)
		if pipelines == 0 {
			continue
		}
		sizes[n] = pipelines * stages
		layout.Workers[0] = int32(sizes[n])
		layout.Pipelines = int32(pipelines)
		layout.Stages = int32(stages)
		speeds[n] = m.Rate(&layout).Progress
		least := math.Inf(1)
		for k, speed := range speeds[:n+1] {
			product := float64(sizes[k]) / (speed * speed)
			if speed > 0 && speed >= (1-slack)*speeds[n] && product < least {
				least = product
				of[n] = sizes[k]
			}
		}
	}
	return of
}
