package sim

import (
	"cmp"
	"slices"
	"time"
)

// State returns what the policy remembers of this run (Stateful), nil for other policies.
// It may change it.
func (v View) State() any { return v.w.state }

// Now returns the present instant, in the time of the traces.
func (v View) Now() Time { return v.w.now }

// Start returns the instant at which the run began.
func (v View) Start() Time { return v.w.start }

// Trigger says why the policy is asked.
func (v View) Trigger() Trigger { return v.w.asked }

// Mode returns the number that the policy noted last (Plan.SetMode), 0 at first.
func (v View) Mode() int { return v.w.plan.mode }

// Asks reports whether p, a pointer, is the policy that the world asks, and not one within another, which
// may have to be asked more often than p (Plan.WaitFor).
func (v View) Asks(p Policy) bool { return v.w.cfg.Policy == p }

// Pools returns the number of pools.
func (v View) Pools() int { return len(v.w.pools) }

// Pool returns what is fixed about pool p. It must not be changed.
func (v View) Pool(p int) *Pool { return &v.w.market.pools[p] }

// Groups returns the pools by cloud, region, zone or instance type. It must not be changed.
func (v View) Groups(by Level) []Group { return v.w.market.groups[by] }

// Limits returns the quotas over several pools. It must not be changed.
func (v View) Limits() []Limit { return v.w.market.limits }

// Price returns the present price of pool p, USD per instance-hour.
func (v View) Price(p int) float64 {
	return v.w.market.series[p].usd[v.w.pools[p].priceIndex(v.w.now)]
}

// PriceAt returns the price of pool p at an instant in the past, USD per
// instance-hour. It panics for one in the future.
func (v View) PriceAt(p int, at Time) float64 {
	if at > v.w.now {
		panic("sim: View.PriceAt: the future is not known")
	}
	return v.w.market.Price(p, max(at, 0))
}

// Bill returns the cost so far, without the rounding up of instances that still run.
func (v View) Bill() Bill { return v.w.bill() }

// Seen returns what has been seen of pool p.
func (v View) Seen(p int) Seen {
	w := v.w
	pool := &v.w.pools[p]
	seen := v.w.seen[p]
	for _, i := range w.membersOf(pool) {
		seen.held += MachineTime(w.now - w.inst[i].granted)
	}
	if pool.alive > 0 {
		seen.occupied += int64(w.now - seen.occupiedSince)
	}
	if pool.waiting > 0 && pool.alive < pool.quota {
		since := Never
		for _, j := range w.waiters[p] {
			since = min(since, w.jobs[j].holding(p).waitingSince)
		}
		seen.wait(since, w.now)
	}
	return Seen{
		RefusedAt: seen.refused, TakenAt: seen.taken,
		Removals: int(seen.removals), Arrivals: int(seen.comes), Grants: int(pool.grants),
		Held: seen.held, Occupied: Time(seen.occupied).Sub(0), Waited: Time(seen.waited).Sub(0),
	}
}

// Held is what a job has and has requested in one pool.
type Held struct {
	Want     int // by the plan in force
	Waiting  int // requested, not granted yet
	Starting int
	Ready    int // not under notice
	Noticed  int // under notice, ready or not
	// WaitingSince is the instant since which the pool has had waiting requests that could be
	// granted, Never if it has none. In a pool of queued capacity (Pool.Wait) it is
	// announced, and in the future at first.
	WaitingSince Time
}

// Active returns the number of instances that start or are ready, without those
// under notice.
func (h Held) Active() int { return h.Starting + h.Ready }

// Held returns what job j has in pool p.
func (v View) Held(j, p int) Held {
	held := v.w.jobs[j].holding(p)
	return Held{Want: int(held.want), Waiting: int(held.waiting), Starting: int(held.starting), Ready: int(held.ready),
		Noticed: int(held.noticed), WaitingSince: held.waitingSince}
}

// Active returns the number of instances of job j in pool p that start or are ready, without those
// under notice: Held.Active.
func (v View) Active(j, p int) int {
	held := v.w.jobs[j].holding(p)
	return int(held.starting + held.ready)
}

// Waiting returns the number of waiting requests of job j in pool p, and the instant
// since which it has had any.
func (v View) Waiting(j, p int) (n int, since Time) {
	held := v.w.jobs[j].holding(p)
	return int(held.waiting), held.waitingSince
}

// AnyWaiting reports whether any job has requests that wait.
func (v View) AnyWaiting() bool { return v.w.asking > 0 }

