package sim

import (
	"fmt"
	"math/bits"
)

// maxAsks bounds how often the policy is asked at one instant: a plan that asks
// again so often never settles.
const maxAsks = 100

// Unsettled is what a run panics with whose policy asks to be asked again without end, so that time stands still. It is
// an error of the policy.
type Unsettled struct{ text string }

func (u *Unsettled) Error() string { return u.text }

// PolicyFailed marks the failure as the policy's, not the simulator's.
func (*Unsettled) PolicyFailed() {}

// neverSettles panics with what the policy asked for last.
func (w *World) neverSettles() {
	first := JobPlan{}
	if len(w.activeJobs) > 0 {
		first = w.plan.Jobs[w.activeJobs[0]]
	}
	panic(&Unsettled{fmt.Sprintf("sim: Plan.AskAgain: policy %s asks to be asked again for the %dth time at one instant, "+
		"%v after the start; reason %q, plan of the first active job %+v",
		w.cfg.Policy.Name(), maxAsks, w.now.Sub(w.start), w.plan.why, first)})
}

// A policy that is woken so often in a row, each time this soon after the last, makes
// no progress: a run of some hours would take for ever.
const (
	mostRestless = 10_000
	soon         = 1000 // microseconds
)

// checkRest looks at how soon the policy is woken after the last time.
func (w *World) checkRest() {
	if w.now-w.woken < soon {
		w.countHaste()
	} else {
		w.restless = 0
	}
	w.woken = w.now
}

// countHaste panics where the policy asks to be woken at once, again and again.
func (w *World) countHaste() {
	if w.restless++; w.restless >= mostRestless {
		panic(&Unsettled{fmt.Sprintf("sim: Plan.WakeIn: policy %s asks for the %dth time in a row to be woken at once (after %v), %v after the start; reason %q; "+
			"Plan.AskAgain asks again at one instant", w.cfg.Policy.Name(), mostRestless, w.now.Sub(w.woken), w.now.Sub(w.start), w.plan.why)})
	}
}

// decide asks the policy and puts its plan in force; again as long as the plan says so
// or an instance that it asked for comes under notice at once: such an instance cannot
// be given back, so there are at most as many as the quotas allow. Of what the plan
// itself causes the policy is told notices only.
func (w *World) decide() {
	for again := 0; ; {
		w.totals.Decisions++
		w.asked, w.trigger = w.trigger, 0
		w.plan.reset(w.now)
		w.cfg.Policy.Decide(View{w}, &w.plan)
		if w.plan.keep > 0 {
			w.remember()
		}
		if w.many {
			w.freeSlots()
		}
		changed, saves := w.comparePlan()
		if w.plan.recorded {
			w.recorder.Decision(View{w}, &w.plan, changed)
		}
		if changed {
			w.adopt()
		}
		if saves {
			w.saveJobs()
		}
		if w.many {
			w.plan.edited = w.plan.edited[:0]
		}
		why := w.trigger & TriggerNotice &^ w.plan.skip
		if w.plan.again {
			if again++; again == maxAsks {
				w.neverSettles()
			}
			why |= TriggerAgain
		}
		w.trigger = why
		if why == 0 || w.unfinished == 0 {
			break
		}
	}
	w.wake = w.plan.wake
	if len(w.plan.waits) > 0 {
		w.lookOut()
	}
}

// comparePlan reports whether the plan differs from what is in force, for active
// jobs, and whether it asks for saves.
func (w *World) comparePlan() (changed, saves bool) {
	if w.many {
		return w.compareEdited()
	}
	for _, j := range w.activeJobs {
		p, s := &w.plan.Jobs[j], &w.jobs[j]
		if len(p.Hold) != len(s.hold) || p.Workers < 0 {
			p.refuse()
		}
		saves = saves || p.Save
		// Most decisions change nothing, so that few branches are to be found out first.
		if (p.Refill || p.Drain || p.Done || len(p.GiveBack) > 0) && p.asks(s) ||
			(int32(p.Pipelines)^s.pipelines)|(int32(p.Stages)^s.stages)|(int32(p.Servers)^s.servers) != 0 || !same(p.Hold, s.hold) {
			if p.Servers < 0 {
				p.refuse()
			}
			changed = true
		}
	}
	return changed, saves
}

// asks reports whether the plan asks for anything but numbers.
func (p *JobPlan) asks(s *jobState) bool {
	return p.Refill && p.canRefill(s) || p.Drain && s.noticed() || p.Done || len(p.GiveBack) > 0
}

// canRefill drops the request to fill holes where there are none.
func (p *JobPlan) canRefill(s *jobState) bool {
	p.Refill = s.layout.Holes > 0
	return p.Refill
}

