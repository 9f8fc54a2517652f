package advise

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// closePolicy ends what a policy has started.
func closePolicy(p sim.Policy) {
	if f, is := p.(*fromNow); is {
		p = f.Policy
	}
	if c, is := p.(io.Closer); is {
		_ = c.Close() // the runs are over
	}
}

// Options say how much is computed.
type Options struct {
	Continuations int // markets after now that are tried, at least 1
	// Share is the share of them in which the objective has to be met, else it is at risk; 0: the objective's, or
	// DefaultShare.
	Share float64
	Last  time.Duration          // only so much of the traces, up to now, makes continuations; 0: all
	Sets  map[string]*traces.Set // traces that are in memory, instead of files; nil: none
	// Scores are of a check of the same policy on the same market: they widen the intervals of the policy that decides.
	// nil: they stay as the continuations say.
	Scores *Scores
}

// DefaultContinuations and DefaultShare are those of the command.
const (
	DefaultContinuations = 200
	DefaultShare         = 0.9
)

// OnDemand is the policy that is added to the alternatives where there are instances on demand.
const OnDemand = "ondemand"

// adviser is a spec and a state that are ready to be advised on.
type adviser struct {
	spec     *spec.Spec
	options  Options
	state    *State
	work     work
	markets  *market.Markets
	market   *sim.Market // until now
	record   *record
	past     *past
	end      sim.Time // of continuations
	goal     int      // the objective's number
	warnings []string
}

// open reads the traces until now, and the state.
func open(s *spec.Spec, state *State, o Options) (a *adviser, err error) {
	a = &adviser{spec: s, options: o, state: state}
	a.work = works[s.Workload().Kind()](a)
	if err = a.check(); err != nil {
		return nil, err
	}
	if a.markets, err = market.Known(s, state.Until(), o.Sets); err != nil {
		return nil, err
	}
	if a.market, err = a.markets.For(uint64(s.Seed)); err != nil {
		return nil, err
	}
	if err = a.checkMarket(); err != nil {
		return nil, err
	}
	if err = a.checkScores(); err != nil {
		return nil, err
	}
	in, err := a.state.read(a.markets, a.market)
	if err != nil {
		return nil, err
	}
	if err = a.work.open(&in); err != nil {
		return nil, err
	}
	if !a.draws() {
		a.options.Continuations = 1
	}
	a.record, err = a.readRecord(&in)
	return a, err
}

// draws reports whether anything of the market after now is drawn.
func (a *adviser) draws() bool {
	if a.changes() || a.state.DurationsSigma > 0 {
		return true
	}
	for p := range a.market.Pools() {
		if pool := a.market.Pool(p); pool.Boot.Sigma > 0 || pool.Failures != nil {
			return true
		}
	}
	return false
}

// check refuses what cannot be advised on, and what a state says that the spec has no place for.
func (a *adviser) check() error {
	if err := a.work.check(); err != nil {
		return err
	}
	if a.options.Continuations < 1 {
		return fmt.Errorf("%d continuations, expected at least 1", a.options.Continuations)
	}
	s := a.spec
	if name := a.state.Objective; name != "" {
		a.goal = slices.IndexFunc(s.Objectives, func(o spec.Objective) bool { return o.Name == name })
		if a.goal < 0 {
			return a.state.errorAt("$.objective", "%q is not one of the spec's: %s", name, objectives(s))
		}
	}
	if kind := s.Objectives[a.goal].Kind(); kind.ByWork {
		return s.ErrorAt(fmt.Sprintf("$.objectives[%d].%s", a.goal, kind.Name),
			"advise weighs what is yet to be paid: expected a deadline, samples_per_s or ettr")
	}
	for i := range s.Policies {
		p, err := s.Policies[i].New()
		if err != nil {
			return err
		}
		closePolicy(p)
		if sim.TraitsOf(p).KnowsFuture {
			return s.ErrorAt(fmt.Sprintf("$.policies[%d]", i),
				"policy %s knows the future, expected one that can decide now", s.Policies[i].Name)
		}
	}
	return nil
}

// checkMarket refuses markets that cannot be followed to now.
func (a *adviser) checkMarket() error {
	if a.markets.Shared() == nil && a.spec.Market.Synthetic == nil {
		return a.spec.ErrorAt("$.market",
			"advise needs recorded capacity or prices, but the lifetimes of instances are drawn for every seed: "+
				"expected another replay, such as count_cap")
	}
	for p := range a.market.Pools() {
		if pool := a.market.Pool(p); pool.Wait > 0 || pool.Length > 0 {
			return a.spec.ErrorAt("$.market", "pool %s is of queued capacity, which advise does not know", pool.Name)
		}
	}
	return nil
}

