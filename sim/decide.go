package sim

import "fmt"

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
	if active := w.active(); len(active) > 0 {
		first = w.plan.Jobs[active[0]]
	}
	panic(&Unsettled{fmt.Sprintf("sim: Plan.AskAgain: policy %s asks to be asked again "+
		"for the %dth time at one instant, %v after the start; reason %q, plan of the first active job %+v",
		w.cfg.Policy.Name(), maxAsks, w.now.Sub(w.start), w.plan.why, first)})
}

// A policy that is woken so often in a row, each time this soon after the last, makes
// no progress: a run of some hours would take for ever.
const (
	maxQuickWakes = 10_000
	soon          = 1000 // microseconds
)

// checkRest looks at how soon the policy is woken after the last time.
func (w *World) checkRest() {
	if w.now-w.woken < soon {
		w.countQuickWakes()
	} else {
		w.quickWakes = 0
	}
	w.woken = w.now
}

// countQuickWakes panics where the policy asks to be woken at once, again and again.
func (w *World) countQuickWakes() {
	w.quickWakes++
	if w.quickWakes < maxQuickWakes {
		return
	}
	panic(&Unsettled{fmt.Sprintf("sim: Plan.WakeIn: policy %s asks for the %dth time in a row "+
		"to be woken at once (after %v), %v after the start; reason %q; Plan.AskAgain asks again at one instant",
		w.cfg.Policy.Name(), maxQuickWakes, w.now.Sub(w.woken), w.now.Sub(w.start), w.plan.why)})
}

// decide asks the policy and puts its plan in force; again as long as the plan says so
// or an instance that it asked for comes under notice at once: such an instance cannot
// be given back, so there are at most as many as the quotas allow. Of what the plan
// itself causes the policy receives notices only.
func (w *World) decide() {
	for again := 0; ; {
		w.totals.Decisions++
		w.asked = w.trigger
		w.trigger = 0
		w.plan.reset(w.now)
		for _, j := range w.touched {
			w.gangs[j].seen = true
		}
		w.cfg.Policy.Decide(View{w}, &w.plan)
		if w.plan.keep > 0 {
			w.remember()
		}
		w.compactIfMany()
		w.freeSlots()
		w.jobEvents = w.jobEvents[:0]
		jobs, changed, saves := w.comparePlan()
		if w.plan.recorded {
			w.recorder.Decision(View{w}, &w.plan, changed)
		}
		if changed {
			w.apply(jobs)
		}
		if saves {
			w.saveJobs(jobs)
		}
		w.plan.edited = w.plan.edited[:0]
		why := w.trigger & TriggerNotice &^ w.plan.skip
		if w.plan.again {
			if again++; again == maxAsks {
				w.neverSettles()
			}
			why |= TriggerAgain
		}
		if why == 0 && w.disbandParts() {
			why = TriggerAgain
		}
		w.trigger = why
		if why == 0 || w.unfinished == 0 {
			break
		}
	}
	w.wake = w.plan.wake
	if len(w.plan.waits) > 0 {
		w.armConditions()
	}
}

// disbandParts sees to it that no gang holds a part of its instances for longer than a decision: they cost money, and
// cannot train. Where the policy has not been asked since, it is to be asked, and may place the job elsewhere. Else the
// world gives them back and the plan is that the job waits. It reports whether the policy is to be asked.
func (w *World) disbandParts() (ask bool) {
	if len(w.touched) == 0 || w.market.granting { // what was granted in a past is as it was
		return false
	}
	unseen := 0
	for n := 0; n < len(w.touched); n++ { // what one gives back another may get
		j := int(w.touched[n])
		gang := &w.gangs[j]
		job := &w.jobs[j]
		switch {
		case !job.active() || !job.holdsPart(w.fewest(j)):
		case !gang.seen && gang.disbanded != w.now:
			// A policy that places it again at this instant is not asked without end.
			w.touched[unseen] = int32(j)
			unseen++
			ask = true
			continue
		default:
			w.disband(j)
			ask = ask || gang.disbanded != w.now
			gang.disbanded = w.now
		}
		gang.touched = false
	}
	w.touched = w.touched[:unseen]
	return ask
}