// same reports whether a and b, of equal length, are equal. They mostly are, so it
// compares four elements at once instead of branching at each.
func same(a, b []int) bool {
	b = b[:len(a)]
	differ, i := 0, 0
	for ; i < len(a)-3; i += 4 {
		differ |= (a[i] ^ b[i]) | (a[i+1] ^ b[i+1]) | (a[i+2] ^ b[i+2]) | (a[i+3] ^ b[i+3])
	}
	for ; i < len(a); i++ {
		differ |= a[i] ^ b[i]
	}
	return differ == 0
}

// saveJobs starts the saves that the plan asks for.
func (w *World) saveJobs() {
	if w.many {
		w.saveEdited()
		return
	}
	for _, j := range w.activeJobs {
		if w.plan.Jobs[j].Save {
			w.save(j)
		}
	}
}

// adopt puts the plan in force, as far as the quotas and capacity allow.
func (w *World) adopt() {
	w.totals.PlanChanges++
	w.touch()
	if w.many {
		w.adoptEdited()
	} else {
		for _, j := range w.activeJobs {
			w.nameFirst(j, w.plan.Jobs[j].GiveBack, true)
		}
		w.adoptHolds()
		for _, j := range w.activeJobs {
			p := &w.plan.Jobs[j]
			w.nameFirst(j, p.GiveBack, false)
			p.GiveBack = p.GiveBack[:0]
			w.adoptLayout(j)
		}
		w.endDone()
	}
	w.grantWaiting()
	w.layOut()
}

// endDone ends the jobs that the plan says are done.
func (w *World) endDone() {
	for k := 0; k < len(w.activeJobs); {
		j := w.activeJobs[k]
		if !w.plan.Jobs[j].Done {
			k++
			continue
		}
		w.accountJob(j, w.now)
		w.jobs[j].settle(w.now)
		w.finish(j, phaseDone)
	}
}

// adoptHolds requests and releases instances, of the pools of which some job asks for something else, or got less than it
// asked for.
func (w *World) adoptHolds() {
	for first := 0; first < len(w.pools); first += 64 {
		revised := uint64(0) // pools from first on
		for _, j := range w.activeJobs {
			revised |= w.revised(j, first)
		}
		for ; revised != 0; revised &= revised - 1 {
			w.adoptHold(first + bits.TrailingZeros64(revised))
		}
	}
	for i := range w.market.limits {
		w.countRefused(&w.market.limits[i])
	}
}

// revised returns, one bit each, of which of 64 pools job j asks for something else than is in force: without a branch for each.
func (w *World) revised(j, first int) (pools uint64) {
	last := min(first+64, len(w.pools))
	s, hold := &w.jobs[j], w.plan.Jobs[j].Hold[first:last]
	before, held := s.hold[first:last], s.held[first:last]
	for p, ask := range hold {
		other := uint64(0)
		if (ask^before[p])|(ask^int(held[p].want)) != 0 {
			other = 1
		}
		pools |= other << (p & 63)
	}
	return pools
}

// adoptHold requests and releases instances of pool p.
func (w *World) adoptHold(p int) {
	room := int(w.pools[p].quota)
	for _, j := range w.activeJobs {
		s := &w.jobs[j]
		ask := w.plan.Jobs[j].Hold[p]
		s.hold[p] = ask
		if uint(ask) > uint(room) {
			ask = w.refuse(ask, room)
		}
		room -= ask
		if int32(ask) != s.held[p].want {
			w.request(j, p, int32(ask))
		}
	}
}

// refuse counts what is asked beyond the quota, and returns what is left.
func (w *World) refuse(ask, room int) int {
	if ask < 0 {
		panic("sim: Plan: a negative number of instances")
	}
	w.totals.QuotaRefusals += int64(ask - room)
	return room
}

// countRefused counts what the plan asks for beyond a quota over several pools; it waits.
func (w *World) countRefused(l *Limit) {
	asked := 0
	for _, p := range l.Pools {
		for _, j := range w.activeJobs {
			asked += int(w.holding(j, p).want)
		}
	}
	w.totals.QuotaRefusals += int64(max(asked-l.Instances, 0))
}

// adoptLayout takes over what the plan says of the layout, places and servers of job j.
func (w *World) adoptLayout(j int) {
	p, s := &w.plan.Jobs[j], &w.jobs[j]
	if s.pipelines != int32(p.Pipelines) || s.stages != int32(p.Stages) {
		s.pipelines, s.stages = int32(p.Pipelines), int32(p.Stages)
		w.unlay(j)
	}
	if p.Refill && s.layout.Holes > 0 {
		s.refill = true
		w.unlay(j)
	}
	p.Refill = false
	if p.Drain && s.noticed() {
		w.drain(j)
	}
	w.setServers(j, p.Servers)
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
		w.unlay(j)
		w.supply = true
	}
}
