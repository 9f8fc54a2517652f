package sim

import "fmt"

// Run runs the world to its end: the last job's finish, or the horizon.
func (w *World) Run() *Totals {
	w.RunUntil(Never)
	w.close()
	return &w.totals
}

// RunUntil runs everything that happens up to and including t, and reports
// whether the run goes on after it. Run ends it.
//
// At one instant the order is: the market's records (machines come, capacity
// changes, notices, prices; then by pool), the instances (by slot), the jobs,
// the policy's own timer. All of it is applied before waiting requests are
// granted, layouts are laid and the policy is asked, once.
func (w *World) RunUntil(t Time) bool {
	last := min(t, w.end)
	for {
		at, slot := w.timers.First()
		fromPolicy := w.wake < at
		at = min(at, w.wake)
		fromMarket := w.cursor < len(w.records) && w.records[w.cursor].at <= at
		if fromMarket {
			at = w.records[w.cursor].at
		}
		if at > w.now && w.dirty {
			w.settle()
			continue // which may have set timers
		}
		if w.unfinished == 0 {
			return false
		}
		if at > last {
			w.now = max(w.now, last)
			return last < w.end
		}
		if at > w.past.next {
			w.note(at)
		}
		w.now = at
		w.totals.Events++
		switch {
		case fromMarket:
			r := &w.records[w.cursor]
			w.cursor++
			w.fromMarket(r)
		case fromPolicy: // the last of its instant, and decide sets the timer anew
			w.trigger |= TriggerWake
			w.totals.Wakes++
			w.settle()
		case slot < len(w.inst):
			w.fromInstance(int32(slot))
		default:
			w.fromJob(slot - len(w.inst))
		}
	}
}

// settle ends the present instant: grants, layouts, then the policy.
func (w *World) settle() {
	w.dirty = false
	for w.supply { // again where a job that is lost gives its instances back
		w.supply = false
		w.grantWaiting()
		w.layOut()
	}
	if w.trigger != 0 && w.unfinished > 0 {
		w.decide()
	}
}

// changed notes that the instant changes something that a span shows.
func (w *World) changed() {
	w.touch()
	w.dirty = true
}

func (w *World) fromMarket(r *record) {
	pool := &w.pools[r.pool]
	switch r.kind {
	case recordPrice:
		w.touch()
		if w.watch {
			w.trigger |= TriggerPrice
			w.dirty = true
		}
	case recordCapacity:
		w.touch()
		pool.capacity = int32(r.value)
		for pool.unmarked > pool.capacity { // not announced in time
			w.revoke(w.victim(int(r.pool)))
		}
		w.offer(r.pool)
	case recordWarning:
		for pool.unmarked > int32(r.value) {
			w.markRevoked(w.victim(int(r.pool)), r.at.Add(w.market.pools[r.pool].Notice))
		}
	case recordNodeUp:
		w.touch()
		w.nodes[pool.node+int32(r.value)] = nodeFree
		w.offer(r.pool)
	case recordNodeDown:
		w.touch()
		holder := &w.nodes[pool.node+int32(r.value)]
		if *holder >= 0 {
			w.revoke(*holder)
		}
		*holder = nodeGone
	case recordNodeWarning:
		if i := w.nodes[pool.node+int32(r.value)]; i >= 0 && w.inst[i].gone == Never {
			w.markRevoked(i, r.at.Add(w.market.pools[r.pool].Notice))
		}
	}
}

// offer notes that a pool may have room for requests that wait.
func (w *World) offer(p int32) {
	if w.pools[p].waiting > 0 {
		w.offers.add(int(p))
		w.supply, w.dirty = true, true
	}
}

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
	panic(fmt.Sprintf("sim: Plan.AskAgain: policy %s asks to be asked again for the %dth time at one instant, %v after the start; reason %q, plan of the first active job %+v",
		w.cfg.Policy.Name(), maxAsks, w.now.Sub(w.start), w.plan.why, first))
}

// ask asks the policy once and puts its plan in force. What that brings about is the
// plan's own doing, of which the policy is told notices only.
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

// planChanged reports whether the plan wants anything else than is in force, for
// jobs that are submitted and not done.
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

// canRefill drops the wish to fill holes where there are none.
func (p *JobPlan) canRefill(s *jobState) bool {
	p.Refill = s.layout.Holes > 0
	return p.Refill
}

// same reports whether a and b, which are as long, are equal. Most often they
// are: it looks at all of them rather than branch at each.
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
			w.request(j, p, int32(ask))
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

// close books everything until the end of the run.
func (w *World) close() {
	w.touch()
	for j := range w.jobs {
		s := &w.jobs[j]
		s.settle(w.now)
		s.book(w.now)
		for p := range w.pools {
			w.pay(j, p)
		}
	}
	w.finishTotals()
	w.emitSpan()
}
