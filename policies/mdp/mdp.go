package mdp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

// MDP plans ahead for one job, and is stopped where the deadline would be at risk. What it promises is safe.Promise.
// Several jobs at once are held on demand.
type MDP struct {
	Every   time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between two looks where nothing happens"`
	Reserve time.Duration `set:"reserve_s" min:"0" max:"86400" doc:"time before the deadline at which the job is planned to be done"`
	Share   float64       `set:"boot_share" min:"0.5" max:"0.999999" doc:"probability with which the instances of a cluster are ready within the boot time that the promise is planned with"`
	Regret  float64       `set:"regret" min:"0" max:"100" doc:"maximum share by which waiting for spot may make the run more expensive than the best plan on demand alone"`

	Grid int `set:"grid" min:"8" max:"2000" doc:"steps of time from the submission to the deadline in which it plans, and half the steps of work; more steps where the deadline is tight, fewer where there are three spot pools or more"`

	Law

	net     safe.Safe
	several *ondemand.OnDemand // decides for several jobs at once
	planner planner
}

// Law is what is believed of spot pools before anything was seen.
type Law struct {
	On     time.Duration `set:"on_s" min:"60" max:"1e8" doc:"believed at first: mean time for which a spot pool has capacity"`
	Off    time.Duration `set:"off_s" min:"60" max:"1e8" doc:"believed at first: mean time for which it has none"`
	Price  time.Duration `set:"price_s" min:"60" max:"1e8" doc:"believed at first: mean time for which the price of a spot pool that was seen to change stays low, or high"`
	Weight float64       `set:"prior_weight" min:"0.01" max:"1e6" doc:"how many changes of a pool what is believed at first counts for"`
	Past   float64       `set:"past_weight" min:"0" max:"1e6" doc:"how many changes of an only spot pool the day before the run counts for at most, where it was recorded; 0: it is not looked at"`
}

// New returns the policy with its default settings.
func New() *MDP {
	return &MDP{
		Every:   2 * time.Minute,
		Reserve: 10 * time.Second,
		Share:   0.999,
		Regret:  0.05,
		Grid:    64,
		Law:     Law{On: 2 * time.Hour, Off: 2 * time.Hour, Price: 2 * time.Hour, Weight: 0.5, Past: 0.5},
		several: ondemand.New(),
	}
}

// Name implements sim.Policy.
func (*MDP) Name() string { return "mdp" }

// NeedsOnDemand reports that there has to be something on demand.
func (*MDP) NeedsOnDemand() bool { return true }

// Decide implements sim.Policy.
func (m *MDP) Decide(v sim.View, plan *sim.Plan) {
	if len(v.ActiveJobs()) != 1 {
		m.several.Decide(v, plan)
		return
	}
	m.planner.set = m
	if m.net.Base == nil {
		m.net = *safe.New(&m.planner)
		m.net.Late = true
	}
	m.net.Share = m.Share
	m.net.Regret = m.Regret
	m.net.Look = m.Every
	m.net.Decide(v, plan)
	if v.Asks(m) {
		policyutil.AwaitMany(v, plan)
	}
}

// planner decides while on demand still meets the deadline. All but its settings is scratch memory, or a memory of what
// was worked out before.
type planner struct {
	set *MDP

	view      sim.View
	plan      *sim.Plan
	index     int // of the job
	job       sim.JobView
	goal      float64
	pools     []pool
	prices    []float64 // by pool, USD/h
	free      []int     // by pool, what is held included
	allowed   []int     // by pool, within the quotas
	full      []int     // by pool, what it is believed to have room for when it has some
	rooms     []int     // scratch, by pool
	ranked    []int     // scratch: pools
	partial   bool      // some pool is known to have room for some instances and not for all
	seen      rooms     // where the run has no memory
	frontier  ondemand.Frontier
	regimes   regimes
	classes   classes
	tables    tables
	now       present
	option    option
	best      choice
	moves     moves
	hours     hours
	saver     policyutil.LossSaver
	lossOf    policyutil.Loss
	loss      sim.Pause
	onDemand  ondemand.Cluster // scratch
	instances []sim.Instance   // scratch
}

// Name implements sim.Policy.
func (*planner) Name() string { return "mdp" }

// rounds is how often it chooses at one instant, to see what is granted. Then the choice stays: where instances are
// ready at once, two clusters could take turns for ever.
const rounds = 12

