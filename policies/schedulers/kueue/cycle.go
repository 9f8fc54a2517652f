package kueue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// scratch is memory that is used again.
type scratch struct {
	key        []byte
	trial      []outcome
	kept       []outcome
	single     [1]amount
	singleKind [1]int32
	found      []victim
	candidates []candidate
	rest       []amount
	asked      []amount
	borrowed   []int64
	lists      fairLists
	heads      []head
	order      []int
	chosen     []victim // in this cycle
	hidden     []bool   // by job: chosen, and out of the snapshot
	added      []held   // use of this cycle
	seen       []uint64 // states of idle cycles
	evictions  []Event
	partial    assignment
	partialOf  assignment
}

// held is use that heads of the cycle took, or hold for its rest.
type held struct {
	queue int32
	amount
}

// result is what becomes of a head.
type result uint8

const (
	isNoFit result = iota
	isNoCandidates
	isPending
	isSkipped
	isAdmitted
)

// head is a job that a cycle tries.
type head struct {
	job        int32
	found      assignment
	victims    []victim
	preemptor  bool
	generation int64
	fresh      bool // its record begins anew
	done       bool
	admitted   bool
}

// maxEvictions is how often a job may be preempted while no job of its tree finishes.
const maxEvictions = 1000

// Endless is the error of jobs that preempt one another for ever. Kueue does so, too.
type Endless struct {
	Queues, Jobs []string
}

func (e *Endless) Error() string {
	return fmt.Sprintf("jobs %s of queues %s preempt one another for ever: "+
		"one was preempted %d times while no job finished",
		strings.Join(e.Jobs, ", "), strings.Join(e.Queues, ", "), maxEvictions)
}

// Settle repeats cycles until nothing more changes, and reports what happens, in order. Now is in whole seconds. The
// error is an *Endless.
func (c *Cluster) Settle(now int64, report func(Event)) error {
	c.seen = c.seen[:0]
	for cycle := 0; ; cycle++ {
		tried := c.waiting > 0
		acted := false
		for i := 0; i < len(c.awake); i++ {
			t := c.awake[i]
			some, moved := c.tryTree(t, cycle, now, report)
			tried = tried || some
			acted = acted || moved
		}
		c.awake = slices.DeleteFunc(c.awake, func(t int32) bool { return c.state[t].asleep })
		if c.stuck != none {
			return c.endless()
		}
		if !tried {
			return nil
		}
		c.cycle++
		if acted {
			c.seen = c.seen[:0]
			continue
		}
		if slices.Contains(c.seen, c.hash) {
			return nil
		}
		c.seen = append(c.seen, c.hash)
	}
}

// endless names the jobs that preempt one another for ever.
func (c *Cluster) endless() error {
	out := &Endless{}
	for _, number := range c.state[c.nodes[c.jobs[c.stuck].queue].tree].evicted {
		if c.jobs[number].evicted < maxEvictions/10 {
			continue
		}
		for _, who := range [...]int32{number, c.jobs[number].blocker} {
			out.Jobs = append(out.Jobs, c.jobs[who].name)
			out.Queues = append(out.Queues, c.nodes[c.jobs[who].queue].name)
		}
	}
	slices.Sort(out.Jobs)
	slices.Sort(out.Queues)
	out.Jobs = slices.Compact(out.Jobs)
	out.Queues = slices.Compact(out.Queues)
	c.stuck = none
	return out
}

// tryTree is a cycle of a tree. It reports whether there was a job to try, and whether one was admitted or preempted.
func (c *Cluster) tryTree(t int32, cycle int, now int64, report func(Event)) (tried, acted bool) {
	s := &c.state[t]
	before := s.hash
	c.popHeads(t)
	s.heads = s.heads[:0]
	if len(c.heads) == 0 {
		s.asleep = true
		return false, false
	}
	for len(c.hidden) < len(c.jobs) {
		c.hidden = append(c.hidden, false)
	}
	for i := range c.heads {
		c.nominate(&c.heads[i], nil)
	}
	marks := 0
	c.chosen = c.chosen[:0]
	c.added = c.added[:0]
	c.evictions = c.evictions[:0]
	c.eachInOrder(t, func(h *head) {
		r := c.process(h, cycle)
		c.keepRecord(h, r)
		h.admitted = r == isAdmitted
		acted = acted || h.admitted
		q := &c.queues[c.jobs[h.job].queue]
		if r == isPending && q.preemptor != h.job {
			q.preemptor = h.job
			marks++
		}
	})
	for i := len(c.added) - 1; i >= 0; i-- {
		c.removeUsage(c.added[i].queue, c.added[i].kind, c.added[i].value)
	}
	acted = acted || len(c.evictions) > 0
	c.settleHeads(t)
	c.confirm(t, cycle, now, report)
	s.still++
	if acted || s.hash != before || marks > 0 {
		s.still = 0
	}
	if s.still >= 2 {
		s.asleep = true
		c.waiting++
	}
	return true, acted
}

