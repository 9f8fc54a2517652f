package advise

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies"
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
	Continuations int                    // markets after now that are tried, at least 1
	Share         float64                // of them in which the objective has to be met, else it is at risk; 0: the objective's, or DefaultShare
	Last          time.Duration          // only so much of the traces, up to now, makes continuations; 0: all
	Sets          map[string]*traces.Set // traces that are in memory, instead of files; nil: none
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
	markets  *market.Markets
	market   *sim.Market // until now
	record   *record
	models   []sim.Model // by policy
	past     *past
	end      sim.Time // of continuations
	goal     int      // the objective's number
	many     *many    // the jobs, where there are many
	warnings []string
}

// open reads the traces until now, and the state.
func open(s *spec.Spec, state *State, o Options) (a *adviser, err error) {
	a = &adviser{spec: s, options: o, state: state}
	if err = a.supported(); err != nil {
		return nil, err
	}
	if a.markets, err = market.Known(s, state.Until(), o.Sets); err != nil {
		return nil, err
	}
	if a.market, err = a.markets.For(uint64(s.Seed)); err != nil {
		return nil, err
	}
	if a.markets.Shared() == nil && s.Market.Synthetic == nil {
		return nil, s.ErrorAt("$.market", "advise needs recorded capacity or prices, but the lifetimes of instances are drawn for every seed: "+
			"expected another replay, such as count_cap")
	}
	for p := range a.market.Pools() {
		if x := a.market.Pool(p); x.Wait > 0 || x.Length > 0 {
			return nil, s.ErrorAt("$.market", "pool %s is of queued capacity, which advise does not know", x.Name)
		}
	}
	if s.Jobs != nil {
		err = a.openJobs()
	} else {
		err = a.openModels()
	}
	if err != nil {
		return nil, err
	}
	if a.certain() {
		a.options.Continuations = 1
	}
	a.record, err = state.record(a.markets, a.market, a.many)
	return a, err
}

// certain reports whether nothing of the market after now is drawn.
func (a *adviser) certain() bool {
	drawn := a.spec.Market.Synthetic != nil || a.recorded()
	for p := range a.market.Pools() {
		pool := a.market.Pool(p)
		drawn = drawn || pool.Boot.Sigma > 0 || pool.Failures != nil
	}
	return !drawn
}

// supported refuses what cannot be advised on, and what a state says that the spec has no place for.
func (a *adviser) supported() error {
	s, state := a.spec, a.state
	switch {
	case s.Jobs == nil && state.Done == nil && state.Loss == nil:
		return state.errorAt("$", "expected one of done and loss; none is given")
	case s.Jobs == nil && state.Done != nil && state.Loss != nil:
		return state.errorAt("$", "expected one of done and loss, not both")
	case s.Jobs == nil && state.Jobs != nil:
		return state.errorAt("$.jobs", "jobs of a state, but the spec is of one job: expected a spec with jobs")
	case s.Jobs != nil && (state.Done != nil || state.Loss != nil):
		return state.errorAt("$", "done or loss of one job, but the spec is of many: expected done of each of jobs")
	case s.Jobs != nil && len(state.Requests) > 0:
		return state.errorAt("$.requests", "requests of one job, but the spec is of many: expected none, schedulers make theirs anew")
	case s.Jobs != nil && len(state.Instances) > 0 && state.Jobs == nil:
		return state.errorAt("$.instances", "instances without jobs: expected jobs, with the ids of their instances")
	case s.NoTraining() != nil:
		return s.ErrorAt("$.model."+s.NoTraining().Key, "advise is for a training job")
	case a.options.Continuations < 1:
		return fmt.Errorf("%d continuations, expected at least 1", a.options.Continuations)
	}
	a.goal = 0
	if name := a.state.Objective; name != "" {
		a.goal = slices.IndexFunc(s.Objectives, func(o spec.Objective) bool { return o.Name == name })
		if a.goal < 0 {
			return a.state.errorAt("$.objective", "%q is not one of the spec's: %s", name, objectives(s))
		}
	}
	if kind := s.Objectives[a.goal].Kind(); kind.ByWork {
		return s.ErrorAt(fmt.Sprintf("$.objectives[%d].%s", a.goal, kind.Name), "advise weighs what is yet to be paid: expected a deadline, samples_per_s or ettr")
	}
	for i := range s.Policies {
		p, err := s.Policies[i].New()
		if err != nil {
			return err
		}
		closePolicy(p)
		t := sim.TraitsOf(p)
		if t.KnowsFuture {
			return s.ErrorAt(fmt.Sprintf("$.policies[%d]", i), "policy %s knows the future, expected one that can decide now", s.Policies[i].Name)
		}
	}
	return nil
}

