package sim

import "time"

// priceIndex returns the index of the pool's price at now.
func (s *poolState) priceIndex(now Time) int {
	if now >= s.priceUntil {
		s.nextPrice(now)
	}
	return int(s.price)
}

// nextPrice moves on to the price of the pool that holds at now.
func (s *poolState) nextPrice(now Time) {
	series := s.series
	i := series.priceIndex(now, int(s.price))
	s.price = int32(i)
	s.priceUntil = Never
	if i+1 < len(series.priceAt) {
		s.priceUntil = series.priceAt[i+1]
	}
}

// owed returns what one instance of the pool has cost since from, until now.
func (p *poolState) owed(from, now Time) float64 {
	series := p.series
	i := p.priceIndex(now)
	if series.priceAt[i] <= from { // one price all the time
		return series.usd[i] * float64(now-from) / microsecondsPerHour
	}
	return series.costUntil(now, i) - series.costUntil(from, series.find(from))
}

// billsOf are the bills that what the rules say of an instance goes to: of the run, of its pool and of its job.
func (w *World) billsOf(inst *instance) (run, pool, job *Bill) {
	return &w.totals.Bill, &w.totals.Pools[inst.pool].Bill, &w.jobs[inst.job].bill
}

// paidAhead reports whether commitments pay all that is held of an instance's pool on demand.
func (w *World) paidAhead(inst *instance) bool {
	if len(w.covers) == 0 || !w.market.pools[inst.pool].OnDemand {
		return false
	}
	held := w.pools[inst.pool].alive
	return w.market.series[inst.pool].covered(held, w.now, w.now.plus(1)) == MachineTime(held)
}

// bill returns the cost until now.
func (w *World) bill() Bill {
	bill := w.totals.Bill
	w.addOpen(&bill)
	if len(w.covers) > 0 {
		w.billCommitments(&bill)
	}
	bill.tax(w.cfg.Billing.Tax)
	return bill
}

// BillAfter returns what the run will have cost after a span, USD, if until then job j has what it has now and all that
// hold asks for, and gives all of it back at that instant: at the prices of now, with what the billing rules add when
// instances end. Commitments are taken to cover nothing more.
func (v View) BillAfter(j int, hold []int, span time.Duration) float64 {
	w := v.w
	at := w.now.Add(span)
	rules := &w.cfg.Billing
	disk := rules.DiskUSDPerHour * span.Hours()
	usd := 0.0
	for p := range w.pools {
		pool := &w.pools[p]
		billed := rules.granularity(pool.facts)
		price := v.Price(p)
		more := hold[p]
		for _, i := range w.membersOf(pool) {
			inst := &w.inst[i]
			if int(inst.job) != j {
				continue
			}
			usd += price*(span+billed.topUp(at.Sub(inst.granted))).Hours() + disk
			if !inst.announced {
				more--
			}
		}
		if more > 0 {
			usd += float64(more) * (price*(span+billed.topUp(span)).Hours() + disk)
		}
	}
	servers := span + rules.topUp(at.Sub(w.jobs[j].submit))
	usd += w.serverPrice(j) * servers.Hours()
	bill := w.bill()
	return bill.Total() + usd*(1+rules.Tax)
}

// Billed returns for how long an instance of pool p is billed that is held for a span, by the billing rules.
func (v View) Billed(p int, span time.Duration) time.Duration {
	rules := v.w.cfg.Billing.granularity(&v.w.market.pools[p])
	return span + rules.topUp(span)
}

// billCommitments adds what is committed, and leaves out what it covers.
func (w *World) billCommitments(bill *Bill) {
	for p := range w.pools {
		bill.OnDemand -= float64(w.coveredUSD(p, w.now))
		bill.Commitments += w.committed(p, w.now)
	}
	bill.OnDemand = max(bill.OnDemand, 0) // all of it covered, but for rounding
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
			commitment := &w.market.series[p].commitments[i]
			if commitment.Until != Never {
				usd := commitment.usd(max(w.start, w.now), commitment.Until)
				w.rest = w.rest + usd
				*rest = *rest + usd
			}
		}
	}
	w.totals.Bill.Commitments = w.rest
}

// billJob adds what job j has cost until now.
func (w *World) billJob(j int, bill *Bill) {
	job := &w.jobs[j]
	for k := range job.held {
		w.owe(bill, job.poolOf(k), &job.held[k])
	}
	rest := w.billRestOf(j)
	bill.add(&rest)
}

