package policies

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Sailor holds the instances of the best layout of what can be had, and searches anew whenever that changes, as the
// planner of Sailor does (Strati et al., SOSP 2025, section 4): the cheapest iteration at a throughput, or the
// highest throughput within a price of an iteration. Ours is what the throughput is, namely what the deadline needs
// of the training that is left, that it keeps what it holds until the new instances are ready and the work is saved,
// and that it stays where another layout gains next to nothing, or less than the change costs.
type Sailor struct {
	Goal     LayoutGoal    `set:"goal" names:"cost,throughput" doc:"cost: the cheapest iteration at the throughput that the deadline needs; throughput: the highest within max_usd_per_step"`
	MaxUSD   float64       `set:"max_usd_per_step" min:"0" max:"1e9" doc:"price of an iteration that layouts do not exceed, USD; 0 is no limit"`
	Patience time.Duration `set:"patience_s" min:"1" max:"86400" doc:"how long a request waits before its pool counts as one that has no more"`
	Every    time.Duration `set:"every_s" min:"60" max:"86400" doc:"time between two looks where nothing happens: prices and the throughput that is needed change"`
	Reserve  time.Duration `set:"reserve_s" min:"0" max:"86400" doc:"time before the deadline at which the job is planned to be done"`
	Gain     float64       `set:"gain" min:"0" max:"1" doc:"share of the cost or of the throughput that another layout has to gain"`

	there     []int32   // by pool: what can be had now
	allowed   []int32   // by pool: what the quotas allow
	usd       []float64 // by pool
	now, most []int32   // the layouts of the two
	held      sim.Layout
	next      sim.Layout // scratch
	saver     policyutil.LossSaver
}

// LayoutGoal says which layout is the best.
type LayoutGoal string

// The goals.
const (
	LayoutCost       LayoutGoal = "cost"
	LayoutThroughput LayoutGoal = "throughput"
)

func init() {
	register("the best layout of what can be had over GPU types and zones, searched anew whenever that changes: "+
		"the cheapest that meets the deadline",
		"Sailor (SOSP 2025), its planner's objectives; the throughput that is needed follows from the deadline",
		Layouts,
		func() sim.Policy {
			return &Sailor{
				Goal:     LayoutCost,
				Patience: 5 * time.Minute,
				Every:    10 * time.Minute,
				Reserve:  10 * time.Minute,
				Gain:     0.03,
			}
		})
}

// Name implements sim.Policy.
func (*Sailor) Name() string { return "sailor" }

// Decide implements sim.Policy.
func (s *Sailor) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		s.decide(v, j, plan)
		policyutil.WakeOverdue(j, s.Patience, plan)
		s.saver.Tend(v, j, plan)
	}
	plan.WakeIn(s.Every)
}

// decide decides for job j.
func (s *Sailor) decide(v sim.View, j int, plan *sim.Plan) {
	m, ok := v.Job(j).Model().(*layout.Training)
	if !ok {
		panic("policies: the job's model is no *layout.Training: it has no layouts to search")
	}
	s.look(v, j, plan)
	s.noteHeld(v, j)
	want := s.want(v, j, m)
	plan.AddInput("longest step that is in time", want.MaxStep, "s")
	best, found := s.search(m, want, s.there, s.now, plan)
	wish, more := s.search(m, want, s.allowed, s.most, nil)
	hold := plan.Jobs[j].Hold
	stays := false
	switch {
	case !found && !more:
		s.keep(v, j, hold)
		plan.SetReason("no layout of what can be had fits")
		return
	case !found:
		s.keep(v, j, hold) // until what is wished for comes
		plan.SetReason("no layout of what can be had now fits: requests wait")
	case s.stays(v, j, m, want, best):
		s.keep(v, j, hold)
		plan.SetReason("another layout gains too little")
		stays = true
	default:
		s.take(v, j, m, hold, plan)
		plan.SetReason("the best layout of what can be had")
	}
	s.explain(v, j, m, best, found, stays, plan)
	if found && !stays {
		copy(s.held.Workers, s.now)
	}
	if more && (!found || s.pays(v, j, m, want, wish, s.most)) {
		s.request(v, hold)
	}
}

// look notes what can be had now: what is held, and what the quotas allow of pools that do not keep requests waiting.
func (s *Sailor) look(v sim.View, j int, plan *sim.Plan) {
	pools := v.Pools()
	s.there = policyutil.Resize(s.there, pools)
	s.allowed = policyutil.Resize(s.allowed, pools)
	s.usd = policyutil.Resize(s.usd, pools)
	s.now = policyutil.Resize(s.now, pools)
	s.most = policyutil.Resize(s.most, pools)
	for p := range pools {
		s.usd[p] = v.Price(p)
		if s.usd[p] > 0 {
			s.usd[p] = toGrid(s.usd[p], math.Round)
		}
		active := v.Held(j, p).Active()
		s.allowed[p] = int32(active + policyutil.Headroom(v, plan, j, p))
		s.there[p] = s.allowed[p]
		if policyutil.Refused(v, j, p, s.Patience) {
			s.there[p] = int32(active)
		}
	}
}