// objectives lists the names of a spec's objectives.
func objectives(s *spec.Spec) (names []string) {
	for i := range s.Objectives {
		names = append(names, s.Objectives[i].Name)
	}
	return names
}

// openModels makes the model of each policy on the pools of the market.
func (a *adviser) openModels() error {
	all, err := a.spec.Models()
	if err != nil {
		return err
	}
	for i := range all {
		model, err := all[i].On(spec.PoolsOf(a.market))
		if err != nil {
			return err
		}
		a.models = append(a.models, model)
	}
	return nil
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
		return a.state.errorAt("$.now", "%s is after the horizon, %v after the start: expected a later one (horizon_s)", a.state.Now, a.spec.Horizon())
	}
	if a.many != nil {
		a.end = min(a.end, now.Add(a.many.span(a.market, a.record.started, now)))
	}
	var tracks []track
	if a.spec.Market.Synthetic == nil {
		from := sim.Time(0)
		if last := a.options.Last; last > 0 {
			from = max(now.Add(-last), 0)
		}
		tracks = append(tracks, read(a.market, from, now+1))
	}
	for k := 1; a.spec.Market.Synthetic != nil && k <= syntheticMarkets; k++ {
		m, err := a.markets.Synthetic(uint64(a.spec.Seed)+uint64(k)*seedStep, min(a.spec.Horizon(), a.end.Sub(0)))
		if err != nil {
			return err
		}
		tracks = append(tracks, read(m, 0, m.End()))
	}
	a.past = newPast(tracks, a.end.Sub(now))
	if len(a.past.places) == 0 {
		return a.state.errorAt("$.now", "%s is %v after the traces begin: expected more of a past", a.state.Now, now.Sub(0))
	}
	a.warn()
	return nil
}

// The least past, in times of what is left to the deadline, and the oldest last change of a trace, that are not said.
const (
	littlePast = 4
	staleAfter = 6 * time.Hour
)

// warn says why the figures may mislead.
func (a *adviser) warn() {
	a.warnings = append(a.warnings, a.markets.Warnings...)
	now := a.record.now
	a.warnFailures()
	if a.spec.Market.Synthetic != nil {
		a.warnings = append(a.warnings, fmt.Sprintf("the market is synthetic: continuations are of %d markets of its generator under other seeds", syntheticMarkets))
		return
	}
	if a.many != nil && a.many.over > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("jobs that were submitted by now and are not in the state, taken to be over: %d", a.many.over))
	}
	if !a.recorded() {
		return
	}
	if age := now.Sub(a.lastChange()); age > staleAfter {
		a.warnings = append(a.warnings, fmt.Sprintf("stale traces: their last change is %v before now; the last known values are used", age.Round(time.Minute)))
	}
	if left := a.deadline().Sub(now); left > 0 && now.Sub(a.past.tracks[0].from) < littlePast*left {
		a.warnings = append(a.warnings, fmt.Sprintf("short traces: %v until now for the %v until the deadline; what has not happened in them "+
			"is not expected", now.Sub(a.past.tracks[0].from).Round(time.Minute), left.Round(time.Minute)))
	}
}

// warnFailures says what is assumed of machines that fail.
func (a *adviser) warnFailures() {
	fails, recorded := false, false
	for p := range a.market.Pools() {
		if of := a.market.Pool(p).Failures; of != nil {
			fails = true
			recorded = recorded || len(of.Outages) > 0
		}
	}
	if fails && (a.many == nil || a.record.tasks != nil) {
		a.warnings = append(a.warnings, "machines fail in the continuations as the spec says; a state does not say which are down: all of them "+
			"are taken to be up now")
	}
	if recorded {
		a.warnings = append(a.warnings, "recorded faults: in the continuations machines fail as often as they did until now, one by one, and are "+
			"down as long as those were")
	}
}

// lastChange returns the last instant until now at which a price or capacity changed.
func (a *adviser) lastChange() (last sim.Time) {
	for p := range a.market.Pools() {
		for _, t := range a.market.Changes(p) {
			if t <= a.record.now {
				last = max(last, t)
			}
		}
	}
	return last
}

// deadline is the last one; Never: there is none.
func (a *adviser) deadline() (last sim.Time) {
	if a.many == nil {
		return a.record.started.Add(a.objective().Within)
	}
	for j := range a.many.jobs {
		if x := &a.many.jobs[j]; x.Objective.Within != sim.NoDeadline {
			last = max(last, a.record.started.Add(x.Submit).Add(x.Objective.Within))
		}
	}
	return last
}

