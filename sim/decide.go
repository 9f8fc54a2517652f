package sim

import (
	"fmt"
	"time"
)

// maxAsks bounds how often the policy is asked at one instant: a plan that asks
// again so often never settles.
const maxAsks = 100

// decide asks the policy, and again as long as its plan says so or an instance that
// it asked for comes under notice at once: such an instance cannot be given back, so
// there are at most as many as the quotas allow.
func (w *World) decide() {
	w.ask()
	for asks := 1; (w.plan.again || w.trigger != 0) && w.unfinished > 0; {
		if w.plan.again {
			if asks++; asks > maxAsks {
				w.neverSettles()
			}
			w.trigger |= TriggerAgain
		}
		w.ask()
	}
	w.wake = w.plan.wake
}

// neverSettles panics with what the policy asked for last.
func (w *World) neverSettles() {
	first := JobPlan{}
	if len(w.activeJobs) > 0 {
		first = w.plan.Jobs[w.activeJobs[0]]
	}
	panic(fmt.Sprintf("sim: Plan.AskAgain: policy %s asks to be asked again for the %dth time at one instant, "+
		"%v after the start; reason %q, plan of the first active job %+v",
		w.cfg.Policy.Name(), maxAsks, w.now.Sub(w.start), w.plan.why, first))
}

// A policy that is woken so often in a row, each time this soon after the last, makes
// no progress: a run of some hours would take for ever.
const (
	mostRestless = 10_000
	soon         = time.Millisecond
)

// checkRest panics where the policy asks to be woken at once, again and again.
func (w *World) checkRest() {
	since := w.now.Sub(w.woken)
	w.woken = w.now
	if since >= soon {
		w.restless = 0
		return
	}
	if w.restless++; w.restless >= mostRestless {
		panic(fmt.Sprintf("sim: Plan.WakeIn: policy %s asks for the %dth time in a row to be woken at once (after %v), %v after the start; reason %q; "+
			"Plan.AskAgain asks again at one instant", w.cfg.Policy.Name(), mostRestless, since, w.now.Sub(w.start), w.plan.why))
	}
}

// ask asks the policy once and puts its plan in force. Of what the plan itself
// causes the policy is told notices only.
func (w *World) ask() {
	w.totals.Decisions++
	w.asked, w.trigger = w.trigger, 0
	w.plan.reset(w.now)
	w.cfg.Policy.Decide(View{w}, &w.plan)
	if w.plan.keep > 0 {
		w.remember()
	}
	changed := w.planChanged()
	if w.plan.recorded {
		w.recorder.Decision(View{w}, &w.plan, changed)
	}
	if changed {
		w.totals.PlanChanges++
		w.touch()
		w.adopt()
		w.grantWaiting()
		w.layOut()
	}
	for _, j := range w.activeJobs {
		if w.plan.Jobs[j].Save {
			w.save(j)
		}
	}
	w.trigger &= TriggerNotice
}

// planChanged reports whether the plan differs from what is in force, for active jobs.
func (w *World) planChanged() bool {
	n := len(w.pools)
	for _, j := range w.activeJobs {
		p, s := &w.plan.Jobs[j], &w.jobs[j]
		p.check()
		if p.Refill && p.canRefill(s) || p.Drain && w.noticed(j) || p.Pipelines != int(s.pipelines) || p.Stages != int(s.stages) ||
			p.Servers != int(s.servers) || !same(w.holds[j*n:(j+1)*n], w.plans[j*n:(j+1)*n]) {
			return true
		}
	}
	return false
}

// canRefill drops the request to fill holes where there are none.
func (p *JobPlan) canRefill(s *jobState) bool {
	p.Refill = s.layout.Holes > 0
	return p.Refill
}

// same reports whether a and b, of equal length, are equal. They mostly are, so it
// compares all elements instead of branching at each.
func same(a, b []int) bool {
	b = b[:len(a)]
	differ := 0
	for i := range a {
		differ |= a[i] ^ b[i]
	}
	return differ == 0
}

// adopt puts the plan in force, as far as the quotas allow.
func (w *World) adopt() {
	n := len(w.pools)
	for p := range w.pools {
		room := w.market.pools[p].Quota
		for _, j := range w.activeJobs {
			i := j*n + p
			ask := w.holds[i]
			w.plans[i] = ask
			if ask < 0 {
				panic("sim: Plan: a negative number of instances")
			}
			if ask > room {
				w.totals.QuotaRefusals += int64(ask - room)
				ask = room
			}
			room -= ask
			if int32(ask) != w.holding(j, p).want {
				w.request(j, p, int32(ask))
			}
		}
	}
	for _, j := range w.activeJobs {
		p, s := &w.plan.Jobs[j], &w.jobs[j]
		if s.pipelines != int32(p.Pipelines) || s.stages != int32(p.Stages) {
			s.pipelines, s.stages, s.laidOut = int32(p.Pipelines), int32(p.Stages), false
		}
		if p.Refill && s.layout.Holes > 0 {
			s.refill, s.laidOut = true, false
		}
		p.Refill = false
		if p.Drain && w.noticed(j) {
			w.drain(j)
		}
		w.setServers(j, p.Servers)
	}
}

// setServers gives job j the number of parameter servers that the plan wants.
// They are on demand and ready at once; Model.Change says what the change costs.
func (w *World) setServers(j, n int) {
	if n < 0 {
		panic("sim: Plan: a negative number of parameter servers")
	}
	s := &w.jobs[j]
	if s.active() && int(s.servers) != n {
		s.serverUSD += w.serverCost(j)
		s.unserved = s.unserved || n == 0
		s.servers, s.serversSince = int32(n), w.now
		s.laidOut, w.supply = false, true
	}
}
