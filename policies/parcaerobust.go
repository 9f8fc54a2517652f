package policies

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// ParcaeRobust is Parcae for what a sample costs on histories of which nothing is
// known beforehand. It pays for the instances only that make a layout faster:
// what is idle once the numbers have been quiet for a while is given back, and is
// asked for again when an instance goes or, as nobody says that there is more, now
// and then. Instances under notice train on until shortly before they go, and the
// forecast is that what is there stays.
//
// It is ours: the planner, the migrations and the parameter servers are Parcae's.
type ParcaeRobust struct {
	Parcae
	Slack    float64       `set:"slack" min:"0" max:"1" doc:"share of the speed that is given up for fewer instances, at most"`
	Patience int           `set:"patience" min:"1" max:"60" doc:"intervals without a change of the number of instances, after which idle ones are given back"`
	Probe    time.Duration `set:"probe_s" min:"1" max:"604800" doc:"after instances were given back: between two times that more are asked for"`

	useful []usefulInstances
}

// usefulInstances is how many of some instances a model makes use of.
type usefulInstances struct {
	model sim.Model
	of    []int
}

func newParcaeRobust() *ParcaeRobust {
	p := &ParcaeRobust{Parcae: *newParcae(), Slack: 0.03, Patience: 2, Probe: 15 * time.Minute}
	p.Forecaster, p.Lead = 1, 20*time.Second
	return p
}

// Name implements sim.Policy.
func (*ParcaeRobust) Name() string { return "parcae-robust" }

// Decide implements sim.Policy.
func (p *ParcaeRobust) Decide(v sim.View, plan *sim.Plan) {
	plan.Remember(p.Every, max(p.Window, p.Patience)+1)
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		p.foresee(v, j)
		switch n, may := p.prepare(v, j, p.want(v, j), plan); {
		case !may:
		case p.Optimise == 0:
			p.fastest(v, j, p.of(v, j, n), plan)
		case happened(v, job, &plan.Jobs[j]) || p.begins(v):
			for i, x := range p.next {
				p.next[i] = float64(p.of(v, j, int(x+0.5)))
			}
			p.take(v, j, p.plan(v, j, p.of(v, j, n), p.next, plan), "most samples by the forecast", plan)
		}
		p.sleep(v, plan)
	}
}

// want returns how many instances to ask for: all that there may be, until some
// have been idle for a while; then those that are of use, until one goes or it is
// time to ask again.
func (p *ParcaeRobust) want(v sim.View, j int) int {
	job, there := v.Job(j), coming(v, j)
	useful := p.of(v, j, there)
	asks := job.Want() > there || v.Now().Sub(v.Start())%p.Probe == 0 || v.Trigger()&sim.TriggerStart != 0
	switch {
	case useful < there && p.begins(v) && p.quiet(there) && job.Leaving() == sim.Never:
		return useful
	case asks:
		return p.most(v, j)
	}
	return there
}

// quiet reports whether the job has had so many instances for a while.
func (p *ParcaeRobust) quiet(there int) bool {
	if len(p.past) < p.Patience {
		return false
	}
	for _, n := range p.past[len(p.past)-p.Patience:] {
		if int(n) != there {
			return false
		}
	}
	return true
}

// of returns how many of n instances the model of job j makes use of.
func (p *ParcaeRobust) of(v sim.View, j, n int) int {
	model := v.Job(j).Model()
	i := slices.IndexFunc(p.useful, func(u usefulInstances) bool { return u.model == model })
	if i < 0 {
		i = len(p.useful)
		p.useful = append(p.useful, usefulInstances{model, useful(model.(MigrationModel), pipelines(v, j).MostUseful(), p.Slack)})
	}
	of := p.useful[i].of
	return of[min(max(n, 0), len(of)-1)]
}

// useful returns, by number of instances, the size of the smallest layout that
// trains at least 1-slack times as fast as the fastest.
func useful(m MigrationModel, most int, slack float64) []int {
	fastest := make([]float64, most+1) // by size of the layout
	for _, s := range m.Stages() {
		for d := m.Pipelines(); d*s <= most; d++ {
			fastest[d*s] = max(fastest[d*s], m.Speed(d, s))
		}
	}
	of := make([]int, most+1)
	best := 0.0
	for n := range of {
		best = max(best, fastest[n])
		for k := 1; k <= n && best > 0; k++ {
			if fastest[k] >= (1-slack)*best {
				of[n] = k
				break
			}
		}
	}
	return of
}
