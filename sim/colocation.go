package sim

import (
	"slices"
	"time"
)

// Fits reports whether used and more are together no more than what there is.
func (full Resources) Fits(used, more Resources) bool {
	for i := range full {
		if used[i]+more[i] > full[i] {
			return false
		}
	}
	return true
}

// Plus returns the sum.
func (r Resources) Plus(more Resources) Resources {
	for i := range r {
		r[i] += more[i]
	}
	return r
}

// share is the largest part of any of the resources that a demand takes, 1 of an instance that is not shared.
func (full Resources) share(demand Resources) float64 {
	if full == (Resources{}) {
		return 1
	}
	largest := 0.0
	for i := range full {
		if full[i] > 0 {
			largest = max(largest, demand[i]/full[i])
		}
	}
	return largest
}

// TaskModel is a GangModel of tasks that share hosts: Gang is the number of its tasks, which train all at once or not at all, at
// the speed of the slowest. In the layout that Rate is asked for Workers counts tasks by pool.
type TaskModel interface {
	GangModel
	// Demand returns what each task takes of an instance of a pool (Pool.Full), false if it does not run there.
	Demand(pool int) (Resources, bool)
	// Kind is the number of the job's kind, from 0: jobs of one kind have the same number of tasks and the same demands, and a
	// scheduler that learns takes them to slow their co-tenants alike.
	Kind() int
	// Times returns how long it takes to begin and to end the tasks.
	Times() TaskTimes
}

// TaskTimes is how long it takes to begin and to end the tasks of a job. A job moves as a whole: it trains on for Stop,
// saves for Save, has left its hosts then, and is launched on others.
type TaskTimes struct {
	Launch time.Duration // of a task, once its host is ready and has room
	Build  time.Duration // more on a host that has had no task with its image
	Image  int           // number of the image
	Init   time.Duration // from the last launch until the job trains
	Stop   time.Duration // from the plan that moves or stops it until it trains no more
	Save   time.Duration // from then until it has saved and its room is free
}

// Sharing says what it means to share hosts, where the policy plans by tasks.
type Sharing struct {
	// Keeps returns the part of its speed that a task of one job keeps beside a task of another job, or of the same, on an
	// instance of a pool: at least 0, where the two cannot train there at once, at most 1. With several others the parts are multiplied.
	// nil: all of it. A scheduler whose jobs were measured in pairs knows it (View.SharedRate).
	Keeps func(p *Pool, of, other *Job) float64
	// Leave is how long the tasks of a job that is done take until their room is free, Return how long a host is held and paid
	// after it was given back.
	Leave, Return time.Duration
}

// Host is an instance that the run holds, or has asked for.
type Host struct {
	ID, Pool      int
	Asked         Time
	Granted, Gone Time // Never: not yet; not known
	Ready         bool // tasks can be launched
	Ending        bool // it was given back, and ends when its tasks have left
}

// task is a task on a host.
type taskID struct{ job, task int32 }

// isOver reports whether the job of a task that has room still is done.
func (c *colocation) isOver(w *World, g taskID) bool { return !w.jobs[g.job].active() }

// host is a Host, and who is there.
type host struct {
	id, pool int32
	inst     int32 // noInstance: not granted yet
	asked    Time
	paid     Time // what it costs is shared out until here
	ready    bool
	ending   bool
	noticed  bool
	returned bool     // it is being given back
	on       []taskID // have room
	coming   []taskID // are to be there
	images   []int32
}

// Hosts returns the number of hosts, those that were asked for and not granted included.
func (v View) Hosts() int { return len(v.w.hosts) }

// Host returns the k-th host, ascending by ID.
func (v View) Host(k int) Host {
	h := &v.w.hosts[k]
	x := Host{ID: int(h.id), Pool: int(h.pool), Asked: h.asked, Granted: Never, Gone: Never, Ready: h.ready, Ending: h.ending}
	if h.inst != noInstance {
		i := &v.w.inst[h.inst]
		x.Granted = i.granted
		if i.announced {
			x.Gone = i.gone
		}
	}
	return x
}

// PlannedHosts returns how many hosts of a pool the plan, as it stands, holds or asks for, without those that it gives back.
func (v View) PlannedHosts(pool int) (n int) {
	for k := range v.w.hosts {
		if h := &v.w.hosts[k]; int(h.pool) == pool && !h.ending && !slices.Contains(v.w.plan.returns, h.id) {
			n++
		}
	}
	for _, p := range v.w.plan.rents {
		if int(p) == pool {
			n++
		}
	}
	return n
}

// poolOfHost returns the pool of a host that is there, or that the plan asks for; false for one that is gone.
func (v View) poolOfHost(id int32) (pool int32, is bool) {
	if h := v.w.hostOf(id); h != nil {
		return h.pool, true
	}
	k := int(id - v.w.plan.nextHost)
	if k < 0 || k >= len(v.w.plan.rents) {
		return 0, false
	}
	return v.w.plan.rents[k], true
}

