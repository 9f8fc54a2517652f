package plugin

import (
	"runtime"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Policy is a sim.Policy whose decisions are made by a plug-in. It is for one goroutine.
type Policy struct {
	name    string
	open    func() (Carrier, error)
	carrier Carrier
	fields  any      // see Declared
	slot    *Slot    // nil: it asks by itself
	program *program // of the lane's batch

	view     message.View
	answerer Answerer
	now      sim.View                          // of the decision at hand
	answer   func(*message.Ask) message.Answer // asks the answerer about it
}

// New returns a policy of a name, whose carrier is opened when it is first asked.
func New(name string, open func() (Carrier, error)) *Policy {
	p := &Policy{name: name, open: open}
	p.answer = func(q *message.Ask) message.Answer { return p.answerer.Answer(p.now, q) }
	return p
}

// Name implements sim.Policy.
func (p *Policy) Name() string { return p.name }

// Declare says which settings the plug-in has: the fields of a struct (Struct).
func (p *Policy) Declare(fields any) { p.fields = fields }

// Declared returns that struct, nil if the plug-in does not say which settings it has. It implements policies.Declarer.
func (p *Policy) Declared() any { return p.fields }

// Join lets the policy ask together with those of the other lanes of a batch that have the same key: policies of one
// name and settings. It is called before the first run.
func (p *Policy) Join(l *Slot, key any) {
	p.slot = l
	p.program = l.join(key)
}

// Watching is a Policy that is asked at price changes as well.
type Watching struct{ *Policy }

// Traits says what the policy is.
func (*Watching) Traits() sim.Traits {
	return sim.Traits{WatchesPrices: true}
}

// Decide implements sim.Policy.
func (w *Watching) Decide(v sim.View, plan *sim.Plan) { w.decide(v, plan, v.Asks(w)) }

// Fault returns the error that a recovered panic is if it is the failure of a policy: a plug-in's, or that of one that
// asks again without end (sim.Unsettled). Else it returns nil.
func Fault(recovered any) error {
	if failure, is := recovered.(interface {
		error
		PolicyFailed()
	}); is {
		return failure
	}
	return nil
}

// run is what the world keeps of a run for the policy (sim.Stateful): where its plug-in is.
type run struct {
	world   int64
	carrier Carrier  // nil until the run has begun
	pools   []string // names
}

// NewState implements sim.Stateful: in a fork, the plug-in goes on with a copy of what it
// remembers.
func (p *Policy) NewState(from, _ any) any {
	r := new(run)
	if parent, is := from.(*run); is && parent.carrier != nil {
		*r = *parent
		p.must(r.begin(&message.Begin{Type: "fork", From: &parent.world}))
	}
	return r
}

// begin tells the plug-in of the run, and of its end, when nobody has it any more.
func (r *run) begin(b *message.Begin) error {
	if err := r.carrier.Begin(b); err != nil {
		return err
	}
	carrier := r.carrier
	r.world = b.World
	runtime.AddCleanup(r, func(world int64) { carrier.End(world) }, r.world)
	return nil
}

// Decide implements sim.Policy.
func (p *Policy) Decide(v sim.View, plan *sim.Plan) { p.decide(v, plan, v.Asks(p)) }

// decide is Decide; alone is that no other policy is around this one.
func (p *Policy) decide(v sim.View, plan *sim.Plan, alone bool) {
	r := v.State().(*run)
	if r.carrier == nil {
		p.begin(v, r)
	}
	p.view.World = r.world
	p.now = v
	gather(&p.view, v, plan.Recorded())
	reply, err := r.carrier.Decide(&p.view, p.answer)
	p.must(err)
	if err := apply(reply, v, plan, r.pools, alone); err != nil {
		r.carrier.Close()
		p.must(err)
	}
}

// begin tells the plug-in of a run.
func (p *Policy) begin(v sim.View, r *run) {
	p.must(p.opened())
	begin := message.Begin{
		Type:   "begin",
		Random: v.Random(0).Bits(0),
		StartS: v.Start().Seconds(),
		Pools:  pools(v),
		Terms:  terms(v),
		Limits: limits(v),
		Names:  names(v),
	}
	for i := range begin.Pools {
		r.pools = append(r.pools, begin.Pools[i].Name)
	}
	r.carrier = p.carrier
	p.must(r.begin(&begin))
}

// opened makes the carrier that of the run that begins.
func (p *Policy) opened() (err error) {
	switch {
	case p.slot != nil:
		p.carrier, err = p.program.carrier(p.slot, p.open)
	case p.carrier == nil:
		p.carrier, err = p.open()
	}
	return err
}

// must panics with a Failure.
func (p *Policy) must(err error) {
	if err != nil {
		panic(&Failure{p.name, err})
	}
}

// Close ends the plug-in.
func (p *Policy) Close() error {
	switch {
	case p.slot != nil:
		return p.program.leave(p.carrier)
	case p.carrier == nil:
		return nil
	}
	return p.carrier.Close()
}

// Agent is a policy whose decisions come from outside, a step at a time (package gym): it holds what it was given last,
// requests again what it loses, lays a pipeline out on what is ready, and saves as marigram's own clusters do. The zero
// value but for Step is ready.
type Agent struct {
	Step time.Duration // it is asked at least so often, on a grid from the start of the run
	Hold []int         // instances by pool; nil: none

	tender policyutil.LossSaver
}

// Name implements sim.Policy.
func (*Agent) Name() string { return "agent" }

// Decide implements sim.Policy.
func (a *Agent) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		clear(plan.Jobs[j].Hold)
		copy(plan.Jobs[j].Hold, a.Hold)
		a.tender.Tend(v, j, plan)
	}
	plan.WakeIn(a.Step - v.Now().Sub(v.Start())%a.Step)
}