// billDisks adds what the disks of job j's instances have cost.
func (w *World) billDisks(j int, bill *Bill) {
	if rate := w.cfg.Billing.DiskUSDPerHour; rate > 0 {
		bill.Disks += float64(rate * w.instanceTime(j, w.now).Hours())
	}
}

// addOpen adds what is booked, and what the jobs that are not over owe.
func (w *World) addOpen(bill *Bill) {
	closed := &w.closed
	bill.Spot = bill.Spot + closed.Spot
	bill.OnDemand = bill.OnDemand + closed.OnDemand
	bill.ParameterServers = closed.ParameterServers
	bill.Storage = closed.Storage
	bill.Checkpoints = closed.Checkpoints
	bill.Disks = closed.Disks
	bill.Transfers += closed.Transfers // of training: moves are in it
	for _, j := range w.active() {
		if !w.jobs[j].closed { // as it is at the end of the run
			w.billJob(j, bill)
		}
	}
}

// owe adds what a job owes for a pool until now.
func (w *World) owe(bill *Bill, p int, held *holding) {
	usd := held.usd
	if held.paid < w.now {
		usd += float64(float64(held.alive()) * w.pools[p].owed(held.paid, w.now))
	}
	*bill.at(&w.market.pools[p]) += usd
}

// billRestOf returns what job j has cost beside instances, transfers, and what the rules add when instances end.
func (w *World) billRestOf(j int) (bill Bill) {
	w.billServices(j, &bill)
	w.billDisks(j, &bill)
	return bill
}

// billServices adds what job j's parameter servers and storage cost.
func (w *World) billServices(j int, bill *Bill) {
	job := &w.jobs[j]
	spec := &w.specs[j]
	if job.phase == phaseUnsubmitted {
		return
	}
	bill.Transfers += job.trafficUSD(w.now)
	bill.ParameterServers += job.serverUSD + w.serverCost(j)
	if spec.StorageGB > 0 {
		kept := min(job.finish, w.now).Sub(job.submit)
		bill.Storage += float64(spec.StorageGB * spec.StoragePrice * kept.Hours() / hoursPerMonth)
	}
	if spec.Checkpoints.Keep > 0 {
		job.secure(w.now)
		job.copies.until(min(job.finish, w.now))
		hours := float64(job.copies.kept) / microsecondsPerHour
		bill.Checkpoints += float64(spec.Checkpoints.GB * spec.Checkpoints.Price * hours / hoursPerMonth)
	}
}

// chargeServices adds what the billing rules add for the parameter servers that job
// j holds when it ends, as if all had been there since its submission.
func (w *World) chargeServices(j int) {
	job := &w.jobs[j]
	price := w.serverPrice(j)
	if price == 0 {
		return
	}
	usd := float64(price * w.cfg.Billing.topUp(job.finish.Sub(job.submit)).Hours())
	w.totals.Bill.TopUp += usd
	job.bill.TopUp += usd
}

// serverCost returns what the parameter servers of job j cost since their number
// last changed, USD.
func (w *World) serverCost(j int) float64 {
	job := &w.jobs[j]
	price := w.serverPrice(j)
	if price == 0 {
		return 0
	}
	return float64(price * min(job.finish, w.now).Sub(job.serversSince).Hours())
}

// serverPrice returns what job j's parameter servers cost, USD per hour.
func (w *World) serverPrice(j int) float64 {
	if w.cfg.Billing.SkipParameterServers || w.jobs[j].servers == 0 {
		return 0
	}
	return float64(w.jobs[j].servers) * w.specs[j].ParameterServerPrice
}

// PerSecond returns the rules of AWS and GCP: by the second, one minute at least.
func PerSecond() Billing { return Billing{Increment: time.Second, Minimum: time.Minute} }

// topUp returns what the rules add to a billed time of span.
func (b *Billing) topUp(span time.Duration) time.Duration {
	return Granularity{b.Increment, b.Minimum}.topUp(span)
}

func (g Granularity) topUp(span time.Duration) time.Duration {
	paid := max(span, g.Minimum)
	if g.Increment > 0 {
		if part := paid % g.Increment; part != 0 {
			paid += g.Increment - part
		}
	}
	return paid - span
}