// want is what a layout has to be.
func (s *Sailor) want(v sim.View, j int, m *layout.Training) layout.Want {
	want := layout.Want{MaxUSD: s.MaxUSD}
	if s.Goal == LayoutThroughput {
		return want
	}
	want.Goal = layout.Cheapest
	job := v.Job(j)
	left := (job.Deadline().Sub(v.Now()) - s.Reserve).Seconds()
	if end := job.Paused(); end != sim.Never {
		left -= end.Sub(v.Now()).Seconds()
	}
	if !job.Training() {
		boot := 0.0
		for p := range v.Pools() {
			boot = max(boot, v.Pool(p).Boot.Mean().Seconds())
		}
		left -= boot
	}
	work := m.Goal(job.Objective().Loss)
	if job.Begun() {
		work -= m.Goal(job.Loss())
	}
	want.MaxStep = toGrid(max(left, 1e-3)*float64(m.Batch())/max(work, 1e-9), math.Floor)
	return want
}

// toGrid puts a number on a grid of 4 %, so that searches are the same again.
func toGrid(x float64, round func(float64) float64) float64 {
	return math.Exp(round(math.Log(x)*25) / 25)
}

// search finds the best layout within want, else the fastest.
func (s *Sailor) search(m *layout.Training, want layout.Want, there, into []int32, plan *sim.Plan) (sim.Rate, bool) {
	rate, found := m.Search(there, s.usd, want, into)
	if !found && want.MaxStep > 0 {
		if plan != nil {
			plan.AddInput("no layout is in time: the fastest is taken", 1, "")
		}
		rate, found = m.Search(there, s.usd, layout.Want{MaxUSD: want.MaxUSD}, into)
	}
	return rate, found
}

// value is what a step of a set costs, USD, or of the goal throughput takes, s; +Inf where it does not train or is
// too slow.
func (s *Sailor) value(m *layout.Training, want layout.Want, r sim.Rate, counts []int32) float64 {
	if r.Progress == 0 {
		return math.Inf(1)
	}
	step := float64(m.Batch()) / r.Progress
	if want.Goal == layout.Fastest {
		return step
	}
	if step > want.MaxStep { // too slow: the faster the better
		return tooSlow + step
	}
	usdPerH := 3600 * r.Traffic
	for p, n := range counts {
		usdPerH += float64(n) * s.usd[p]
	}
	return usdPerH * step / 3600
}

// tooSlow is more than any step costs, USD.
const tooSlow = 1e12

// noteHeld notes the instances that are ready.
func (s *Sailor) noteHeld(v sim.View, j int) {
	s.held.Workers = s.held.Workers[:0]
	for p := range v.Pools() {
		s.held.Workers = append(s.held.Workers, int32(v.Held(j, p).Ready))
	}
}

// stays reports whether what is held, all of which is ready, is nearly as good as the best.
func (s *Sailor) stays(v sim.View, j int, m *layout.Training, want layout.Want, best sim.Rate) bool {
	if !v.Job(j).Training() {
		return false
	}
	for p := range v.Pools() {
		held := v.Held(j, p)
		if held.Active() != held.Ready || held.Noticed > 0 {
			return false
		}
	}
	return !s.pays(v, j, m, want, best, s.now)
}

// pays reports whether a change from what is held to other instances gains more than it costs. It gains while these
// stay (lasts), and not after the deadline; it costs the boots of instances that come, the stall, and what is lost
// between a save and the change. From a layout that is too slow for the deadline to one that is faster, it always
// pays.
func (s *Sailor) pays(v sim.View, j int, m *layout.Training, want layout.Want, rate sim.Rate, counts []int32) bool {
	have := s.value(m, want, m.Rate(&s.held), s.held.Workers)
	get := s.value(m, want, rate, counts)
	if !(get < have*(1-s.Gain)) {
		return false
	}
	if have >= tooSlow || !v.Job(j).Training() {
		return true
	}
	s.next.Workers = append(s.next.Workers[:0], counts...)
	pause := m.Change(&sim.Change{From: &s.held, To: &s.next})
	lost := pause.Stall.Seconds()
	if pause.Rollback {
		lost += v.Job(j).SaveTime().Seconds() + v.Job(j).PersistTime().Seconds()
	}
	usdPerH := 0.0
	boots := 0.0 // USD
	for p, n := range counts {
		usdPerH += float64(n) * s.usd[p]
		boots += float64(max(n-s.held.Workers[p], 0)) * s.usd[p] * v.Pool(p).Boot.Mean().Seconds() / 3600
	}
	stays := min(meanLife(v, counts), max(v.Job(j).Deadline().Sub(v.Now()).Seconds(), 0))
	if want.Goal == layout.Fastest {
		return stays*(1-get/have) > lost
	}
	steps := stays * rate.Progress / float64(m.Batch())
	return (have-get)*steps > boots+pause.USD+usdPerH*lost/3600
}

