package parcae

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/sim"
)

// Parcae chooses layouts for the preemptions to come: at every interval, and at
// every event in between, it plans the next intervals for the most samples over a
// forecast of the number of instances, and takes the first step (Duan et al., NSDI
// 2024). Live migrations take the job from one layout to the next, and parameter
// servers keep its state. The parts that Fig. 13 of the paper leaves out one by one
// are settings.
//
// The paper decides before the interval begins, and reduces the layout to the
// instances that it then has. Here the first step is planned for the present
// instances and notices; reference.Parcae does as the paper.
type Parcae struct {
	migration
	lookahead
	Optimise   bool   `set:"optimise" doc:"plan ahead, instead of using the fastest layout for the present instances"`
	Window     int    `set:"window" min:"2" max:"120" doc:"number of past intervals used for a forecast"`
	Forecaster string `set:"forecaster" names:"parcae,persistence,moving-average,smoothing,arima-0-1-1" doc:"forecast of the instances: the paper's, the present number, or another by its name in package forecast"`

	forecasts  []*rememberedForecasts
	chosen     []*rememberedChoices
	past, next []float64
}

func New() *Parcae {
	return &Parcae{migration: newMigration(), lookahead: newLookahead(), Optimise: true, Window: 12}
}

// Name implements sim.Policy.
func (*Parcae) Name() string { return "parcae" }

// Decide implements sim.Policy.
func (p *Parcae) Decide(v sim.View, plan *sim.Plan) {
	plan.Remember(p.Every, p.Window+1)
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		largest := p.max(v, j)
		switch n, may := p.prepare(v, j, largest, plan); {
		case !may:
		case !p.Optimise:
			p.fastest(v, j, n, plan)
		case happened(v, job, &plan.Jobs[j]) || p.begins(v):
			p.take(v, j, p.choose(v, j, n, largest, plan), "most samples according to the forecast", plan)
		}
		if p.Optimise {
			p.sleep(v, plan)
		}
	}
}

// choose returns the layout for job j, which can use n instances and of which n can have a place now.
func (p *Parcae) choose(v sim.View, j, n, largest int, plan *sim.Plan) Shape {
	p.past = v.Job(j).Past(p.past[:0])
	if len(p.past) == 0 || !p.begins(v) {
		p.past = append(p.past, float64(activeInstances(v, j)))
	}
	now := p.stateOf(v, j, n, plan)
	choices := p.choices(v.Job(j).Model(), largest)
	if !plan.Recorded() && choices.ask(now, n, p.past) {
		if known, ok := choices.known[string(choices.key)]; ok {
			return known
		}
	}
	if p.next == nil {
		p.next = make([]float64, p.Ahead-1)
	}
	p.forecasting(largest).forecast(p.next, p.past)
	chosen := p.plan(v, j, now, n, largest, p.next, plan)
	if !plan.Recorded() {
		choices.remember(chosen)
	}
	return chosen
}

// forecasting returns the forecasts for a job that can use n instances.
func (p *Parcae) forecasting(largest int) *rememberedForecasts {
	for _, f := range p.forecasts {
		if f.max == largest {
			return f
		}
	}
	info, err := forecast.Named(cmp.Or(p.Forecaster, "parcae"))
	if err != nil {
		panic(fmt.Sprintf("parcae: Forecaster: %v", err))
	}
	f := &rememberedForecasts{max: largest, forecaster: info.New(forecast.Setup{Window: p.Window, Max: float64(largest)}),
		known: map[string][]float64{}}
	p.forecasts = append(p.forecasts, f)
	return f
}

// activeInstances returns the instances of job j, starting and ready, without those
// under notice.
func activeInstances(v sim.View, j int) int {
	n := 0
	for pool := range v.Pools() {
		n += v.Active(j, pool)
	}
	return n
}

// Reactive takes the fastest layout for its present instances, and plans nothing:
// Parcae's ablation with migrations and parameter servers, but no optimiser
// ("Parcae-Reactive"). With restarts in place of migrations it is the baseline that
// the public code calls throughput-optimised.
type Reactive struct {
	migration

	name string
}

func NewReactive() *Reactive {
	return &Reactive{migration: newMigration(), name: "parcae-reactive"}
}

func NewThroughputOptimal() *Reactive {
	p := &Reactive{migration: newMigration(), name: "throughput-optimal"}
	p.Migrations, p.Servers, p.SaveEvery = false, 0, 10*time.Minute
	return p
}

// Name implements sim.Policy.
func (p *Reactive) Name() string { return p.name }

// Decide implements sim.Policy.
func (p *Reactive) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if job := v.Job(j); job.Active() {
			if n, may := p.prepare(v, j, p.max(v, j), plan); may {
				p.fastest(v, j, n, plan)
			}
		}
	}
}

