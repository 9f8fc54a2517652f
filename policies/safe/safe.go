package safe

import (
	"cmp"
	"math"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Prefix stands before the name of a base policy in the name of its safe form.
const Prefix = "safe:"

// Safe is the safe form of Base. What it promises is Promise.
type Safe struct {
	Base sim.Policy
	As   string // its name; empty is "safe:" and the name of the base
	// Late leaves to the base when on demand begins: it is stopped only where the deadline would be at risk, or the
	// limit of Regret is reached.
	Late bool
	// Look is how long it may take until the base looks again, where nothing happens.
	Look time.Duration

	Share   float64       `set:"boot_share" min:"0.5" max:"0.999999" doc:"probability with which the instances of a cluster are ready within the boot time that is planned with"`
	Regret  float64       `set:"regret" min:"0" max:"100" doc:"maximum share by which waiting for spot may make the run more expensive than the best plan on demand alone"`
	Reserve time.Duration `set:"reserve_s" min:"1" max:"86400" doc:"time before which on demand begins with the number that is planned with, and for which it stays, once it is held"`
	Size    int           `set:"on_demand_instances" min:"0" max:"4096" doc:"number of instances on demand that is planned with: fewer cost less, but on demand begins earlier; 0 takes the smallest that leaves the share slack of the time"`
	Slack   float64       `set:"slack" min:"0" max:"0.9" doc:"share of the objective's time that the number on demand which is planned with leaves; without effect if on_demand_instances is set"`

	again     float64 // USD beyond the limit that swaps of on demand for spot may risk
	limit     float64 // USD that waiting for spot may make of what all jobs cost; +Inf: there is no limit
	refusal   refusal // why what a base holds was refused last
	planner   ondemand.Planner
	foreseen  ondemand.Planner // of what a plan holds
	saver     policyutil.LossSaver
	lossOfOne policyutil.Loss
	clocks    []clock         // by job
	instances []sim.Instance  // scratch
	spot      []int32         // spot instances by pool that start or are ready
	held      []int           // scratch: what a plan holds
	ready     []int           // scratch: instances that train, by pool
	paid      []time.Duration // scratch: for how long instances of a pool are paid
	swapping  bool            // on demand is counted as gone, and what trains as kept

	considered int // candidates that the base told a recorder of
}

// New returns the safe form of a policy with the default settings. It panics for an
// oracle, which knows what it needs to know.
func New(base sim.Policy) *Safe {
	if sim.TraitsOf(base).KnowsFuture {
		panic("safe: New: the base is an oracle")
	}
	return &Safe{Base: base, Share: 0.999, Regret: 0.05, Reserve: 5 * time.Minute, Slack: 0.22}
}

// Name implements sim.Policy.
func (s *Safe) Name() string { return cmp.Or(s.As, Prefix+s.Base.Name()) }

// Unwrap returns the policy within.
func (s *Safe) Unwrap() sim.Policy { return s.Base }

// Decide implements sim.Policy. The base is asked for all jobs at once, if it has one.
func (s *Safe) Decide(v sim.View, plan *sim.Plan) {
	jobs := v.ActiveJobs()
	asked := false
	spare := s.sparesAtMost(v)
	over := s.budget(v, plan)
	for _, j := range jobs {
		c := &s.clocks[j]
		c.over = over
		c.again = s.again
		spare = min(spare, s.spares(v, j, c))
		asked = asked || c.asksBase()
	}
	if spare > 0 && s.rest(v, spare, over, plan) {
		return
	}
	if asked {
		s.Base.Decide(v, plan)
	}
	s.considered = len(plan.Candidates())
	for _, j := range jobs {
		s.decide(v, j, over, asked, plan)
	}
	if v.Asks(s) {
		policyutil.AwaitMany(v, plan)
	}
}

// wake has the policy asked before the clock says something else.
func (s *Safe) wake(v sim.View, c *clock, plan *sim.Plan) {
	next := longest.Seconds()
	if c.last > 0 {
		next = min(next, c.last)
	}
	if early := c.sized - c.reserve; early > 0 && c.onDemand == 0 {
		next = min(next, early)
	}
	if s.looksAhead(v, c) {
		if s.planner.BillsCoarsely() { // looking ahead takes long, and the base looks again
			next = max(min(next, plan.Wake().Sub(v.Now()).Seconds()), 0)
		}
		next = s.until(v, c.over, next, paying(v), plan)
	}
	plan.WakeIn(time.Duration(math.Ceil(max(next, 1e-3) * 1e9)))
}

// looksAhead reports whether the instant is worked out at which the limit will be reached.
func (s *Safe) looksAhead(v sim.View, c *clock) bool {
	if v.Jobs() > 1 || c.over >= 0 || c.none || c.action() != leave {
		return false
	}
	return s.foreseesLimit()
}

// foreseesLimit reports whether on demand begins before the limit is reached. Where units are paid, a base that decides
// itself when on demand begins foresees them.
func (s *Safe) foreseesLimit() bool { return !s.Late || !s.planner.BillsCoarsely() }

// decide decides for job j.
func (s *Safe) decide(v sim.View, j int, over float64, asked bool, plan *sim.Plan) {
	c := &s.clocks[j]
	s.explain(c, plan)
	why := s.whyActs(c, plan)
	s.wake(v, c, plan)
	act := c.action()
	if act != leave && v.Jobs() > 1 { // the planner has looked at others since
		c = s.updateClock(v, j, over, false, plan)
	}
	switch {
	case act == join && asked && c.lax:
		s.holdNextToBase(c, plan)
	case act == join && asked && c.asksBase() && s.affordsTries(v, j, c, c.again, plan):
		s.join(v, j, c, plan)
	case act == join:
		keepSpot(v, j, plan)
		s.join(v, j, c, plan)
	case act == leave:
		paid := s.paysTries(v, j, c, plan)
		if !paid && c.spot > 0 {
			keepHeld(v, j, plan)
			s.explainTakeover(v, s.says(noTries, plan), plan)
			return
		}
		onDemand := c.swaps && !c.joins && c.spot == 0 && c.onDemand > 0
		if paid && !s.breaks(v, j, c, plan) {
			if onDemand {
				plan.Jobs[j].Save = false // nothing is lost before spot comes
			}
			return // the base saves
		}
		if !paid {
			s.refusal = noTries
		}
		why = s.says(s.refusal, plan)
		if c.swaps && !c.joins {
			s.holdBeside(v, j, c, plan)
			break
		}
		s.goAlone(v, j, c, plan)
	case act == beside:
		if s.holdBeside(v, j, c, plan) {
			return // the base saves
		}
	default:
		s.goAlone(v, j, c, plan)
	}
	s.explainTakeover(v, why, plan)
	if c.spot > 0 && !c.joins && v.Job(j).SaveTime() > 0 {
		s.saver.Save(v, j, plan) // spot instances that go take back what is not saved
		return
	}
	s.saver.SaveOnDemand(v, j, plan)
}

// paysTries reports whether the limit pays for what the base asks for on spot, even if it comes and goes in vain.
func (s *Safe) paysTries(v sim.View, j int, c *clock, plan *sim.Plan) bool {
	if c.none || math.IsInf(c.over, -1) {
		return true
	}
	if c.lax { // the base weighs up what units cost
		tried := s.restartInVain(v, j, c, plan)
		return tried == 0 || c.over+tried <= 0
	}
	return s.affordsTries(v, j, c, 0, plan)
}

// affordsTries reports whether they are within some USD more than the limit.
func (s *Safe) affordsTries(v sim.View, j int, c *clock, more float64, plan *sim.Plan) bool {
	tried := s.inVain(v, j, c, plan)
	return tried == 0 || c.over+tried <= more
}

// breaks reports whether what the base holds would break the promise or the budget, where there is something on demand:
// what it gives back may be missing, and with it what it trained since the last save.
func (s *Safe) breaks(v sim.View, j int, c *clock, plan *sim.Plan) bool {
	if c.none {
		return false
	}
	holds := c.onDemand > 0
	releases := false
	for p, n := range plan.Jobs[j].Hold {
		if v.Pool(p).OnDemand {
			holds = holds || n > 0
			releases = releases || n < v.Active(j, p)
		}
	}
	if releases && !c.joins && c.spot == 0 {
		s.refusal = stops
		return true
	}
	if releases && c.swaps && !c.joins && !ensureSaved(v, j, plan) {
		s.refusal = unsaved // on spot it could be lost
		return true
	}
	if !holds {
		return false
	}
	before := c.over
	ahead := c.ahead
	c = s.updateClock(v, j, before, true, plan)
	over := before + (c.ahead - ahead)
	if s.planner.BillsCoarsely() {
		_, unused := s.wasted(v, j, plan.Jobs[j].Hold)
		over += unused
	}
	limit := 0.0
	if c.swaps && hasReady(v, j, plan) {
		limit = c.again
	}
	if c.last > 0 && over <= limit {
		if c.lax || s.planner.BillsCoarsely() { // it gives back what the promise or the budget was reckoned with
			c.over = over
			s.wake(v, c, plan)
		}
		return false
	}
	s.refusal = late
	if c.last > 0 {
		s.refusal = tooDear
	}
	s.updateClock(v, j, before, false, plan)
	return true
}

// join has job j hold on demand what the cheapest schedule next to spot instances says: those that the plan holds,
// which the base may have requested, if that is cheaper than on demand alone.
func (s *Safe) join(v sim.View, j int, c *clock, plan *sim.Plan) {
	start := ondemand.Start{Loss: c.now, Pause: c.pause, Left: c.left}
	if c.spot > 0 {
		start.Left -= c.reserve / 2 // they may go
	}
	aim := s.cost(c, c.left-start.Left)
	for p, n := range plan.Jobs[j].Hold {
		if !v.Pool(p).OnDemand {
			s.spot[p] = int32(n)
		}
	}
	s.planner.Update(v, j, s.spot, false, plan)
	best, _ := s.planner.Plan(&start)
	if best.First == nil || !best.InTime || c.priced(&best) >= aim && !math.IsInf(aim, 1) {
		s.goAlone(v, j, s.updateClock(v, j, c.over, false, plan), plan)
		return
	}
	for p, n := range s.spot { // now only those that there are: the others may not come
		s.spot[p] = min(n, int32(v.Active(j, p)))
	}
	s.planner.Update(v, j, s.spot, false, plan)
	if best, _ = s.planner.Plan(&start); best.First == nil || !best.InTime {
		s.goAlone(v, j, s.updateClock(v, j, c.over, false, plan), plan)
		return
	}
	s.follow(&start, &best, c.spot, plan)
	s.planner.Take(&best, plan)
}

// holdNextToBase has a job hold on demand what is in time alone, next to what the base holds on spot.
func (s *Safe) holdNextToBase(c *clock, plan *sim.Plan) {
	start := c.request()
	best := c.best
	s.follow(&start, &best, c.spot, plan)
	s.planner.Take(&best, plan)
}

// goAlone has job j hold on demand what is in time alone. Spot instances train until all of it is ready, and beyond
// where they make training faster.
func (s *Safe) goAlone(v sim.View, j int, c *clock, plan *sim.Plan) {
	plan.AskOnce() // the base's plan is not taken
	// Nothing goes that could be lost, and a save may need one more hour of all instances.
	if c.spot == 0 && plan.Jobs[j].Save {
		plan.Jobs[j].Save = false
		plan.WakeNoSooner(10 * time.Second) // the base may look at once whether it was saved
	}
	start := c.request()
	best := c.best
	rate := best.First.Rate
	keepSpot(v, j, plan)
	ready := s.follow(&start, &best, c.spot, plan)
	if ready && c.spot > 0 && s.lettingSpotGo(v, j, c, rate, plan) {
		for p := range plan.Jobs[j].Hold {
			if !v.Pool(p).OnDemand {
				plan.Jobs[j].Hold[p] = 0
			}
		}
		if !c.joins {
			s.planner.Lay(&best, true, plan)
		}
	}
	if c.joins && s.slowedByLeaving(v, j, plan) {
		plan.Jobs[j].Drain = true
	}
	if plan.Recorded() {
		best = s.updateClock(v, j, c.over, false, plan).best // the planner may have looked at something else
	}
	s.planner.Take(&best, plan)
}

// slowedByLeaving reports whether what is ready would train faster without the spot instances of job j that are under
// notice: the schedule on demand is reckoned without them, and would end later.
func (s *Safe) slowedByLeaving(v sim.View, j int, plan *sim.Plan) bool {
	if v.Job(j).Leaving() == sim.Never {
		return false
	}
	s.ready = s.ready[:0]
	for p := range v.Pools() {
		held := v.Held(j, p)
		s.ready = append(s.ready, held.Ready)
		if !v.Pool(p).OnDemand {
			s.spot[p] = int32(held.Ready + held.Noticed)
		}
	}
	s.planner.Update(v, j, s.spot, false, plan)
	withLeaving := s.planner.Together(s.ready)
	for p, n := range s.ready {
		if !v.Pool(p).OnDemand {
			s.spot[p] = int32(n)
		}
	}
	s.planner.Update(v, j, s.spot, false, plan)
	return withLeaving < s.planner.Together(s.ready)
}

// follow writes a schedule into the plan, and reports whether all of its first cluster is ready.
func (s *Safe) follow(start *ondemand.Start, best *ondemand.Schedule, spot int, plan *sim.Plan) (ready bool) {
	s.planner.Consider(start, plan)
	ready = s.planner.Hold(best, plan)
	if spot == 0 {
		s.planner.Lay(best, ready, plan)
	}
	s.planner.Wake(best, plan)
	return ready
}

// lettingSpotGo reports whether the spot instances of job j go, now that all is ready on demand: their loss would set
// training back, or they make it slower. Where giving them back does, too, it has what they trained saved before.
func (s *Safe) lettingSpotGo(v sim.View, j int, c *clock, rate float64, plan *sim.Plan) bool {
	if !c.joins {
		return !s.planner.Placed() || ensureSaved(v, j, plan)
	}
	s.planner.Update(v, j, s.spot, false, plan)
	start := c.start()
	both, _ := s.planner.Plan(&start)
	return s.planner.Together(plan.Jobs[j].Hold) < rate || c.priced(&both) >= c.ahead && c.last > 0
}

// keepSpot has job j hold the spot instances that run, and no others.
func keepSpot(v sim.View, j int, plan *sim.Plan) {
	for p := range plan.Jobs[j].Hold {
		if !v.Pool(p).OnDemand {
			plan.Jobs[j].Hold[p] = v.Active(j, p)
		}
	}
}

// keepHeld has job j hold what it has: the base may add something on demand, but it gives nothing back.
func keepHeld(v sim.View, j int, plan *sim.Plan) {
	plan.AskOnce() // the base's plan is not taken
	keepSpot(v, j, plan)
	for p, n := range plan.Jobs[j].Hold {
		plan.Jobs[j].Hold[p] = max(n, v.Active(j, p))
	}
}

// ensureSaved reports whether little is lost if training goes back to its last save, and asks for a save if more is.
func ensureSaved(v sim.View, j int, plan *sim.Plan) bool {
	job := v.Job(j)
	takes := saving(job)
	switch {
	case !job.Training():
		return job.Paused() == sim.Never
	case !job.Safe():
		plan.WakeIn(max(takes, time.Microsecond))
		return false
	case v.Now().Sub(job.LastSave()) > 2*takes+time.Minute:
		plan.Jobs[j].Save = true
		plan.WakeIn(takes + time.Microsecond)
		return false
	}
	return true
}

// saving returns how long it takes until a save is safe.
func saving(job sim.JobView) time.Duration {
	return job.SaveTime() + job.PersistTime()
}

// Limit returns what may still be paid for job j before on demand decides by the limit of Regret, USD, where there is
// no limit +Inf, and what the rest of it costs on demand: both as of the decision under way.
func (s *Safe) Limit(j int) (left, rest float64) { return -s.clocks[j].over, s.clocks[j].ahead }

// Spare returns for how many seconds on demand can wait for the deadline of job j, as of the decision under way.
func (s *Safe) Spare(j int) float64 { return s.clocks[j].last }

// Stops returns the seconds before the deadline of job j that are kept for stops by what the base asks for, beside those
// of a loss, as of the decision under way.
func (s *Safe) Stops(j int) float64 { return s.clocks[j].stops }

// KeepsOnDemand reports whether nothing on demand of job j may go before something else trains, as of the decision
// under way: a stop takes something, and no spot instance is held.
func (s *Safe) KeepsOnDemand(j int) bool {
	c := &s.clocks[j]
	return !c.none && !c.joins && c.spot == 0
}

// First returns the instances by pool that the schedule on demand begins with that would be requested now, as of the
// decision under way; nil if there is none. It must not be changed.
func (s *Safe) First(j int) []int32 {
	first := s.clocks[j].best.First
	if first == nil {
		return nil
	}
	return first.Counts
}

// Alone returns the instances by pool that the schedule on demand alone begins with, and what it costs, USD, where it is
// in time, as of the decision under way; nil if none is. They must not be changed.
func (s *Safe) Alone(j int) (first []int32, usd float64) {
	best := &s.clocks[j].best
	if !best.InTime {
		return nil, math.Inf(1)
	}
	return best.First.Counts, best.USD
}

// longest is the time after which the policy looks again: rates and prices are means.
const longest = 10 * time.Minute