// SharedRate returns the part of its speed that a task of job j keeps beside a task of another job on an instance of a pool, where the policy plans by tasks
// (Sharing.Keeps): what is known of jobs that were measured in pairs. Others learn it by JobView.Keeps.
func (v View) SharedRate(pool, j, other int) float64 {
	if keeps := v.w.cfg.Sharing.Keeps; keeps != nil {
		return keeps(&v.w.market.pools[pool], &v.w.specs[j], &v.w.specs[other])
	}
	return 1
}

// Rent asks for one more instance of a pool, where the policy plans by tasks, and returns the number of the host. Without room in the
// quota (View.Free) there is none, and tasks that are assigned to it wait for another plan.
func (p *Plan) Rent(pool int) int {
	p.rents = append(p.rents, int32(pool))
	return int(p.nextHost) + len(p.rents) - 1
}

// Return gives a host back, where the policy plans by tasks: now, or when the tasks on it have left. No more are launched there.
func (p *Plan) Return(host int) { p.returns = append(p.returns, int32(host)) }

// Nowhere is the host of a task that has none.
const Nowhere = -1

// Assign says on which host a task of job j is to be, where the policy plans by tasks; Nowhere for none. If the job runs, it stops for it, and
// all its tasks are launched again. It panics if j is not active.
func (p *Plan) Assign(j, task, host int) {
	x := p.Job(j)
	for len(x.tasks) <= task {
		x.tasks = append(x.tasks, Nowhere)
	}
	x.tasks[task] = int32(host)
}

// Assigned returns the host on which a task of job j is to be, Nowhere for none.
func (p *Plan) Assigned(j, task int) int {
	if x := &p.Jobs[j]; task < len(x.tasks) {
		return int(x.tasks[task])
	}
	return Nowhere
}

// hostOf returns a host by its number, nil if there is none.
func (c *colocation) hostOf(id int32) *host {
	at, found := slices.BinarySearchFunc(c.hosts, id, func(h host, id int32) int { return int(h.id - id) })
	if !found {
		return nil
	}
	return &c.hosts[at]
}

// wantLess has the host owner want one instance of a pool less.
func (c *colocation) wantLess(w *World, pool int32) {
	w.jobs[c.hostOwner].holding(int(pool)).want--
	w.jobs[c.hostOwner].want--
	w.pools[pool].asked--
}

// hostGranted gives a granted instance to the host that was asked for first.
func (c *colocation) hostGranted(w *World, i int32) {
	x := &w.inst[i]
	for k := range c.hosts {
		if h := &c.hosts[k]; h.pool == x.pool && h.inst == noInstance {
			h.inst, h.paid, x.host = i, w.now, h.id
			c.countTasksOn(w, h)
			return
		}
	}
}

// hostReady lets tasks be launched on an instance.
func (c *colocation) hostReady(w *World, i int32) {
	h := c.hostOf(w.inst[i].host)
	h.ready = true
	c.countTasksOn(w, h)
	c.markDirtyOn(w, h)
}

// hostNoticed notes that the cloud will take a host, or does now. No other is asked for in its place. All that have tasks there are notified.
func (c *colocation) hostNoticed(w *World, i int32) {
	h := c.hostOf(w.inst[i].host)
	h.noticed = true
	if !h.returned { // else it is not wanted any more
		c.wantLess(w, h.pool)
	}
	for _, list := range [2][]taskID{h.on, h.coming} {
		for k, g := range list {
			if !c.isOver(w, g) && !slices.ContainsFunc(list[:k], func(o taskID) bool { return o.job == g.job }) {
				w.tell(int(g.job), JobHit)
			}
		}
	}
}

// hostGone removes the host of an instance that ends. Jobs whose tasks were there are lost there.
func (c *colocation) hostGone(w *World, i int32) {
	h := c.hostOf(w.inst[i].host)
	c.payHost(w, h)
	switch {
	case h.returned:
		w.pools[h.pool].asked--
	case !h.noticed:
		c.wantLess(w, h.pool)
	}
	h.noticed = true
	for len(h.on) > 0 {
		if g := h.on[0]; c.leftOver(w, g) {
			h.on = slices.Delete(h.on, 0, 1)
		} else {
			c.evict(w, int(g.job), h.id)
		}
	}
	for len(h.coming) > 0 {
		g := h.coming[0]
		c.unassign(w, g)
	}
	c.removeHost(h.id)
}

// removeHost takes a host out of the list, and keeps its memory.
func (c *colocation) removeHost(id int32) {
	at := slices.IndexFunc(c.hosts, func(h host) bool { return h.id == id })
	gone := c.hosts[at]
	copy(c.hosts[at:], c.hosts[at+1:])
	c.hosts[len(c.hosts)-1] = gone
	c.hosts = c.hosts[:len(c.hosts)-1]
}

