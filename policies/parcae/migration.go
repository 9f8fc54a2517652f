package parcae

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// migration is how Parcae's policies change layouts.
type migration struct {
	Instances  int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Migrations bool          `set:"migrations" doc:"change the layout by live migration, not by a restart"`
	Servers    int           `set:"servers" min:"0" max:"64" doc:"on-demand parameter servers that keep the state (ParcaePS); 0 saves checkpoints instead"`
	SaveEvery  time.Duration `set:"save_s" min:"0" max:"604800" doc:"time between checkpoints if there are no parameter servers; 0 makes none"`
	Grace      bool          `set:"grace" doc:"change the layout at the preemption notice, not after the preemption"`
	Lead       time.Duration `set:"lead_s" min:"0" max:"86400" doc:"with grace: time before the end of an instance at which its place is left; 0 leaves it at the notice"`
}

func newMigration() migration { return migration{Migrations: true, Servers: 1, Grace: true} }

// prepare requests instances for job j and says how its layout changes. It returns
// how many can have a place, and whether the layout may change now: a change that
// can end is not interrupted.
func (m *migration) prepare(v sim.View, j, want int, plan *sim.Plan) (n int, may bool) {
	job := v.Job(j)
	jobPlan := &plan.Jobs[j]
	policyutil.RequestSpot(v, j, want, plan)
	jobPlan.Servers = m.Servers
	jobPlan.Drain = m.Grace && m.leavesNow(v, job, plan)
	jobPlan.Restart = !m.Migrations
	n = job.Layout().Total()
	if jobPlan.Drain {
		n = 0
		for pool := range v.Pools() {
			n += v.Held(j, pool).Ready
		}
	}
	if m.savesCheckpoints() {
		policyutil.KeepSaved(v, j, m.SaveEvery, false, plan)
	}
	end := job.Paused()
	if end != sim.Never && jobPlan.Stages > 0 && n >= jobPlan.Pipelines*jobPlan.Stages {
		plan.WakeIn(end.Sub(v.Now()))
		return n, false
	}
	return n, true
}

// savesCheckpoints reports whether no parameter server keeps the state.
func (m *migration) savesCheckpoints() bool { return m.Servers == 0 && m.SaveEvery > 0 }

// leavesNow reports whether the places of instances under notice are to be left now. If they are to be left later, it
// wakes the policy then.
func (m *migration) leavesNow(v sim.View, job sim.JobView, plan *sim.Plan) bool {
	leaving := job.Leaving()
	if m.Lead == 0 || leaving == sim.Never || leaving.Sub(v.Now()) <= m.Lead {
		return true
	}
	plan.WakeIn(leaving.Sub(v.Now()) - m.Lead)
	return false
}

// maxInstances returns how many instances job j can use.
func (m *migration) maxInstances(v sim.View, j int) int {
	return policyutil.MaxInstances(m.Instances, policyutil.Pipelines(v, j))
}

// happened reports whether there may be a reason to change the layout of a job: an
// event, an immediate effect of the last plan, the end of a change, or places to
// leave.
func happened(v sim.View, job sim.JobView, p *sim.JobPlan) bool {
	return p.Drain && job.Leaving() != sim.Never || v.Trigger()&^sim.TriggerWake != 0 || job.Resumed() == v.Now()
}

// takeFastest takes the layout that is fastest on n instances.
func (m *migration) takeFastest(v sim.View, j, n int, plan *sim.Plan) {
	pipelines, stages := policyutil.Pipelines(v, j).Best(n)
	m.take(v, j, Shape{pipelines, stages}, "the fastest layout of those that are ready", plan)
}

// take changes the layout of job j to a shape.
func (m *migration) take(v sim.View, j int, s Shape, why string, plan *sim.Plan) {
	jobPlan := &plan.Jobs[j]
	if s == (Shape{jobPlan.Pipelines, jobPlan.Stages}) {
		return
	}
	policyutil.ExplainChange(v, j, s.Pipelines, s.Stages, true, "", plan)
	jobPlan.Pipelines = s.Pipelines
	jobPlan.Stages = s.Stages
	if m.savesCheckpoints() {
		plan.AskAgain() // it trains then, or is paused: the next save is planned
	}
	plan.SetReason(why)
}

// lookahead is how Parcae's policies plan.
type lookahead struct {
	Every   time.Duration `set:"interval_s" min:"1" max:"86400" doc:"length of an interval of the plan"`
	Ahead   int           `set:"look_ahead" min:"1" max:"60" doc:"number of intervals to plan"`
	Liveput bool          `set:"liveput" doc:"maximise liveput (Eq. 4 of the paper), not throughput in the time left by migrations (its code)"`

	planners []*rememberedPlans
	future   []Turnover
}