// Jobs returns the number of jobs; where they come from a Source, that of the slots, of which
// every active job has one.
func (v View) Jobs() int { return len(v.w.jobs) }

// Down reports whether pool p is a server that failed and is not back (Failures.Whole). When it is, the policy is
// asked: TriggerRepair.
func (v View) Down(p int) bool { return len(v.w.groupOf) > 0 && v.w.isDown(p) || v.w.slow.replaced(p) }

// ActiveJobs returns the jobs that are submitted and not done, in the order of their submission. Where there may be
// thousands of jobs, a policy loops over these. It must not be changed or kept.
func (v View) ActiveJobs() []int {
	return v.w.active()
}

// Random returns random numbers for the policy's own use: streams that depend on the seed of
// the run and on nothing else, and say nothing of what the world draws.
func (v View) Random(stream uint64) Stream { return v.w.rand.Stream(PurposePolicy, stream) }

// Instances appends the job's instances to into, in the order of their grants.
func (v JobView) Instances(into []Instance) []Instance {
	from := len(into)
	for i := range v.w.inst[:v.w.live] {
		inst := &v.w.inst[i]
		if inst.state != instanceUnused && int(inst.job) == v.j {
			into = append(into, Instance{
				Pool: int(inst.pool), Ordinal: int(inst.ordinal), Granted: inst.granted,
				Ready: inst.state == instanceReady, Noticed: inst.announced,
			})
		}
	}
	slices.SortFunc(into[from:], func(a, b Instance) int {
		return cmp.Or(cmp.Compare(a.Granted, b.Granted), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return into
}

// Job returns a view of job j.
func (v View) Job(j int) JobView { return JobView{v.w, j} }

// Name returns the name of the job.
func (v JobView) Name() string { return v.w.specs[v.j].Name }

// User returns who submitted the job, Kind what it runs; both are empty where that is not known.
func (v JobView) User() string { return v.w.specs[v.j].User }

// Kind returns what the job runs: see User.
func (v JobView) Kind() string { return v.w.specs[v.j].Kind }

// Claim returns what its user asks of the scheduler: see Job.Claim.
func (v JobView) Claim() any { return v.w.specs[v.j].Claim }

// ID returns the number of the job in the run, from 0 in the order of Config.Jobs or of the
// Source.
func (v JobView) ID() int { return v.w.jobs[v.j].id }

// Submitted returns the instant of the job's submission.
func (v JobView) Submitted() Time { return v.w.jobs[v.j].submit }

// Active reports whether the job is submitted and not finished.
func (v JobView) Active() bool { return v.w.jobs[v.j].active() }

// Begun reports whether training has begun.
func (v JobView) Begun() bool { return v.w.jobs[v.j].begun }

// Want returns the number of instances that the plan in force wants, over all
// pools.
func (v JobView) Want() int { return int(v.w.jobs[v.j].want) }

// Waiting returns the number of waiting requests, over all pools.
func (v JobView) Waiting() int { return int(v.w.jobs[v.j].waiting) }

// WaitingSince returns the earliest instant since which a pool has had waiting
// requests, Never if there are none.
func (v JobView) WaitingSince() Time { return v.w.jobs[v.j].waitingSince }

// UnmetSince returns the instant since which some request has been waiting without a break, in whatever pools: a
// request that one plan withdraws from a pool and another pool is asked for instead has no break. Never if none waits.
func (v JobView) UnmetSince() Time {
	job := &v.w.jobs[v.j]
	if job.waiting == 0 {
		return Never
	}
	return job.unmetSince
}

// Model returns the model that the policy sees (Job.Belief).
func (v JobView) Model() Model { return v.w.believed(v.j) }

// Believed reports whether the model that the policy sees is what is believed of the job, and may not be what it is.
func (v JobView) Believed() bool { return v.w.specs[v.j].Belief != nil }

// Objective returns what the user asked for.
func (v JobView) Objective() Objective { return v.w.specs[v.j].Objective }

// Deadline returns the instant at which the objective time ends.
func (v JobView) Deadline() Time {
	return v.w.jobs[v.j].submit.Add(v.w.specs[v.j].Objective.Within)
}

// Loss returns the present training loss; +Inf before training has begun.
func (v JobView) Loss() float64 { return v.w.loss(v.j, v.w.now) }

// Overrun is the part of a job's believed work that is left of it, by JobView.WorkLeft, however
// much longer than believed it takes.
const Overrun = 0.01

// WorkLeft returns the work that a job of a GangModel has still to do, in the unit of its progress, by the model that
// the policy sees: where that believes in other work than there is (Job.Belief), what is believed less what is done,
// and at least Overrun of what is believed. Only a policy that says so may ask (Traits.KnowsWork); it panics for other
// models.
func (v JobView) WorkLeft() float64 {
	believed := v.Model().(GangModel).Work()
	left := v.Loss()
	work := v.w.specs[v.j].Model.(GangModel).Work()
	if !(left <= work) { // it has not begun
		return believed
	}
	if v.w.specs[v.j].Belief != nil {
		return max(believed-(work-left), Overrun*believed)
	}
	return left
}

// SavedLoss returns the loss from which training goes on if all instances go now and
// the model falls back to the last save: that of the last save that is safe; +Inf
// before training has begun.
func (v JobView) SavedLoss() float64 { return v.w.savedLoss(v.j, v.w.now) }

// Layout returns what the job trains on. It must not be changed or kept.
func (v JobView) Layout() *Layout { return &v.w.jobs[v.j].layout }

// SaveTime returns how long a save on the present layout stops training, by the model
// that the policy sees.
func (v JobView) SaveTime() time.Duration { return v.w.jobs[v.j].saveTime }

// PersistTime returns how long after that pause the save takes to be safe, while training goes on; 0: it is safe at
// once.
func (v JobView) PersistTime() time.Duration { return v.w.jobs[v.j].persistTime }

// Speed returns the present speed of training, normalised iterations per second; 0
// while the job does not train.
func (v JobView) Speed() float64 {
	if job := &v.w.jobs[v.j]; job.phase == phaseTraining {
		return job.rate.Iterations
	}
	return 0
}

// LaidAt returns the instant at which the job was last laid out.
func (v JobView) LaidAt() Time { return v.w.jobs[v.j].laidAt }

// Safe reports whether the last save is safe; true if there was none.
func (v JobView) Safe() bool { return !v.w.persisting(v.j, v.w.now) }

// LastSave returns when the job last saved or, if that is later, when training
// began or resumed from the last save.
func (v JobView) LastSave() Time { return v.w.jobs[v.j].savedAt }

// Resumed returns when training began or, if that is later, last resumed after a
// stall that was no save.
func (v JobView) Resumed() Time { return v.w.jobs[v.j].resumedAt }

// Losses returns the number of instants at which the cloud took ready instances of
// the job: several at once count as one.
func (v JobView) Losses() int { return int(v.w.jobs[v.j].losses) }

// Ran returns for how long so far a job that is a gang (GangModel) has had instances on which it trains, pauses
// included: 0 when it is submitted, and for other jobs.
func (v JobView) Ran() time.Duration {
	if len(v.w.gangs) == 0 {
		return 0
	}
	gang := &v.w.gangs[v.j]
	until := v.w.now
	if !gang.on {
		until = min(until, gang.since)
	}
	return until.Sub(v.w.jobs[v.j].submit) - gang.waited
}

// Training reports whether the job makes progress now.
func (v JobView) Training() bool { return v.w.jobs[v.j].phase == phaseTraining }

// Paused returns when a stall or a save under way ends, Never if there is none.
func (v JobView) Paused() Time {
	if job := &v.w.jobs[v.j]; job.phase == phaseStalled || job.phase == phaseSaving {
		return job.pauseEnd
	}
	return Never
}

// Leaving returns when the cloud takes the next of the instances that are under
// notice and still in the job's layout, Never if there is none.
func (v JobView) Leaving() Time {
	next := Never
	if !v.w.jobs[v.j].noticed() {
		return next
	}
	for _, i := range v.w.instancesOf(v.j) {
		inst := &v.w.inst[i]
		if inst.state == instanceReady && inst.announced && !inst.drained {
			next = min(next, inst.gone)
		}
	}
	return next
}

// Done returns the share of the training to the objective loss that is done, 0 to 1.
func (v JobView) Done() float64 { return v.w.done(v.j, v.w.now) }

// Servers returns the number of parameter servers held.
func (v JobView) Servers() int { return int(v.w.jobs[v.j].servers) }

// ServersUSD returns what the parameter servers held cost, USD per hour; 0 where they are not billed.
func (v JobView) ServersUSD() float64 { return v.w.serverPrice(v.j) }

// Leaving appends to into when the cloud takes the instances of pool p that are under
// notice, those of all jobs, one instant for each, ascending.
func (v View) Leaving(p int, into []Time) []Time {
	first := len(into)
	for _, i := range v.w.membersOf(&v.w.pools[p]) {
		if inst := &v.w.inst[i]; inst.announced {
			into = append(into, inst.gone)
		}
	}
	slices.Sort(into[first:])
	return into
}

// MostExpensive returns the pools from the most expensive to the cheapest at the present prices, those of one price in
// their order. It is valid until the next call and must not be changed. Where prices are as before, it takes
// time in proportion to the pools.
func (v View) MostExpensive() []int {
	prices := &v.w.prices
	n := v.Pools()
	if len(prices.order) != n {
		prices.order = resize(prices.order, n)
		prices.usd = resize(prices.usd, n)
		for p := range prices.order {
			prices.order[p] = p
		}
	}
	for p := range prices.usd {
		prices.usd[p] = v.Price(p)
	}
	usd := prices.usd
	slices.SortFunc(prices.order, func(a, b int) int { return cmp.Or(cmp.Compare(usd[b], usd[a]), a-b) })
	return prices.order
}

// remember starts at the first instant of the grid from now on.
func (w *World) remember() {
	if w.plan.forget {
		w.past.next = Never
		w.past.n = 0
	}
	w.plan.forked = false
	w.plan.forget = false
	if w.past.next != Never {
		return
	}
	every := w.plan.every
	w.past.next = w.now
	if late := w.now.Sub(w.start) % every; late > 0 {
		w.past.next = w.now.Add(every - late)
	}
	w.past.counts = resize(w.past.counts, w.plan.keep*len(w.jobs))
}

// note fills in the instants of the grid before at, until when nothing changes.
func (w *World) note(at Time) {
	past := &w.past
	for past.next < at {
		if behind := at.Sub(past.next) / w.plan.every; int(behind) > w.plan.keep { // none of these is kept
			skip := int(behind) - w.plan.keep
			past.next = past.next.Add(w.plan.every * time.Duration(skip))
			past.n += skip
		}
		row := past.counts[past.n%w.plan.keep*len(w.jobs):][:len(w.jobs)]
		clear(row)
		for _, j := range w.active() {
			row[j] = w.activeInstances(j)
		}
		past.n++
		past.next = past.next.Add(w.plan.every)
	}
}

// Past appends to into how many instances the job had, those under notice left out,
// at the instants that Plan.Remember asks for, the oldest first. They are at most as
// many as it keeps; the present instant is the last if it is on the grid.
func (v JobView) Past(into []float64) []float64 {
	past := &v.w.past
	keep := v.w.plan.keep
	if v.w.plan.forget {
		return into
	}
	first := max(past.n-keep, 0)
	now := past.next == v.w.now
	if now && past.n >= keep {
		first++
	}
	at := first % max(keep, 1) // in the ring
	for i := first; i < past.n; i++ {
		into = append(into, float64(past.counts[at*len(v.w.jobs)+v.j]))
		if at++; at == keep {
			at = 0
		}
	}
	if now {
		into = append(into, float64(v.w.activeInstances(v.j)))
	}
	return into
}

// Tiers returns the places that pools are in, see Market.Tiers. It must not be changed.
func (v View) Tiers() [][]int32 { return v.w.market.tiers }

// View returns what the policy sees at the present instant, after NextDecision. It is valid
// until the run goes on.
func (w *World) View() View { return View{w} }

// Planned returns, in the memory of into, what the plan as it stands has job j hold of each pool, ascending, whatever
// form it is written in. It is for those who report on a plan, before the policy is asked and after.
func (v View) Planned(j int, into []Part) []Part {
	job := &v.w.plan.Jobs[j]
	into = into[:0]
	for p, n := range job.Hold {
		if n > 0 {
			into = append(into, Part{int32(p), int32(n)})
		}
	}
	for _, part := range job.parts {
		if part.N > 0 {
			into = append(into, part)
		}
	}
	slices.SortFunc(into, func(a, b Part) int { return int(a.Pool) - int(b.Pool) })
	return into
}

// JobChanges returns what became of jobs since the policy was last asked, in the order of time. It must not be changed
// or kept. It is for schedulers (ByParts); a policy that plans by JobPlan.Hold has none.
func (v View) JobChanges() []JobChange { return v.w.jobEvents }

// Free returns how many instances of pool p are within the quota that no job wants, by the
// plan in force, and that are not under notice; at least 0.
func (v View) Free(p int) int {
	return max(v.w.market.pools[p].Quota-int(v.w.pools[p].asked+v.w.pools[p].noticed), 0)
}
