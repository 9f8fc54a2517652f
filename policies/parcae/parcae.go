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
		largest := p.maxInstances(v, j)
		n, may := p.prepare(v, j, largest, plan)
		if may && !p.Optimise {
			p.takeFastest(v, j, n, plan)
		} else if may && (happened(v, job, &plan.Jobs[j]) || p.begins(v)) {
			p.take(v, j, p.choose(v, j, n, largest, plan), "most samples according to the forecast", plan)
		}
		if p.Optimise {
			p.sleep(v, plan)
		}
	}
}

// choose returns the layout for job j, which can use at most so many instances and of which n can have a place now.
func (p *Parcae) choose(v sim.View, j, n, largest int, plan *sim.Plan) Shape {
	p.past = v.Job(j).Past(p.past[:0])
	if len(p.past) == 0 || !p.begins(v) {
		p.past = append(p.past, float64(activeInstances(v, j)))
	}
	now := p.stateOf(v, j, n, plan)
	choices := p.choices(v.Job(j).Model(), largest)
	choices.setKey(now, n, p.past)
	if !plan.Recorded() && len(choices.key) > 0 {
		known, ok := choices.known[string(choices.key)]
		if ok {
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
		if f.maxInstances == largest {
			return f
		}
	}
	info, err := forecast.Named(cmp.Or(p.Forecaster, "parcae"))
	if err != nil {
		panic(fmt.Sprintf("parcae: Forecaster: %v", err))
	}
	f := &rememberedForecasts{
		maxInstances: largest,
		forecaster:   info.New(forecast.Setup{Window: p.Window, Max: float64(largest)}),
		known:        map[string][]float64{},
	}
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
	p := &Reactive{name: "throughput-optimal"}
	p.SaveEvery = 10 * time.Minute
	p.Grace = true
	return p
}

// Name implements sim.Policy.
func (p *Reactive) Name() string { return p.name }

// Decide implements sim.Policy.
func (p *Reactive) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if !v.Job(j).Active() {
			continue
		}
		n, may := p.prepare(v, j, p.maxInstances(v, j), plan)
		if may {
			p.takeFastest(v, j, n, plan)
		}
	}
}

// IdealNoOverhead is Reactive without the costs of changes and without parameter
// servers: "Ideal" of the public code, a bound for every policy.
type IdealNoOverhead struct{ Reactive }

func NewIdealNoOverhead() *IdealNoOverhead {
	p := &IdealNoOverhead{Reactive{migration: newMigration(), name: "ideal-no-overhead"}}
	p.Servers = 0
	p.Grace = false // leaving a place early would only cost time
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
		largest := p.maxInstances(v, j)
		n, may := p.prepare(v, j, largest, plan)
		if may && (happened(v, job, &plan.Jobs[j]) || p.begins(v)) {
			p.predict(v, j)
			chosen := p.plan(v, j, p.stateOf(v, j, n, plan), n, largest, p.next, plan)
			p.take(v, j, chosen, "most samples with the true future", plan)
		}
		p.sleep(v, plan)
	}
}

// predict looks up how many instances will be ready at the beginnings of the coming
// intervals: those with capacity then and a boot time before.
func (p *Ideal) predict(v sim.View, j int) {
	p.next = p.next[:0]
	limit := p.maxInstances(v, j)
	for k := 1; k < p.Ahead; k++ {
		at := min(v.Now().Add(time.Duration(k)*p.Every), p.market.End())
		n := 0
		for pool := 0; pool < v.Pools() && n < limit; pool++ {
			if !v.Pool(pool).OnDemand {
				requested := max(at.Add(-v.Pool(pool).Boot.Mean()), v.Start())
				n += min(p.allowed(pool, at), p.allowed(pool, requested))
			}
		}
		p.next = append(p.next, float64(min(n, limit)))
	}
}

// allowed returns how many instances of a pool the quota and the capacity allow at an instant.
func (p *Ideal) allowed(pool int, at sim.Time) int {
	quota := p.market.Pool(pool).Quota
	capacity, limited := p.market.Capacity(pool, at)
	if limited {
		return min(capacity, quota)
	}
	return quota
}

// rememberedChoices keeps the layouts that Parcae chose for a model, by all that they depend on:
// forecast and plan are functions of that, and most decisions of a sweep were made before.
type rememberedChoices struct {
	model        sim.Model
	maxInstances int // that the job can use
	known        map[string]Shape
	key          []byte // of the decision under way, empty if there are too many instances for one
}

// choices returns what is remembered of a model whose jobs can use n instances.
func (p *Parcae) choices(model sim.Model, largest int) *rememberedChoices {
	for _, c := range p.chosen {
		if c.model == model && c.maxInstances == largest {
			return c
		}
	}
	c := &rememberedChoices{model: model, maxInstances: largest, known: map[string]Shape{}}
	p.chosen = append(p.chosen, c)
	return c
}

// setKey puts what a decision depends on into the key.
func (r *rememberedChoices) setKey(now State, n int, past []float64) {
	r.key = r.key[:0]
	largest := 0
	add := func(number int) {
		r.key = binary.LittleEndian.AppendUint16(r.key, uint16(number))
		largest = max(largest, number)
	}
	add(now.Instances)
	add(now.Shape.Pipelines)
	add(now.Shape.Stages)
	add(n)
	for _, number := range past {
		add(int(number))
	}
	if largest > 1<<16-1 {
		r.key = r.key[:0]
	}
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