// payHost shares out what a host has cost since it last was: to the jobs that have tasks there, by the largest part of its
// resources that each takes; where nobody has yet, to those that are to have; what is held for nobody is idle.
func (c *colocation) payHost(w *World, h *host) {
	if h.inst == noInstance || h.paid == w.now {
		return
	}
	usd, disk := w.pools[h.pool].owed(h.paid, w.now), float64(w.cfg.Billing.DiskUSDPerHour*w.now.Sub(h.paid).Hours())
	h.paid = w.now
	pool := &w.market.pools[h.pool]
	list, all := c.payers(w, h)
	if len(list) == 0 {
		w.totals.Unallocated.host(pool, usd, disk)
		return
	}
	rest, restDisk, last := usd, disk, len(list)-1
	for k := range last {
		if all > 0 {
			part := list[k].part / all
			x, y := float64(usd*part), float64(disk*part)
			w.jobs[list[k].job].bill.host(pool, x, y)
			rest, restDisk = rest-x, restDisk-y
		}
	}
	w.jobs[list[last].job].bill.host(pool, rest, restDisk) // all of it where it is alone
}

// host adds a part of what a host of a pool costs, and its disk.
func (b *Bill) host(pool *Pool, usd, disk float64) {
	*b.at(pool) += usd
	b.Disks += disk
}

// payer is a job that pays a part of a host.
type payer struct {
	job  int32
	part float64
}

// payers lists who pays a host, and the sum of their parts.
func (c *colocation) payers(w *World, h *host) ([]payer, float64) {
	list, all, full := c.paying[:0], 0.0, w.market.pools[h.pool].Full
	for _, tasks := range [2][]taskID{h.on, h.coming} {
		for _, g := range tasks {
			if c.isOver(w, g) {
				continue
			}
			d, _ := c.placements[g.job].model.Demand(int(h.pool))
			part := full.share(d)
			list, all = append(list, payer{g.job, part}), all+part
		}
		if len(list) > 0 {
			break
		}
	}
	c.paying = list
	return list, all
}

// tasksDiffer reports whether the plan has tasks of job j elsewhere than they are to be by that in force.
func (c *colocation) tasksDiffer(w *World, j int) bool {
	p, x := &w.plan, &w.plan.Jobs[j]
	if len(x.parts) > 0 {
		panic("sim: Plan.Place: not for a policy that plans by tasks")
	}
	if x.Pipelines != 0 || x.Stages != 0 || x.Servers != w.specs[j].ParameterServers || x.Done || len(x.GiveBack) > 0 {
		panic("sim: Plan: a policy that plans by tasks sets where tasks are to be, and saves; nothing else")
	}
	for k, to := range c.placements[j].to {
		if int(to) != p.Assigned(j, k) {
			return true
		}
	}
	return false
}

// Movable reports whether the tasks of the job may be placed anew, where the policy plans by tasks: it trains or is about to, or
// waits for its first hosts, or has a task without one. A job on its way from hosts to others is not.
func (v JobView) Movable() bool {
	t := &v.w.placements[v.j]
	return t.stage == launched || t.stage == away && (!t.began || slices.Contains(t.to, Nowhere))
}

// Launched reports whether task k has been launched where it is, where the policy plans by tasks.
func (v JobView) Launched(k int) bool {
	t := &v.w.placements[v.j]
	return t.on[k] != Nowhere && t.up[k] <= v.w.now
}

// On returns the host on which task k has room, Nowhere for none, where the policy plans by tasks.
func (v JobView) On(k int) int { return int(v.w.placements[v.j].on[k]) }

// Keeps returns the part of its speed that the job is seen to keep with its present co-tenants, where the policy plans by tasks: its
// speed by that
// alone. 0 while not all of its tasks are launched.
func (v JobView) Keeps() float64 {
	if t := &v.w.placements[v.j]; (t.stage == launched || t.stage == stopping) && t.alone > 0 {
		return v.w.jobs[v.j].rate.Progress / t.alone
	}
	return 0
}

// stage is where a job is between hosts.
type stage uint8

// co-located job is how the tasks of a job are placed.
type placement struct {
	model   TaskModel
	stage   stage
	began   bool    // a task has been launched
	to      []int32 // by task: the host of the plan, Nowhere for none
	on      []int32 // by task: the host where it has room, Nowhere for none
	up      []Time  // by task: when its launch is complete; longAgo once that was noted
	since   []Time  // by task: from when it has had room; Never once a recorder has it
	next    Time    // when the stop takes effect, or the job has left; Never in other stages
	leaving int32   // tasks that have room still, though the job is over
	keeps   float64 // part of its speed beside its co-tenants
	alone   float64 // its progress a second without them
}

// dueKind the host owner's timer is set for.
type dueKind uint8

// due is an event of the host owner.
type dueEvent struct {
	at   Time
	host int32
	what dueKind
	job  int32 // whose tasks leave
}

const (
	away     stage = iota // not all of its tasks are launched
	launched              // all are: it trains, or starts to
	stopping              // it trains on until a stop takes effect
	leaving               // it saves, and then leaves
)

// longAgo is before any launch.
const longAgo Time = -1

const (
	returning dueKind = iota // a host goes
	vacating                 // tasks of jobs that are done leave a host
)