// objective is what is asked of the job.
func (a *adviser) objective() sim.Objective {
	job := a.spec.Job(a.goal, a.models[0])
	return job.Objective
}

// share is the share of the continuations in which the objective has to be met.
func (a *adviser) share() float64 {
	switch own := a.spec.Objectives[a.goal].Share; {
	case a.options.Share > 0:
		return a.options.Share
	case own != nil:
		return *own
	}
	return DefaultShare
}

// config is what a run under a policy depends on.
func (a *adviser) config(i int) sim.Config {
	if m := a.many; m != nil {
		return sim.Config{Market: a.market, Jobs: m.jobs, Seed: uint64(a.spec.Seed), Billing: a.spec.Billing(), Moves: a.markets.Moves(),
			Speed: a.state.Speed}
	}
	return sim.Config{Market: a.market, Jobs: []sim.Job{a.spec.Job(a.goal, a.models[i])}, Seed: uint64(a.spec.Seed),
		Billing: a.spec.Billing(), Moves: a.markets.Moves(), Speed: a.state.Speed}
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
	if _, err := policies.New(OnDemand); err == nil && sold && s.Jobs == nil && !slices.Contains(names, OnDemand) {
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

// openJobs reads the jobs that were submitted by now.
func (a *adviser) openJobs() error {
	work, err := workload.Open(a.spec)
	if err != nil {
		return err
	}
	a.warnings = append(a.warnings, work.Warnings...)
	all, err := work.For(a.spec.Seed, a.market, 0)
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	list, jobs, err := all.Hold()
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	r, started, err := a.state.read(a.markets, a.market)
	if err != nil {
		return err
	}
	past := slices.IndexFunc(list, func(j workload.Job) bool { return started.Add(j.Submit) > r.now })
	if past < 0 {
		past = len(list)
	}
	a.many = &many{work: work, list: list[:past], jobs: jobs[:past]}
	if a.state.Jobs == nil {
		if a.recorded() {
			return a.state.errorAt("$.jobs", "missing: expected the jobs that are there, with what they hold on the market of traces")
		}
		return nil
	}
	return a.many.only(a.state, list)
}

// recorded reports whether the market has traces, which end now.
func (a *adviser) recorded() bool { return len(a.spec.Market.Traces) > 0 }

// only leaves the jobs that the state lists.
func (m *many) only(s *State, all []workload.Job) error {
	at, names := map[string]int{}, make([]string, len(all))
	for j := range all {
		at[all[j].ID], names[j] = j, all[j].ID
	}
	there := map[int]int{}
	for i := range s.Jobs {
		path := fmt.Sprintf("$.jobs[%d].id", i)
		j, known := at[s.Jobs[i].ID]
		first, twice := there[j]
		switch {
		case !known:
			near := ""
			if n := registry.Nearest(s.Jobs[i].ID, names); n != "" {
				near = fmt.Sprintf("; did you mean %q?", n)
			}
			return s.errorAt(path, "no job %q in the spec's list of %d jobs%s", s.Jobs[i].ID, len(all), near)
		case twice:
			return s.errorAt(path, "%q is jobs[%d], too: expected each job once", s.Jobs[i].ID, first)
		case j >= len(m.list):
			return s.errorAt(path, "%q is submitted %v after started, which is after now: expected a job that is there", s.Jobs[i].ID, all[j].Submit)
		}
		there[j] = i
	}
	var list []workload.Job
	var jobs []sim.Job
	for j := range m.list {
		if _, is := there[j]; is {
			list, jobs = append(list, m.list[j]), append(jobs, m.jobs[j])
		}
	}
	if len(list) == 0 {
		return s.errorAt("$.jobs", "no job is there: expected at least one")
	}
	m.over = len(m.list) - len(list)
	m.list, m.jobs = list, jobs
	return nil
}

// span is how long the work of the jobs takes that are left, one after the other, each where it is fastest, and until
// the last deadline.
func (m *many) span(market *sim.Market, started, now sim.Time) (span time.Duration) {
	layout := sim.Layout{Workers: make([]int32, market.Pools())}
	for j := range m.jobs {
		g, fastest := m.jobs[j].Model.(sim.GangModel), 0.0
		for p := range layout.Workers {
			clear(layout.Workers)
			layout.Workers[p] = int32(g.Gang())
			fastest = max(fastest, g.Rate(&layout).Progress)
		}
		if fastest > 0 {
			span += sim.At(g.Work() / fastest).Sub(0)
		}
		if of := &m.jobs[j]; of.Objective.Within != sim.NoDeadline {
			span = max(span, started.Add(of.Submit).Add(of.Objective.Within).Sub(now))
		}
	}
	return span + 24*time.Hour
}
