package sim

// changed marks the present instant as one that changes what a span shows.
func (w *World) changed() {
	w.touch()
	w.dirty = true
}

// touch is called before anything changes that a span shows.
func (w *World) touch() {
	if w.recorder != nil && w.recordedUntil != w.now {
		w.record()
	}
}

// record fills the span that ends now. The recorder is told it when the next one
// begins, so that its USD has all that is charged at its end.
func (w *World) record() {
	w.emitSpan()
	s := &w.span
	s.From, s.To, w.recordedUntil, w.spanFilled = w.recordedUntil, w.now, w.now, true
	bill := w.bill()
	s.USD = (bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage + bill.Disks + bill.Checkpoints + bill.Commitments) * (1 + w.cfg.Billing.Tax)
	s.Pools, s.Jobs = resize(s.Pools, len(w.pools)), resize(s.Jobs, len(w.jobs))
	for p := range w.pools {
		s.Pools[p] = w.poolSpan(p, s.From)
	}
	for j := range w.jobs {
		x := &w.jobs[j]
		s.Jobs[j] = JobSpan{Activity: x.activity(), Done: w.done(j, w.now), Loss: w.loss(j, w.now)}
		if x.phase == phaseTraining {
			s.Jobs[j].Rate = x.rate.Progress
		}
	}
}

func (w *World) poolSpan(p int, from Time) PoolSpan {
	s := &w.pools[p]
	out := PoolSpan{Price: w.market.Price(p, from), Capacity: int(s.capacity)}
	if s.nodes > 0 {
		out.Capacity = 0
		for _, holder := range w.nodes[s.node : s.node+s.nodes] {
			if holder != nodeGone {
				out.Capacity++
			}
		}
	}
	for _, j := range w.activeJobs {
		h := w.holding(j, p)
		out.Waiting += int(h.waiting)
		out.Starting += int(h.starting)
		out.Ready += int(h.ready)
		out.Noticed += int(h.noticed)
	}
	return out
}