// A loss a day is assumed of each pool on spot before any is seen, and weighs as much as a tenth of a loss that was
// seen.
const (
	lossPrior   = 24 * time.Hour
	priorWeight = 0.1
)

// meanLife returns the mean time, s, until the cloud takes some of a set's instances, by the losses in each pool so
// far (the mean of a gamma distribution of their rate); +Inf of instances on demand.
func meanLife(v sim.View, counts []int32) float64 {
	rate := 0.0
	for pool, count := range counts {
		if count == 0 || v.Pool(pool).OnDemand {
			continue
		}
		seen := v.Seen(pool)
		losses := priorWeight + float64(seen.Removals)
		seconds := priorWeight*lossPrior.Seconds() + seen.Held.Seconds()/float64(count)
		rate += losses / seconds
	}
	return 1 / rate
}

// keep holds what is held.
func (*Sailor) keep(v sim.View, j int, hold []int) {
	for p := range hold {
		hold[p] = v.Held(j, p).Active()
	}
}

// take holds the layout that was found, and what is held until all of it is ready and the work is saved.
func (s *Sailor) take(v sim.View, j int, m *layout.Training, hold []int, plan *sim.Plan) {
	ready := true
	less := false
	for p, n := range s.now {
		ready = ready && int(n) <= v.Held(j, p).Ready
		less = less || int(n) < v.Held(j, p).Ready
	}
	if ready && less {
		s.next.Workers = append(s.next.Workers[:0], s.now...)
		if m.Change(&sim.Change{From: &s.held, To: &s.next}).Rollback {
			ready = policyutil.Saved(v, j, plan)
		}
	}
	for p, n := range s.now {
		hold[p] = int(n)
		if !ready {
			hold[p] = max(hold[p], v.Held(j, p).Active())
		}
	}
}

// request has pools on spot that keep requests waiting keep them, for the layout of all that the quotas allow.
func (s *Sailor) request(v sim.View, hold []int) {
	for p, n := range s.most {
		if !v.Pool(p).OnDemand && s.there[p] < s.allowed[p] {
			hold[p] = max(hold[p], int(n))
		}
	}
}

// explain records the layout that is held, that which was found, and what the fastest and the cheapest would be.
func (s *Sailor) explain(v sim.View, j int, m *layout.Training, best sim.Rate, found, stays bool, plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	held := v.Job(j).Layout().Workers
	rate := m.Rate(v.Job(j).Layout())
	if rate.Progress > 0 && !(found && slices.Equal(held, s.now)) {
		s.explainLayout(v, m, "held", rate, held, stays || !found, plan)
	}
	if found {
		s.explainLayout(v, m, "best", best, s.now, !stays || slices.Equal(held, s.now), plan)
	}
	into := make([]int32, len(s.now))
	for goal, name := range []string{layout.Fastest: "fastest", layout.Cheapest: "cheapest"} {
		rate, found := m.Search(s.there, s.usd, layout.Want{Goal: layout.Goal(goal)}, into)
		if found && !slices.Equal(into, s.now) {
			s.explainLayout(v, m, name, rate, into, false, plan)
		}
	}
}

// explainLayout records the layout of a set.
func (s *Sailor) explainLayout(v sim.View, m *layout.Training, name string, rate sim.Rate, counts []int32, chosen bool,
	plan *sim.Plan) {
	note := "none fits"
	planned, trains := m.Plan(&sim.Layout{Workers: counts})
	if trains {
		note = planned.String()
	}
	cluster := make([]int, len(counts))
	usdPerH := 3600 * rate.Traffic
	for p, n := range counts {
		cluster[p] = int(n)
		usdPerH += float64(n) * s.usd[p]
	}
	score := math.Inf(1)
	if rate.Progress > 0 {
		score = usdPerH / 3600 * float64(m.Batch()) / rate.Progress
	}
	plan.AddCandidate(sim.Candidate{
		Name:   name + ": " + policyutil.ClusterName(v, cluster),
		Score:  score,
		Unit:   "USD a step",
		Note:   note,
		Chosen: chosen,
	})
}
