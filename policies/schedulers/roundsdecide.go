package schedulers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Name implements sim.Policy.
func (r *Rounds) Name() string { return cmp.Or(r.As, "rounds") }

const (
	defaultRound = 6 * time.Minute
	defaultEvery = 32 * time.Minute
)

// NewState implements sim.Stateful.
func (r *Rounds) NewState(from, _ any) any {
	s := &rounds{rule: r.Rule(), worked: sim.Never}
	if was, ok := from.(*rounds); ok {
		if rule, remembers := was.rule.(share.Rememberer); remembers {
			s.rule = rule.Clone()
		}
		s.models = was.models
		s.models.gpus, s.models.full = slices.Clone(was.models.gpus), slices.Clone(was.models.full)
		s.at, s.end, s.worked, s.stale, s.active = was.at, was.end, was.worked, was.stale, was.active
		for _, x := range was.jobs {
			x.speed, x.x, x.received = slices.Clone(x.speed), slices.Clone(x.x), slices.Clone(x.received)
			s.jobs = append(s.jobs, x)
		}
	}
	return s
}

// Decide implements sim.Policy.
func (r *Rounds) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*rounds)
	s.models.find(v, r.Markets)
	r.active = byNumber(v, r.active)
	r.arrive(v, s)
	s.count(v, plan, r.active)
	if s.models.refused(v, plan, r.active) || r.Markets && s.priced(v) {
		s.stale = true
	}
	if every := cmp.Or(r.Every, defaultEvery); s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.share(v, r.active)
	}
	whole := v.Now() >= s.end
	if whole {
		s.end = v.Now().Add(cmp.Or(r.Round, defaultRound))
	}
	r.fill(v, plan, s, whole)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(r.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && asks(v, plan, r.active) {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// asks reports whether a plan wants anything that is new.
func asks(v sim.View, plan *sim.Plan, active []int) bool {
	for _, j := range active {
		for _, x := range plan.Parts(j) {
			if int(x.N) > v.Held(j, int(x.Pool)).Active() {
				return true
			}
		}
	}
	return false
}

// priced reports whether a price is other than when the shares were worked out.
func (s *rounds) priced(v sim.View) bool {
	for m, usd := range s.input.Price {
		if v.Price(s.models.pools[m][0]) != usd {
			return true
		}
	}
	return false
}

// count adds the time since the last decision to what the jobs have received.
func (s *rounds) count(v sim.View, plan *sim.Plan, active []int) {
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range active {
		if m := s.models.held(plan, j); m >= 0 {
			s.jobs[j].received[m] += seconds
		}
	}
}

// arrive notes the jobs that are new, and whether any has gone.
func (r *Rounds) arrive(v sim.View, s *rounds) {
	n := len(s.models.gpus)
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, shared{})
	}
	for _, j := range r.active {
		x, number := &s.jobs[j], v.Job(j).ID()+1
		if x.number == number {
			continue
		}
		x.number = number // in the memory of a job that had its slot
		x.came, x.priority = v.Job(j).Submitted(), 0
		for _, list := range []*[]float64{&x.speed, &x.x, &x.received} {
			if len(*list) != n {
				*list = make([]float64, n)
			}
			clear(*list)
		}
		r.speeds(v, j, &s.models, x.speed)
		s.stale = true
	}
	s.stale = s.stale || len(r.active) != s.active
	s.active = len(r.active)
}

// speeds asks the model of a job how fast it is on each model of GPU.
func (r *Rounds) speeds(v sim.View, j int, models *models, into []float64) {
	g := gang(v, j)
	for m := range into {
		into[m] = speedIn(&r.layout, g, models.pools[m][0])
	}
}

// share works out the shares.
func (s *rounds) share(v sim.View, active []int) {
	in := &s.input
	in.GPUs, in.Price, in.Jobs = in.GPUs[:0], in.Price[:0], in.Jobs[:0]
	for m, n := range s.models.gpus {
		in.GPUs, in.Price = append(in.GPUs, n), append(in.Price, v.Price(s.models.pools[m][0]))
	}
	for _, j := range active {
		g, x := gang(v, j), &s.jobs[j]
		in.Jobs = append(in.Jobs, share.Job{ID: v.Job(j).ID(), GPUs: g.Gang(), Speed: x.speed, Weight: g.Weight(), Left: v.Job(j).WorkLeft(),
			Age: v.Now().Sub(x.came).Seconds(), Time: v.Job(j).Deadline().Sub(v.Now()).Seconds()})
	}
	s.rule.Share(in, &s.shares)
	for _, j := range active {
		clear(s.jobs[j].x)
		clear(s.jobs[j].received)
	}
	for k, u := range s.shares.Units {
		if u.B != share.Alone {
			panic("cluster: Rounds: a rule that puts two jobs on the same GPUs")
		}
		copy(s.jobs[active[u.A]].x, s.shares.X[k])
	}
	s.worked, s.stale = v.Now(), false
}

// say says why jobs wait in a round.
func (s *rounds) say(v sim.View, plan *sim.Plan) {
	say(v, plan, "GPUs go, round by round, to the jobs that have had least of their share of the time", func(j, gpus, _ int) string {
		for _, share := range s.jobs[j].x {
			if share > 0 {
				return fmt.Sprintf("others have had less of their share, and leave fewer than the %d GPUs that it needs", gpus)
			}
		}
		return "it has no share of the GPUs yet, and others that have one leave too few"
	})
}