// Decide implements sim.Policy.
func (p *planner) Decide(v sim.View, plan *sim.Plan) {
	round := 0
	if v.Trigger()&sim.TriggerAgain != 0 {
		round = v.Mode() + 1
	}
	plan.SetMode(round)
	for _, j := range v.ActiveJobs() {
		p.open(v, j, plan)
		if math.IsInf(p.goal, 1) {
			continue // nothing that it can hold is of use
		}
		if round < rounds {
			p.choose(plan)
		}
		p.saver.AtMost = p.saveInterval(true)
		p.saver.Tend(v, j, plan)
		p.saveEarly(plan)
		p.saveForPromise(plan)
	}
	plan.WakeIn(p.set.Every - v.Now().Sub(v.Start())%p.set.Every)
}

// open looks at what job j has and may have.
func (p *planner) open(v sim.View, j int, plan *sim.Plan) {
	p.view = v
	p.plan = plan
	p.index = j
	p.job = v.Job(j)
	p.goal = p.job.Model().Goal(p.job.Objective().Loss)
	p.frontier.Of(v, j, plan.Jobs[j].Servers)
	p.loss = p.lossOf.Of(p.job.Model(), p.job.Layout())
	p.believe(plan)
	p.moves.locate(p)
	p.leaveOutPools()
	p.lookAtHours()
	if !math.IsInf(p.goal, 1) {
		p.selectTable()
	}
}

// explain tells a recorder what is believed and what was tried.
func (p *planner) explain(plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	p.explainBelief(plan)
	if p.job.Begun() {
		now := &p.now
		p.moves.carry(p.moves.state, now.held.Counts)
		p.measureOnDemand(&p.onDemand, now.held.Counts)
		kept := held{all: &now.held, onDemand: &p.onDemand}
		if p.hours.any {
			_, kept.paid = p.billHours(now.held.Counts, 0, 0)
		}
		more := p.costAhead(now.work, now.elapsed, kept) - p.costAhead(now.work*0.99, now.elapsed, kept)
		plan.AddInput("the next 1 % of the work that is left is worth", more, "USD")
	}
	p.explainTried(plan)
}

// explainBelief tells what is believed of pools; of many pools only of those of which something was seen.
func (p *planner) explainBelief(plan *sim.Plan) {
	for k := range p.pools {
		pool := &p.pools[k]
		if !pool.spot || p.full[k] <= 0 {
			continue
		}
		if len(p.regimes.spot) <= maxListed || pool.seen != (evidence{}) {
			name := p.view.Pool(k).Name
			plan.AddInput("believed: mean time with capacity in "+name, 3600/pool.lossRate, "s")
			plan.AddInput("believed: mean time without capacity in "+name, 3600/pool.arrivalRate, "s")
			plan.AddInput("capacity in "+name, float64(p.free[k]), "")
		}
		if k == p.regimes.levelled {
			name := p.view.Pool(k).Name
			plan.AddInput("believed: low price in "+name, pool.low, "USD/h")
			plan.AddInput("believed: high price in "+name, pool.high, "USD/h")
			plan.AddInput("believed: mean time for which it is low", 3600/pool.rises, "s")
			plan.AddInput("believed: mean time for which it is high", 3600/pool.falls, "s")
		}
	}
}

// maxShown is how many options a recorder is told of.
const maxShown = 12

// explainTried tells of the options that are expected to cost least.
func (p *planner) explainTried(plan *sim.Plan) {
	best := &p.best
	slices.SortStableFunc(best.tried, func(a, b candidate) int { return cmp.Compare(a.usd, b.usd) })
	shown := map[string]bool{}
	for i := range best.tried {
		tried := &best.tried[i]
		best.names = best.names[:0]
		for _, n := range tried.counts {
			best.names = append(best.names, int(n))
		}
		name := policyutil.ClusterName(p.view, best.names)
		if tried.keepsHeld {
			name += ", and what is held until it is ready"
		}
		if shown[name] || len(shown) == maxShown {
			continue
		}
		shown[name] = true
		plan.AddCandidate(sim.Candidate{
			Name:   name,
			Score:  tried.usd,
			Unit:   "USD",
			Note:   fmt.Sprintf("from now on, in expectation; ready after %.0f s", tried.boot),
			Chosen: len(shown) == 1,
		})
	}
}