// IdealNoOverhead is Reactive without the costs of changes and without parameter
// servers: "Ideal" of the public code, a bound for every policy.
type IdealNoOverhead struct{ Reactive }

func NewIdealNoOverhead() *IdealNoOverhead {
	p := &IdealNoOverhead{Reactive{migration: newMigration(), name: "ideal-no-overhead"}}
	p.Servers, p.Grace = 0, false // leaving a place early would only cost time
	return p
}

// Traits says what the policy is.
func (*IdealNoOverhead) Traits() sim.Traits {
	return sim.Traits{KnowsFuture: true}
}

// Decide implements sim.Policy.
func (p *IdealNoOverhead) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		plan.Jobs[j].Free = true
	}
	p.Reactive.Decide(v, plan)
}

// Ideal is Parcae with the true numbers of instances for a forecast:
// "Parcae (Ideal)" of the paper.
type Ideal struct {
	migration
	lookahead

	market *sim.Market
	next   []float64
}

func NewIdeal() *Ideal {
	return &Ideal{migration: newMigration(), lookahead: newLookahead()}
}

// Name implements sim.Policy.
func (*Ideal) Name() string { return "parcae-ideal" }

// Traits says what the policy is.
func (*Ideal) Traits() sim.Traits {
	return sim.Traits{KnowsFuture: true}
}

// SetMarket implements Oracle.
func (p *Ideal) SetMarket(m *sim.Market) { p.market = m }

// Decide implements sim.Policy. It panics if SetMarket was not called.
func (p *Ideal) Decide(v sim.View, plan *sim.Plan) {
	if p.market == nil {
		panic("parcae: Ideal was not told the market (SetMarket)")
	}
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		if n, may := p.prepare(v, j, p.max(v, j), plan); may && (happened(v, job, &plan.Jobs[j]) || p.begins(v)) {
			p.predict(v, j)
			p.take(v, j, p.plan(v, j, p.stateOf(v, j, n, plan), n, p.max(v, j), p.next, plan), "most samples with the true future", plan)
		}
		p.sleep(v, plan)
	}
}

// predict looks up how many instances will be ready at the beginnings of the coming
// intervals: those with capacity then and a boot time before.
func (p *Ideal) predict(v sim.View, j int) {
	p.next = p.next[:0]
	limit := p.max(v, j)
	for k := 1; k < p.Ahead; k++ {
		at := min(v.Now().Add(time.Duration(k)*p.Every), p.market.End())
		n := 0
		for pool := 0; pool < v.Pools() && n < limit; pool++ {
			if facts := v.Pool(pool); !facts.OnDemand {
				n += min(p.held(pool, at), p.held(pool, max(at.Add(-facts.Boot.Mean()), v.Start())))
			}
		}
		p.next = append(p.next, float64(min(n, limit)))
	}
}

// held returns how many instances of a pool the quota and the capacity allow at an
// instant.
func (p *Ideal) held(pool int, at sim.Time) int {
	quota := p.market.Pool(pool).Quota
	if n, limited := p.market.Capacity(pool, at); limited {
		return min(n, quota)
	}
	return quota
}

// rememberedChoices keeps the layouts that Parcae chose for a model, by all that they depend on:
// forecast and plan are functions of that, and most decisions of a sweep were made before.
type rememberedChoices struct {
	model sim.Model
	max   int // instances that the job can use
	known map[string]Shape
	key   []byte // of the decision under way, empty if it has none
}

// choices returns what is remembered of a model whose jobs can use n instances.
func (p *Parcae) choices(model sim.Model, largest int) *rememberedChoices {
	for _, c := range p.chosen {
		if c.model == model && c.max == largest {
			return c
		}
	}
	c := &rememberedChoices{model: model, max: largest, known: map[string]Shape{}}
	p.chosen = append(p.chosen, c)
	return c
}

// ask puts what a decision depends on into the key. It reports false if there are too many
// instances for one.
func (r *rememberedChoices) ask(now State, n int, past []float64) bool {
	key, largest := r.key[:0], 0
	for _, x := range [4]int{now.Instances, now.Shape.Pipelines, now.Shape.Stages, n} {
		key, largest = binary.LittleEndian.AppendUint16(key, uint16(x)), max(largest, x)
	}
	for _, x := range past {
		key, largest = binary.LittleEndian.AppendUint16(key, uint16(x)), max(largest, int(x))
	}
	if largest > 1<<16-1 {
		key = key[:0]
	}
	r.key = key
	return len(key) > 0
}

// remember keeps what was chosen.
func (r *rememberedChoices) remember(chosen Shape) {
	if len(r.key) == 0 {
		return
	}
	if len(r.known) == maxPlans {
		clear(r.known)
	}
	r.known[string(r.key)] = chosen
}