// recorded reports whether the market has traces, which end now.
func (a *adviser) recorded() bool { return len(a.spec.Market.Traces) > 0 }

// changes reports whether prices and capacity may change after now.
func (a *adviser) changes() bool { return a.recorded() || a.spec.Market.Synthetic != nil }

// objectives lists the names of a spec's objectives.
func objectives(s *spec.Spec) (names []string) {
	for i := range s.Objectives {
		names = append(names, s.Objectives[i].Name)
	}
	return names
}

// seedStep lies between the seeds of the markets that stand for the past of a synthetic one.
const (
	seedStep         = 1_000_003
	syntheticMarkets = 16
)

// openPast lays out what continuations are made of.
func (a *adviser) openPast() error {
	now := a.record.now
	a.end = a.record.started.Add(a.spec.Horizon())
	if a.end <= now {
		return a.state.errorAt("$.now",
			"%s is after the horizon, %v after the start: expected a later one (horizon_s)",
			a.state.Now, a.spec.Horizon())
	}
	a.end = a.work.limit(a.end)
	tracks, err := a.readTracks()
	if err != nil {
		return err
	}
	a.past = newPast(tracks, a.end.Sub(now))
	if len(a.past.places) == 0 {
		return a.state.errorAt("$.now", "%s is %v after the traces begin: expected more of a past", a.state.Now, now.Sub(0))
	}
	a.warn()
	return nil
}

// readTracks lays out the traces until now, or the markets that stand for the past of a synthetic one.
func (a *adviser) readTracks() (tracks []track, err error) {
	now := a.record.now
	if a.spec.Market.Synthetic == nil {
		from := sim.Time(0)
		if last := a.options.Last; last > 0 {
			from = max(now.Add(-last), 0)
		}
		return []track{read(a.market, from, now+1)}, nil
	}
	for k := 1; k <= syntheticMarkets; k++ {
		m, err := a.markets.Synthetic(uint64(a.spec.Seed)+uint64(k)*seedStep, min(a.spec.Horizon(), a.end.Sub(0)))
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, read(m, 0, m.End()))
	}
	return tracks, nil
}

// share is the share of the continuations in which the objective has to be met.
func (a *adviser) share() float64 {
	if a.options.Share > 0 {
		return a.options.Share
	}
	return stats.Or(a.spec.Objectives[a.goal].Share, DefaultShare)
}

// config is what a run under a policy depends on.
func (a *adviser) config(policy int) sim.Config {
	return sim.Config{
		Market:  a.market,
		Jobs:    a.work.jobs(policy),
		Seed:    uint64(a.spec.Seed),
		Billing: a.spec.Billing(),
		Moves:   a.markets.Moves(),
		Speed:   a.state.Speed,
	}
}

// policy makes a policy of the spec. Where on demand is an alternative, it begins now.
func (a *adviser) policy(i int) (sim.Policy, error) {
	p, err := a.spec.Policies[i].New()
	if err == nil && i > 0 && a.spec.Policies[i].Name == OnDemand {
		return &fromNow{p, a.record.now}, nil
	}
	return p, err
}

// AddOnDemand adds the policy that buys on demand from now on to a spec's, where it can be.
func AddOnDemand(s *spec.Spec) {
	var names []string
	for i := range s.Policies {
		names = append(names, s.Policies[i].Name)
	}
	sold := slices.ContainsFunc(s.Market.Pools, func(p spec.Pool) bool { return p.OnDemandQuota > 0 })
	if sold && !slices.Contains(names, OnDemand) {
		_ = s.Choose(append(names, OnDemand)) // else the spec is as it was
	}
}

// fromNow gives back what is held on spot, and buys on demand.
type fromNow struct {
	sim.Policy
	now sim.Time
}

// Unwrap returns the policy.
func (f *fromNow) Unwrap() sim.Policy { return f.Policy }

// Decide implements sim.Policy.
func (f *fromNow) Decide(v sim.View, plan *sim.Plan) {
	for p := range v.Pools() {
		if x := v.Pool(p); !x.OnDemand && !x.Reserved && plan.Jobs[0].Hold[p] > 0 && v.Now() >= f.now {
			clear(plan.Jobs[0].Hold)
			plan.SetReason("on demand from now: gives back what is on spot")
			plan.AskAgain()
			return
		}
	}
	f.Policy.Decide(v, plan)
}
