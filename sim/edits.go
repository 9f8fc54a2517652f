package sim

// What a Scheduler changed: the world looks at the jobs that it edited only.

// compareEdited is comparePlan for a Scheduler: of the edited jobs, those remain that the plan
// changes.
func (w *World) compareEdited() (changed, saves bool) {
	if w.packs {
		return w.comparePacked()
	}
	left := 0
	for _, j := range w.plan.edited {
		p, s := &w.plan.Jobs[j], &w.jobs[j]
		p.edited = false
		saves = saves || p.Save
		if p.Servers < 0 || p.Workers < 0 || p.Done || len(p.GiveBack) > 0 {
			p.refuse()
		}
		if p.Refill && p.canRefill(s) || p.Drain && s.noticed() || int32(p.Pipelines) != s.pipelines ||
			int32(p.Stages) != s.stages || int32(p.Servers) != s.servers || int32(p.Priority) != s.priority || !s.holds(p.parts) {
			changed = true
		} else if !p.Save {
			continue
		}
		w.plan.edited[left] = j
		left++
	}
	w.plan.edited = w.plan.edited[:left]
	if !changed && !saves {
		w.plan.edited = w.plan.edited[:0]
	}
	return changed, saves
}

// holds reports whether the plan in force is to hold the parts.
func (s *jobState) holds(parts []Part) bool {
	total := 0
	for _, x := range parts {
		n := 0
		for k, p := range s.layout.Pools {
			if p == x.Pool {
				n = s.hold[k]
			}
		}
		if n != int(x.N) {
			return false
		}
		total += n
	}
	for _, n := range s.hold {
		total -= n
	}
	return total == 0
}

// adoptEdited puts the plans of the edited jobs in force, in the order of the edits. What they all give
// back is given back first; what is wanted beyond a quota is refused.
func (w *World) adoptEdited() {
	if w.packs {
		w.adoptPacked()
		return
	}
	for _, j := range w.plan.edited {
		s := &w.jobs[j]
		for k := range s.held {
			w.pools[s.poolOf(k)].asked -= s.held[k].want
		}
	}
	for _, j := range w.plan.edited {
		w.adoptParts(int(j))
		w.adoptLayout(int(j))
	}
}

// adoptParts requests and releases instances as the plan of job j says.
func (w *World) adoptParts(j int) {
	p, s := &w.plan.Jobs[j], &w.jobs[j]
	if s.priority != int32(p.Priority) {
		w.reprioritise(j, int32(p.Priority))
	}
	clear(s.hold)
	for _, x := range p.parts {
		s.hold[w.open(j, int(x.Pool), w.now)] = int(x.N)
	}
	for k := range s.hold {
		at := s.poolOf(k)
		pool, ask := &w.pools[at], int32(s.hold[k])
		if room := int32(w.market.pools[at].Quota) - pool.asked; ask > room {
			w.totals.QuotaRefusals += int64(ask - room)
			ask = room
		}
		pool.asked += ask
		if ask != s.held[k].want {
			w.request(j, at, ask)
		}
	}
	p.parts = trim(p.parts)
}

// trim drops the parts of which nothing is held.
func trim(parts []Part) []Part {
	left := parts[:0]
	for _, x := range parts {
		if x.N > 0 {
			left = append(left, x)
		}
	}
	return left
}

// reprioritise puts the waiting requests of job j where their new priority says.
func (w *World) reprioritise(j int, priority int32) {
	s := &w.jobs[j]
	for k := range s.held {
		if s.held[k].waiting > 0 {
			w.ask(j, s.poolOf(k), false)
		}
	}
	s.priority = priority
	for k := range s.held {
		if s.held[k].waiting > 0 {
			w.ask(j, s.poolOf(k), true)
		}
	}
}

// saveEdited starts the saves that the plan asks for.
func (w *World) saveEdited() {
	for _, j := range w.plan.edited {
		if w.plan.Jobs[j].Save {
			w.save(int(j))
		}
	}
}

// close books what job j has cost and done, now that it is over or the run ends.
func (w *World) close(j int) {
	s := &w.jobs[j]
	for k := range s.held {
		s.held[k].pay(&w.pools[s.poolOf(k)], w.now)
		w.charge(j, k)
	}
	rest := w.billRestOf(j)
	w.closed.add(&rest)
	s.bill.add(&rest)
	t := &w.jobTotals
	if w.stream == nil {
		t = &w.totals.Jobs[s.id]
	}
	*t = JobTotals{}
	w.finishJobTotals(j, t)
	if w.cfg.JobRecorder != nil {
		w.cfg.JobRecorder.Ended(s.id, &w.specs[j], t)
	}
	w.plan.Jobs[j].active = false
	if w.recorder != nil {
		w.overJobs = append(w.overJobs, j)
	}
	if w.stream != nil {
		w.ended = append(w.ended, j)
	}
}

// closeAll closes the jobs that are not done when the run ends.
func (w *World) closeAll() {
	w.compact()
	if w.packs {
		w.closeHosts()
	}
	for _, j := range w.activeJobs {
		s := &w.jobs[j]
		s.settle(w.now)
		s.account(w.now)
		w.cut(j)
		w.close(j)
	}
	if w.stream == nil && w.unfinished > 0 {
		for j := range w.totals.Jobs {
			if w.jobs[j].phase == phaseUnsubmitted {
				w.finishJobTotals(j, &w.totals.Jobs[j])
			}
		}
	}
	w.billRest()
	w.totals.End, w.totals.Bill = w.now, w.bill()
	w.finishPools()
	w.finishUnallocated()
	w.emitSpan()
}
