package sim

import (
	"time"
)

// priceIndex returns the index of the pool's price at now.
func (s *poolState) priceIndex(now Time) int {
	if now >= s.priceUntil {
		s.nextPrice(now)
	}
	return int(s.price)
}

// nextPrice moves on to the price of the pool that holds at now.
func (s *poolState) nextPrice(now Time) {
	x := s.series
	i := x.priceIndex(now, int(s.price))
	s.price, s.priceUntil = int32(i), Never
	if i+1 < len(x.priceAt) {
		s.priceUntil = x.priceAt[i+1]
	}
}

// pay adds what a job owes until now for what it has in a pool.
func (h *holding) pay(pool *poolState, now Time) {
	if h.paid == now {
		return
	}
	if n := h.alive(); n > 0 {
		h.usd += float64(float64(n) * pool.owed(h.paid, now))
	}
	h.paid = now
}

// owed returns what one instance of the pool has cost since from, until now.
func (p *poolState) owed(from, now Time) float64 {
	s, i := p.series, p.priceIndex(now)
	if s.priceAt[i] <= from { // one price all the time
		return s.usd[i] * float64(now-from) / microsecondsPerHour
	}
	return s.costUntil(now, i) - s.costUntil(from, s.find(from))
}

// adjust adds to the bill, or refunds, what the rules say of an instance that ends.
func (w *World) adjust(x *instance, pool *poolState, revoked bool) {
	span := w.now.Sub(x.granted)
	if revoked && w.cfg.Billing.FreeFirstHour && span < time.Hour {
		usd := pool.owed(x.granted, w.now)
		for _, b := range w.billsOf(x) {
			b.Refund += usd
		}
		return
	}
	extra := time.Duration(0)
	if pool.queue == plainPool {
		extra = w.cfg.Billing.topUp(span)
	} else if !w.paidAhead(x) {
		extra = w.cfg.Billing.granularity(pool.facts).topUp(span)
	}
	if extra > 0 {
		usd := pool.series.usd[pool.priceIndex(w.now)] * extra.Hours()
		for _, b := range w.billsOf(x) {
			b.TopUp += usd
		}
	}
}

// billsOf are the bills that what the rules say of an instance goes to: of the run, of its pool and of its job.
func (w *World) billsOf(x *instance) [3]*Bill {
	return [3]*Bill{&w.totals.Bill, &w.totals.Pools[x.pool].Bill, &w.jobs[x.job].bill}
}

// paidAhead reports whether commitments pay all that is held of an instance's pool on demand.
func (w *World) paidAhead(x *instance) bool {
	if len(w.covers) == 0 || !w.market.pools[x.pool].OnDemand {
		return false
	}
	held := w.pools[x.pool].alive
	return w.market.series[x.pool].covered(held, w.now, w.now.plus(1)) == MachineTime(held)
}

// bill returns the cost until now.
func (w *World) bill() Bill {
	b := w.totals.Bill
	w.addOpen(&b)
	if len(w.covers) > 0 {
		w.billCommitments(&b)
	}
	b.tax(w.cfg.Billing.Tax)
	return b
}

// billCommitments adds what is committed, and leaves out what it covers.
func (w *World) billCommitments(b *Bill) {
	for p := range w.pools {
		b.OnDemand -= float64(w.coveredUSD(p, w.now))
		b.Commitments += w.committed(p, w.now)
	}
	b.OnDemand = max(b.OnDemand, 0) // all of it covered, but for rounding
}

// committed returns what the commitments of pool p cost until now.
func (w *World) committed(p int, now Time) (usd float64) {
	for i := range w.market.series[p].commitments {
		usd += w.market.series[p].commitments[i].usd(w.start, now)
	}
	return usd
}

// billRest adds what commitments cost after the run: they are paid to their end.
func (w *World) billRest() {
	w.rest = 0
	for p := range w.covers {
		rest := &w.totals.Pools[p].Bill.Commitments
		for i := range w.market.series[p].commitments {
			c := &w.market.series[p].commitments[i]
			if c.Until != Never {
				usd := c.usd(max(w.start, w.now), c.Until)
				w.rest, *rest = w.rest+usd, *rest+usd
			}
		}
	}
	w.totals.Bill.Commitments = w.rest
}