// popHeads takes the first job of each queue of a tree.
func (c *Cluster) popHeads(t int32) {
	c.heads = c.heads[:0]
	for _, q := range c.trees[t].queues {
		number := c.head(q)
		if number == none {
			continue
		}
		if len(c.heads) < cap(c.heads) {
			c.heads = c.heads[:len(c.heads)+1]
		} else {
			c.heads = append(c.heads, head{})
		}
		h := &c.heads[len(c.heads)-1]
		h.job = number
		h.preemptor = c.config.PreemptorsFirst && c.queues[q].preemptor == number
		h.generation = c.queues[q].generation
		h.done = false
		h.fresh = false
		j := &c.jobs[number]
		if j.tried.set && c.cycle+1-j.tried.cycle > 1 && h.generation > j.tried.generation {
			c.setRecord(number, false)
		}
	}
}

// nominate finds flavors and victims for a head, on the use of now.
func (c *Cluster) nominate(h *head, only *assignment) {
	n := c.jobs[h.job].need
	a := &h.found
	a.counts = a.counts[:0]
	for s := range n.sets {
		a.counts = append(a.counts, n.sets[s].count)
	}
	c.assign(h.job, a, only)
	c.choose(h.job, a)
	if n.partial != none && a.mode != fit && len(c.found) == 0 {
		c.nominatePart(h, only)
	}
	h.victims = h.victims[:0]
	if old := c.replaced(h.job); old != none && (a.mode == fit || len(c.found) > 0) {
		h.victims = append(h.victims, victim{job: old})
	}
	h.victims = append(h.victims, c.found...)
}

// choose finds the victims of an assignment. Kueue looks for them by what the job itself asks for: the number of pods,
// which only the assignment of flavors adds where a group covers it, and what is 0 do not count (TotalRequestsFor).
func (c *Cluster) choose(number int32, a *assignment) {
	c.found = c.found[:0]
	if a.mode != preempt {
		return
	}
	c.asked = c.asked[:0]
	for _, u := range a.uses {
		if u.value > 0 && c.resources[c.ofKind[u.kind]] != pods {
			c.asked = append(c.asked, u)
		}
	}
	c.findVictims(number, c.asked, a.needs)
}