// granularity returns the rules of a pool.
func (b *Billing) granularity(p *Pool) Granularity {
	if p.Granularity != nil {
		return *p.Granularity
	}
	return Granularity{b.Increment, b.Minimum}
}

// usd returns what the commitment costs from start until now.
func (c *Commitment) usd(start, now Time) float64 {
	paid := max(min(c.Until, now)-max(c.From, start), 0)
	return float64(float64(c.Instances) * c.USDPerHour * float64(paid) / microsecondsPerHour)
}

// at returns the part for instances, of a pool.
func (b *Bill) at(p *Pool) *float64 {
	if p.OnDemand {
		return &b.OnDemand
	}
	return &b.Spot
}

// add adds a bill.
func (b *Bill) add(x *Bill) {
	b.Spot += x.Spot
	b.OnDemand += x.OnDemand
	b.ParameterServers += x.ParameterServers
	b.Storage += x.Storage
	b.Transfers += x.Transfers
	b.Disks += x.Disks
	b.Checkpoints += x.Checkpoints
	b.Commitments += x.Commitments
	b.TopUp += x.TopUp
	b.Refund += x.Refund
	b.Tax += x.Tax
}

// tax sets the tax on all the rest.
func (b *Bill) tax(share float64) { b.Tax = float64(share * b.net()) }

// Total returns the sum to pay, USD.
func (b *Bill) Total() float64 { return b.net() + b.Tax }

// net is the sum without tax.
func (b *Bill) net() float64 {
	return b.Spot + b.OnDemand + b.ParameterServers + b.Storage + b.Transfers +
		b.Disks + b.Checkpoints + b.Commitments + b.TopUp - b.Refund
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

// adjust adds to the bill, or refunds, what the rules say of an instance that ends.
func (w *World) adjust(inst *instance, pool *poolState, revoked bool) {
	span := w.now.Sub(inst.granted)
	if revoked && w.cfg.Billing.FreeFirstHour && span < time.Hour {
		usd := pool.owed(inst.granted, w.now)
		run, of, job := w.billsOf(inst)
		run.Refund = run.Refund + usd
		of.Refund = of.Refund + usd
		job.Refund = job.Refund + usd
		return
	}
	extra := time.Duration(0)
	if w.jobs[inst.job].phase == phaseDone {
		extra = w.plan.Jobs[inst.job].Linger
		span += extra
	}
	if pool.queue == plainPool {
		extra += w.cfg.Billing.topUp(span)
	} else if !w.paidAhead(inst) {
		extra += w.cfg.Billing.granularity(pool.facts).topUp(span)
	}
	if extra > 0 {
		usd := pool.series.usd[pool.priceIndex(w.now)] * extra.Hours()
		run, of, job := w.billsOf(inst)
		run.TopUp = run.TopUp + usd
		of.TopUp = of.TopUp + usd
		job.TopUp = job.TopUp + usd
	}
}

// moves books what the state of job j costs that moves.
func (w *World) moves(j int, usd float64) {
	w.totals.Bill.Transfers += usd
	w.moved += usd
	w.jobs[j].bill.Transfers += usd
}

// close books what job j has cost and done, now that it is over or the run ends.
func (w *World) close(j int) {
	job := &w.jobs[j]
	for k := range job.held {
		job.held[k].pay(&w.pools[job.poolOf(k)], w.now)
		w.charge(j, k)
	}
	rest := w.billRestOf(j)
	w.closed.add(&rest)
	job.bill.add(&rest)
	totals := w.totalsOf(job.id)
	*totals = JobTotals{}
	w.finishJobTotals(j, totals)
	if w.cfg.JobRecorder != nil {
		w.cfg.JobRecorder.Ended(job.id, &w.specs[j], totals)
	}
	job.closed = true
	w.plan.Jobs[j].active = false
	if w.recorder != nil {
		w.overJobs = append(w.overJobs, j)
	}
	w.jobOver(j)
}

// charge books what job j's k-th column has cost.
func (w *World) charge(j, k int) {
	job := &w.jobs[j]
	p := job.poolOf(k)
	usd := job.held[k].usd
	job.held[k].usd = 0
	pool := &w.market.pools[p]
	*job.bill.at(pool) += usd
	*w.totals.Pools[p].Bill.at(pool) += usd
	*w.closed.at(pool) += usd
}