// billJob adds what job j has cost until now.
func (w *World) billJob(j int, b *Bill) {
	s := &w.jobs[j]
	for k := range s.held {
		w.owe(b, s.poolOf(k), &s.held[k])
	}
	rest := w.billRestOf(j)
	b.add(&rest)
}

// billDisks adds what the disks of job j's instances have cost.
func (w *World) billDisks(j int, b *Bill) {
	if rate := w.cfg.Billing.DiskUSDPerHour; rate > 0 {
		b.Disks += float64(rate * w.instanceTime(j, w.now).Hours())
	}
}

// addOpen adds what is booked, and what the jobs that are not over owe.
func (w *World) addOpen(b *Bill) {
	c := &w.closed
	b.Spot, b.OnDemand = b.Spot+c.Spot, b.OnDemand+c.OnDemand
	b.ParameterServers, b.Storage, b.Checkpoints, b.Disks = c.ParameterServers, c.Storage, c.Checkpoints, c.Disks
	if h := w.hostPool(); h >= 0 {
		w.billDisks(h, b)
		for k := range w.jobs[h].held {
			w.owe(b, w.jobs[h].poolOf(k), &w.jobs[h].held[k])
		}
	}
	for _, j := range w.active() {
		if !w.jobs[j].closed { // as it is at the end of the run
			w.billJob(j, b)
		}
	}
}

// owe adds what a job owes for a pool until now.
func (w *World) owe(b *Bill, p int, h *holding) {
	usd := h.usd
	if h.paid < w.now {
		usd += float64(float64(h.alive()) * w.pools[p].owed(h.paid, w.now))
	}
	*b.at(&w.market.pools[p]) += usd
}

// billRestOf returns what job j has cost beside instances, transfers, and what the rules add when instances end.
func (w *World) billRestOf(j int) (b Bill) {
	w.billServices(j, &b)
	if !w.jobs[j].byTasks { // else the disks are the hosts'
		w.billDisks(j, &b)
	}
	return b
}

// billServices adds what job j's parameter servers and storage cost.
func (w *World) billServices(j int, b *Bill) {
	s, spec := &w.jobs[j], &w.specs[j]
	if s.phase == phaseUnsubmitted {
		return
	}
	kept := min(s.finish, w.now).Sub(s.submit)
	b.ParameterServers += s.serverUSD + w.serverCost(j)
	b.Storage += float64(spec.StorageGB * spec.StoragePrice * kept.Hours() / hoursPerMonth)
	if spec.Checkpoints.Keep > 0 {
		s.secure(w.now)
		s.copies.until(min(s.finish, w.now))
		b.Checkpoints += float64(spec.Checkpoints.GB * spec.Checkpoints.Price * (float64(s.copies.kept) / microsecondsPerHour) / hoursPerMonth)
	}
}

// chargeServices adds what the billing rules add for the parameter servers that job
// j holds when it ends, as if all had been there since its submission.
func (w *World) chargeServices(j int) {
	extra := w.cfg.Billing.topUp(w.jobs[j].finish.Sub(w.jobs[j].submit))
	topUp := Bill{TopUp: float64(w.serverPrice(j) * extra.Hours())}
	w.totals.Bill.add(&topUp)
	w.jobs[j].bill.add(&topUp)
}

// serverCost returns what the parameter servers of job j cost since their number
// last changed, USD.
func (w *World) serverCost(j int) float64 {
	s := &w.jobs[j]
	return float64(w.serverPrice(j) * min(s.finish, w.now).Sub(s.serversSince).Hours())
}

// serverPrice returns what job j's parameter servers cost, USD per hour.
func (w *World) serverPrice(j int) float64 {
	if w.cfg.Billing.SkipParameterServers || w.jobs[j].servers == 0 {
		return 0
	}
	return float64(w.jobs[j].servers) * w.specs[j].ParameterServerPrice
}