// nominatePart looks for the most pods with which a head can start by a binary search, as Kueue does (KEP 420).
func (c *Cluster) nominatePart(h *head, only *assignment) {
	n := c.jobs[h.job].need
	deltas := int64(0)
	for s := range n.sets {
		deltas += n.sets[s].count - n.sets[s].min
	}
	a := &c.partial
	try := func(i int64) bool {
		a.counts = a.counts[:0]
		for s := range n.sets {
			set := &n.sets[s]
			a.counts = append(a.counts, set.count-(set.count-set.min)*i/deltas)
		}
		c.assign(h.job, a, only)
		c.choose(h.job, a)
		return a.mode == fit || len(c.found) > 0
	}
	low := int64(0)
	high := deltas + 1
	for low < high {
		middle := (low + high) / 2
		if middle <= deltas && try(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low <= deltas && try(low) {
		h.found.copyFrom(a)
		return
	}
	c.found = c.found[:0]
}

// process decides on a head (https://kueue.sigs.k8s.io/docs/concepts/admission).
func (c *Cluster) process(h *head, cycle int) result {
	a := &h.found
	j := &c.jobs[h.job]
	overlaps := func() bool {
		return slices.ContainsFunc(h.victims, func(x victim) bool {
			return slices.ContainsFunc(c.chosen, func(y victim) bool { return x.job == y.job })
		})
	}
	if overlaps() {
		c.setRecord(h.job, false)
		c.hide(true)
		c.partialOf.copyFrom(a)
		c.nominate(h, &c.partialOf)
		c.hide(false)
		if a.mode == fit {
			h.fresh = true
			c.hold(j.queue, a.uses)
			return isPending
		}
	}
	switch {
	case a.mode == noFit:
		return isNoFit
	case a.mode == preempt && len(h.victims) == 0:
		if h.preemptor || c.nodes[j.queue].queue.Reclaim != Any {
			c.reserve(j.queue, a)
		}
		return isNoCandidates
	case overlaps():
		return isSkipped
	}
	c.hide(true)
	for _, x := range h.victims {
		c.removeJob(x.job)
	}
	fits := c.fits(j.queue, a.uses, true)
	for _, x := range h.victims {
		c.putBack(x.job)
	}
	c.hide(false)
	if !fits {
		return isSkipped
	}
	c.hold(j.queue, a.uses)
	c.chosen = append(c.chosen, h.victims...)
	if a.mode == fit {
		return isAdmitted
	}
	h.fresh = true
	for _, x := range h.victims {
		if c.jobs[x.job].status == admitted && x.job != j.replaces {
			c.evictions = append(c.evictions, Event{
				Cycle: cycle, Kind: Preempted, Job: int(x.job), For: int(h.job), Reason: x.reason,
			})
		}
	}
	return isPending
}

// hide takes the jobs that the cycle chose as victims out, or puts them back.
func (c *Cluster) hide(out bool) {
	for _, x := range c.chosen {
		c.hidden[x.job] = out
		if out {
			c.removeJob(x.job)
		} else {
			c.putBack(x.job)
		}
	}
}

// hold counts amounts as used for the rest of the cycle.
func (c *Cluster) hold(q int32, uses []amount) {
	for _, u := range uses {
		c.addUsage(q, u.kind, u.value)
		c.added = append(c.added, held{q, u})
	}
}

// reserve holds what a head would have, so that nobody behind it takes it.
func (c *Cluster) reserve(q int32, a *assignment) {
	for _, u := range a.uses {
		i := c.at(q, u.kind)
		switch {
		case a.level == 0:
			u.value = max(0, min(u.value, c.nominal[i]-c.usage[i]))
		case c.borrowing[i] != unlimited:
			u.value = min(u.value, c.nominal[i]+c.borrowing[i]-c.usage[i])
		}
		c.addUsage(q, u.kind, u.value)
		c.added = append(c.added, held{q, u})
	}
}

// keepRecord keeps where the scan of flavors stopped, and why the job waits.
func (c *Cluster) keepRecord(h *head, r result) {
	j := &c.jobs[h.job]
	j.why = [...]Waiting{NoFit, NoCandidates, PendingVictims, Skipped, NotTried}[r]
	j.tried.last = append(j.tried.last[:0], h.found.last...)
	j.tried.cycle = c.cycle + 1
	j.tried.generation = h.generation
	c.setRecord(h.job, !h.fresh && r != isAdmitted)
}

// settleHeads puts heads that were not admitted where they wait for the next cycle.
func (c *Cluster) settleHeads(t int32) {
	s := &c.state[t]
	for i := range c.heads {
		h := &c.heads[i]
		j := &c.jobs[h.job]
		s.heads = append(s.heads, h.job)
		hopeless := j.why == NoFit || j.why == NoCandidates
		if hopeless && !c.nodes[j.queue].queue.Strict && !h.found.leavesFlavors() {
			c.giveUp(h.job)
		}
	}
}

// confirm has admissions and preemptions of a cycle take effect.
func (c *Cluster) confirm(t int32, cycle int, now int64, report func(Event)) {
	for i := range c.heads {
		h := &c.heads[i]
		if !h.admitted {
			continue
		}
		c.dequeue(h.job)
		j := &c.jobs[h.job]
		j.status = admitted
		j.reserved = now
		j.uses = append(j.uses[:0], h.found.uses...)
		j.counts = append(j.counts[:0], h.found.counts...)
		j.taken = append(j.taken[:0], h.found.taken...)
		number := c.takeOver(h.job)
		c.take(number)
		report(Event{Cycle: cycle, Kind: Admitted, Job: int(number)})
	}
	s := &c.state[t]
	for _, e := range c.evictions {
		j := &c.jobs[e.Job]
		j.status = leaving
		c.dropSlice(int32(e.Job))
		j.blocker = int32(e.For)
		c.queues[j.queue].generation++
		if j.evicted == 0 {
			s.evicted = append(s.evicted, int32(e.Job))
		}
		j.evicted++
		if j.evicted >= maxEvictions {
			c.stuck = e.Job
		}
		report(e)
	}
	if !c.config.ReleaseAtOnce {
		return
	}
	for _, e := range c.evictions {
		c.Release(e.Job)
		e.Kind = Released
		report(e)
	}
}

// eachInOrder calls process for each head in the order of the cycle.
func (c *Cluster) eachInOrder(t int32, process func(*head)) {
	c.order = c.order[:0]
	for i := range c.heads {
		c.order = append(c.order, i)
	}
	if len(c.config.Fair) > 0 && c.nodes[c.trees[t].root].queue == nil {
		for range c.order {
			h := c.winner(c.trees[t].root)
			h.done = true
			process(h)
		}
		return
	}
	slices.SortFunc(c.order, func(x, y int) int {
		a := &c.heads[x]
		b := &c.heads[y]
		switch {
		case a.preemptor != b.preemptor:
			if a.preemptor {
				return -1
			}
			return 1
		case a.found.level != b.found.level:
			return cmp.Compare(a.found.level, b.found.level)
		}
		return c.compareAge(a.job, b.job)
	})
	for _, i := range c.order {
		process(&c.heads[i])
	}
}

// compareAge orders jobs by priority and age, and counts where only names are left.
func (c *Cluster) compareAge(x, y int32) int {
	a := &c.jobs[x]
	b := &c.jobs[y]
	if order := cmp.Or(-cmp.Compare(a.priority, b.priority), cmp.Compare(a.created, b.created)); order != 0 {
		return order
	}
	c.ties++
	return c.compareNames(x, y)
}