// disband gives back what job j holds, and has its plan be to hold nothing.
func (w *World) disband(j int) {
	w.touch()
	w.plan.Stop(j)
	w.plan.Jobs[j].edited = false
	w.plan.edited = w.plan.edited[:0]
	w.applyHold(j, true)
	w.grantWaiting()
	w.layOut()
}

// comparePlan reports whether the plan differs from what is in force, and whether it asks for saves. It returns the
// jobs that are to be looked at: those that a plan by changes changes; all active ones where the policy plans by
// JobPlan.Hold, as what one gives back another may get.
func (w *World) comparePlan() (jobs []int, changed, saves bool) {
	if w.plan.sparse {
		return w.compareEdited()
	}
	jobs = w.active()
	for _, j := range jobs {
		plan := &w.plan.Jobs[j]
		changed = plan.differs(&w.jobs[j]) || changed
		saves = saves || plan.Save
	}
	return jobs, changed, saves
}

// compareEdited is comparePlan where the policy says which jobs it changes.
func (w *World) compareEdited() (jobs []int, changed, saves bool) {
	jobs = w.plan.edited[:0]
	for _, j := range w.plan.edited {
		plan := &w.plan.Jobs[j]
		plan.edited = false
		differs := plan.differs(&w.jobs[j])
		changed = changed || differs
		saves = saves || plan.Save
		if differs || plan.Save {
			jobs = append(jobs, j)
		}
	}
	return jobs, changed, saves
}

// differs reports whether the plan of a job is another than that in force.
func (p *JobPlan) differs(job *jobState) bool {
	if p.Servers < 0 || p.Workers < 0 {
		p.refuse()
	}
	// Most decisions change nothing: then few branches are cheaper than to stop at the first difference.
	other := (int32(p.Pipelines) ^ job.pipelines) | (int32(p.Stages) ^ job.stages)
	other |= (int32(p.Servers) ^ job.servers) | (int32(p.Priority) ^ job.priority)
	return p.holdsOther(job) || other != 0 || (p.Refill || p.Drain || p.Done || len(p.GiveBack) > 0) && p.asks(job)
}

// holdsOther reports whether the plan is to hold something else than that in force.
func (p *JobPlan) holdsOther(job *jobState) bool {
	if job.layout.Pools != nil {
		return !job.holds(p.parts)
	}
	if len(p.Hold) != len(job.hold) {
		p.refuse()
	}
	return !same(p.Hold, job.hold)
}

// asks reports whether the plan asks for anything but numbers.
func (p *JobPlan) asks(job *jobState) bool {
	return p.Refill && p.canRefill(job) || p.Drain && job.noticed() || p.Done || len(p.GiveBack) > 0
}

// canRefill drops the request to fill holes where there are none.
func (p *JobPlan) canRefill(job *jobState) bool {
	p.Refill = job.layout.Holes > 0
	return p.Refill
}

// holds reports whether the plan in force is to hold just these parts.
func (s *jobState) holds(parts []Part) bool {
	total := 0
	for _, part := range parts {
		n := 0
		if k := s.find(int(part.Pool)); k >= 0 {
			n = s.hold[k]
		}
		if n != int(part.N) {
			return false
		}
		total += n
	}
	for _, n := range s.hold {
		total -= n
	}
	return total == 0
}

// same reports whether a and b, of equal length, are equal. They mostly are, so it
// compares four elements at once instead of branching at each.
func same(a, b []int) bool {
	b = b[:len(a)]
	differ := 0
	i := 0
	for ; i < len(a)-3; i += 4 {
		differ |= (a[i] ^ b[i]) | (a[i+1] ^ b[i+1]) | (a[i+2] ^ b[i+2]) | (a[i+3] ^ b[i+3])
	}
	for ; i < len(a); i++ {
		differ |= a[i] ^ b[i]
	}
	return differ == 0
}

// saveJobs starts the saves that the plan asks for.
func (w *World) saveJobs(jobs []int) {
	for _, j := range jobs {
		if w.plan.Jobs[j].Save {
			w.save(j)
		}
	}
}