// MaxPlanned is the most instances that Parcae's policies plan for: tables of
// costs grow faster than its square.
const MaxPlanned = 512

// PlansAhead reports whether a policy plans ahead: then it takes MaxPlanned
// instances at most.
func PlansAhead(p sim.Policy) bool {
	_, plans := p.(interface{ plansAhead() })
	return plans
}

func (*lookahead) plansAhead() {}

func newLookahead() lookahead { return lookahead{Every: time.Minute, Ahead: 12} }

// begins reports whether an interval begins now.
func (l *lookahead) begins(v sim.View) bool { return v.Now().Sub(v.Start())%l.Every == 0 }

// sleep wakes the policy when the next interval begins.
func (l *lookahead) sleep(v sim.View, plan *sim.Plan) {
	plan.WakeIn(l.Every - v.Now().Sub(v.Start())%l.Every)
}

// stateOf returns where job j stands, of which n instances can have a place now.
func (l *lookahead) stateOf(v sim.View, j, n int, plan *sim.Plan) State {
	now := State{Instances: n}
	if v.Job(j).Begun() {
		now.Shape = Shape{plan.Jobs[j].Pipelines, plan.Jobs[j].Stages}
		total := v.Job(j).Layout().Total()
		now.Instances = max(total, n, now.Shape.Size()) // with those that go or have gone
	}
	return now
}

// plan returns the layout for job j, of which n instances can have a place now and
// next[k] at the beginning of the k-th coming interval.
func (l *lookahead) plan(v sim.View, j int, now State, n, largest int, next []float64, plan *sim.Plan) Shape {
	l.future = append(l.future[:0], Turnover{Removed: now.Instances - n})
	for _, expected := range next {
		count := int(math.RoundToEven(max(expected, 0)))
		l.future = append(l.future, TurnoverOf(n, count))
		n = count
	}
	planner := l.planner(v, j, largest)
	chosen := planner.next(now, l.future)
	l.explain(planner.planner, now, chosen, next, plan)
	return chosen
}

// explain tells a recorder the inputs of a plan.
func (l *lookahead) explain(planner *Planner, now State, chosen Shape, next []float64, plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	plan.AddInput("instances under notice", float64(l.future[0].Removed), "")
	for _, k := range []int{1, len(next)/2 + 1, len(next)} {
		if 1 <= k && k <= len(next) {
			plan.AddInput(fmt.Sprintf("instances expected in %v", time.Duration(k)*l.Every), next[k-1], "")
		}
	}
	plan.AddInput("expected migration to the layout taken",
		planner.Expect(now.Instances, l.future[0].Removed, now.Shape, chosen)/1000, "s")
}

// TurnoverOf returns the turnover between two numbers of instances.
func TurnoverOf(from, to int) Turnover {
	return Turnover{Added: max(0, to-from), Removed: max(0, from-to)}
}

// planner returns the planner of job j's model.
func (l *lookahead) planner(v sim.View, j, largest int) *rememberedPlans {
	model := v.Job(j).Model()
	for _, p := range l.planners {
		if p.model == model {
			return p
		}
	}
	costs, ok := model.(MigrationModel)
	if !ok {
		panic("parcae: the job's model is no parcae.MigrationModel: it cannot be migrated")
	}
	planner := NewPlanner(costs, max(largest, costs.Stages()[0]), l.Every.Seconds())
	if l.Liveput {
		planner.Objective = Liveput
	}
	p := &rememberedPlans{model: model, planner: planner, known: map[planKey]Shape{}}
	l.planners = append(l.planners, p)
	return p
}

// rememberedPlans keeps the decisions of a planner.
type rememberedPlans struct {
	model   sim.Model
	planner *Planner
	known   map[planKey]Shape
}

// planKey is everything that a decision depends on.
type planKey struct {
	shape  Shape
	counts [62]int32 // of instances: before and after the present events, then by interval
}

const maxPlans = 1 << 16 // kept, and as many forecasts; then all are forgotten

func (r *rememberedPlans) next(s State, future []Turnover) Shape {
	key := planKey{shape: s.Shape}
	n := int32(s.Instances)
	key.counts[0] = n
	for i, e := range future {
		n += int32(e.Added - e.Removed)
		key.counts[i+1] = n
	}
	shape, known := r.known[key]
	if !known {
		shape = r.planner.Next(s, future)
		if len(r.known) == maxPlans {
			clear(r.known)
		}
		r.known[key] = shape
	}
	return shape
}
