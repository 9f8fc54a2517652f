package clairvoyant

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// schedule says what to hold from each of some instants on.
type schedule []step

type step struct {
	at      sim.Time
	workers []int32 // by pool, those under notice included
	servers int32
}

// player holds what a schedule says, for the first job.
type player struct{ schedule schedule }

func (*player) Name() string { return "clairvoyant" }

// Traits says what the policy is.
func (*player) Traits() sim.Traits {
	return sim.Traits{KnowsFuture: true}
}

// Decide implements sim.Policy. What comes under notice is not replaced, and there is no
// parameter server before there is a worker.
func (p *player) Decide(v sim.View, plan *sim.Plan) {
	byTime := func(s step, t sim.Time) int { return int(s.at - t) }
	k, exact := slices.BinarySearchFunc(p.schedule, v.Now(), byTime)
	if !exact {
		k--
	}
	if k+1 < len(p.schedule) {
		plan.WakeIn(p.schedule[k+1].at.Sub(v.Now()))
	}
	if k < 0 || !v.Job(0).Active() {
		return
	}
	now := &p.schedule[k]
	job := &plan.Jobs[0]
	trains := v.Job(0).Begun()
	for i := range job.Hold {
		held := v.Held(0, i)
		job.Hold[i] = max(int(now.workers[i])-held.Noticed, 0)
		trains = trains || held.Ready > 0 || held.Noticed > 0
	}
	job.Servers = 0
	if trains {
		job.Servers = int(now.servers)
	}
}

// keeper notes what a policy holds.
type keeper struct {
	sim.Policy
	schedule schedule
}

// Decide implements sim.Policy.
func (k *keeper) Decide(v sim.View, plan *sim.Plan) {
	k.Policy.Decide(v, plan)
	now := step{at: v.Now(), workers: make([]int32, v.Pools()), servers: int32(plan.Jobs[0].Servers)}
	for p, n := range plan.Jobs[0].Hold {
		now.workers[p] = int32(n + v.Held(0, p).Noticed)
	}
	last := len(k.schedule) - 1
	if last >= 0 && k.schedule[last].at == now.at {
		k.schedule = k.schedule[:last]
	}
	k.schedule = append(k.schedule, now)
}

// record returns what a policy holds as a schedule, and what its run costs, USD; +Inf if it does not meet the
// objective.
func (s *search) record(base sim.Policy) (schedule, float64, error) {
	k := keeper{Policy: base}
	c := s.config
	c.Policy = &k
	if err := s.world.Reset(c); err != nil {
		return nil, 0, err
	}
	usd, met := s.run()
	if !met {
		usd = math.Inf(1)
	}
	return k.schedule, usd, nil
}

// search keeps the cheapest met schedule of a run.
type search struct {
	world  sim.World
	player player
	config sim.Config
	best   schedule
	base   sim.Policy // whose run is the best; nil: the schedule
	usd    float64
}

// attempt is a schedule that was judged.
type attempt struct {
	schedule schedule
	met      bool
}

// judge simulates a schedule and reports whether it meets the objective.
func (s *search) judge(plan schedule) (bool, error) {
	s.player.schedule = plan
	s.config.Policy = &s.player
	if err := s.world.Reset(s.config); err != nil {
		return false, err
	}
	usd, met := s.run()
	if met && usd < s.usd {
		s.best = plan
		s.base = nil
		s.usd = usd
	}
	return met, nil
}

// run ends a run, and returns what it costs, USD, and whether it meets the objective.
func (s *search) run() (usd float64, met bool) {
	total := s.world.Run()
	job := &total.Jobs[0]
	return total.Bill.Total(), job.Finished && job.Elapsed <= s.config.Jobs[0].Objective.Within
}

// factors are how many times Lambda a unit of progress may be worth.
var factors = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.03, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4}

// judgeShared shares the time between schedules that are late and those that are not.
func (s *search) judgeShared(tried []attempt) error {
	for i, a := range tried {
		for _, b := range tried[i+1 : min(i+4, len(tried))] {
			if a.met == b.met {
				continue
			}
			if err := s.judgeSwitch(a, b); err != nil {
				return err
			}
			if err := s.judgeSwitch(b, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeSwitch looks for the instant at which to go from one schedule to another, of which one is met: the latest if
// that is the second.
func (s *search) judgeSwitch(first, second attempt) error {
	from := s.config.Start.Add(s.config.Jobs[0].Submit)
	to := from.Add(s.config.Jobs[0].Objective.Within)
	for range 9 {
		middle := from + (to-from)/2
		met, err := s.judge(join(first.schedule, second.schedule, middle))
		if err != nil {
			return err
		}
		if met == first.met {
			to = middle
		} else {
			from = middle
		}
	}
	return nil
}

// join follows one schedule until an instant, and then another.
func join(first, second schedule, at sim.Time) schedule {
	var out schedule
	for _, s := range first {
		if s.at < at {
			out = append(out, s)
		}
	}
	for i, s := range second {
		if s.at >= at {
			out = append(out, s)
		} else if i+1 == len(second) || second[i+1].at > at {
			out = append(out, step{at, s.workers, s.servers})
		}
	}
	return out
}