// apply puts the plan of some jobs in force, as far as the quotas and capacity allow. What jobs hold counts against the
// quotas in the order in which the plan lists them; what is wanted beyond is refused.
func (w *World) apply(jobs []int) {
	w.totals.PlanChanges++
	w.touch()
	for n, j := range jobs {
		w.nameFirst(j, w.plan.Jobs[j].GiveBack, true)
		if job := &w.jobs[j]; n > 0 { // what those before it want comes first
			for k := range job.held {
				w.pools[job.poolOf(k)].asked -= job.held[k].want
			}
		}
	}
	for n, j := range jobs {
		w.applyHold(j, n == 0)
	}
	for i := range w.market.limits {
		w.countRefused(&w.market.limits[i])
	}
	for _, j := range jobs {
		plan := &w.plan.Jobs[j]
		w.nameFirst(j, plan.GiveBack, false)
		plan.GiveBack = plan.GiveBack[:0]
		w.applyLayout(j)
	}
	w.endDone(jobs)
	w.grantWaiting()
	w.layOut()
}

// endDone ends the jobs that the plan says are done, or given up.
func (w *World) endDone(jobs []int) {
	for _, j := range jobs {
		job := &w.jobs[j]
		plan := &w.plan.Jobs[j]
		if !plan.Done || !job.active() {
			continue
		}
		w.accountJob(j, w.now)
		job.settle(w.now)
		if plan.GivenUp {
			w.finish(j, phaseGivenUp)
		} else {
			w.finish(j, phaseDone)
		}
	}
}

// applyHold requests and releases instances as the plan of job j says. What the job has wanted until now is counted in
// poolState.asked, or taken out.
func (w *World) applyHold(j int, counted bool) {
	plan := &w.plan.Jobs[j]
	job := &w.jobs[j]
	if job.priority != int32(plan.Priority) {
		w.reprioritise(j, int32(plan.Priority))
	}
	if job.layout.Pools == nil {
		copy(job.hold, plan.Hold)
	} else {
		clear(job.hold)
		for _, part := range plan.parts {
			job.hold[job.openColumn(int(part.Pool), w.now)] = int(part.N)
		}
		plan.trim()
	}
	for k, ask := range job.hold {
		before := int32(0)
		want := job.held[k].want
		if counted {
			if before = want; int32(ask) == want {
				continue
			}
		}
		pool := &w.pools[job.poolOf(k)]
		if free := int(pool.quota - pool.asked + before); uint(ask) > uint(free) {
			ask = w.refuse(ask, free)
		}
		pool.asked += int32(ask) - before
		if int32(ask) != want {
			w.request(j, k, int32(ask))
		}
	}
}

// trim drops the parts of which nothing is held.
func (p *JobPlan) trim() {
	left := p.parts[:0]
	for _, part := range p.parts {
		switch {
		case part.N > 0:
			left = append(left, part)
			if p.places.isOn() {
				p.places.note(int(part.Pool), len(left)-1)
			}
		case p.places.isOn():
			p.places.at[part.Pool] = 0
		}
	}
	p.parts = left
}

// refuse counts what is asked beyond the quota, and returns what is left.
func (w *World) refuse(ask, free int) int {
	if ask < 0 {
		panic("sim: Plan: a negative number of instances")
	}
	w.totals.QuotaRefusals += int64(ask - free)
	return free
}

// countRefused counts what the plan asks for beyond a quota over several pools; it waits.
func (w *World) countRefused(limit *Limit) {
	asked := 0
	for _, p := range limit.Pools {
		asked += int(w.pools[p].asked)
	}
	w.totals.QuotaRefusals += int64(max(asked-limit.Instances, 0))
}

// reprioritise puts the waiting requests of job j where their new priority says.
func (w *World) reprioritise(j int, priority int32) {
	job := &w.jobs[j]
	for k := range job.held {
		if job.held[k].waiting > 0 {
			w.waitNoMore(j, job.poolOf(k))
		}
	}
	job.priority = priority
	for k := range job.held {
		if job.held[k].waiting > 0 {
			w.waitFor(j, job.poolOf(k))
		}
	}
}
