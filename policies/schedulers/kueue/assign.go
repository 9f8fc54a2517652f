package kueue

import "slices"

// mode is what a job needs to have a flavor, the worst first.
type mode uint8

const (
	noFit mode = iota
	noCandidates
	preempt // jobs of its own queue, too
	reclaim // jobs of other queues only
	fit
)

// untried is the last flavor of a request that was not looked at.
const untried = -2

// outcome is a mode with how far up the tree the job borrows.
type outcome struct {
	mode  mode
	level int
}

// assignment is the flavors of a job.
type assignment struct {
	mode   mode // noFit, preempt (whoever there is) or fit
	level  int
	counts []int64   // pods by set
	taken  []int32   // flavor by request; none: none
	modes  []outcome // by request
	last   []int32   // by request: the last flavor tried; none: of all; untried: it came not so far
	uses   []amount
	needs  []int32 // kinds of quota for which it has to preempt
}

// reset makes it an assignment of nothing.
func (a *assignment) reset(n *need) {
	a.mode = fit
	a.level = 0
	a.taken = slices.Grow(a.taken[:0], len(n.requests))[:len(n.requests)]
	a.modes = slices.Grow(a.modes[:0], len(n.requests))[:len(n.requests)]
	a.last = slices.Grow(a.last[:0], len(n.requests))[:len(n.requests)]
	for k := range a.taken {
		a.taken[k] = none
		a.modes[k] = outcome{}
		a.last[k] = untried
	}
	a.uses = a.uses[:0]
	a.needs = a.needs[:0]
}

// copyFrom makes it a copy of another.
func (a *assignment) copyFrom(b *assignment) {
	a.mode = b.mode
	a.level = b.level
	a.counts = append(a.counts[:0], b.counts...)
	a.taken = append(a.taken[:0], b.taken...)
	a.modes = append(a.modes[:0], b.modes...)
	a.last = append(a.last[:0], b.last...)
	a.uses = append(a.uses[:0], b.uses...)
	a.needs = append(a.needs[:0], b.needs...)
}

// used is how much an assignment takes of a kind of quota.
func used(uses []amount, kind int32) int64 {
	for _, u := range uses {
		if u.kind == kind {
			return u.value
		}
	}
	return 0
}

// leavesFlavors reports whether there are flavors that the next cycle tries.
func (a *assignment) leavesFlavors() bool {
	return slices.ContainsFunc(a.last, func(last int32) bool { return last >= 0 })
}

// assign finds flavors for a job with these counts, from where its record says. Only restricts it to the flavors of
// another assignment, if there is one. (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue, flavors and resources)
func (c *Cluster) assign(number int32, a *assignment, only *assignment) {
	j := &c.jobs[number]
	n := j.need
	a.reset(n)
	for s := range n.sets {
		if !c.assignSet(number, s, a, only) {
			a.mode = noFit
			return
		}
	}
	for k := range a.uses {
		a.uses[k].value = max(0, a.uses[k].value) // of a slice that has fewer pods there
	}
	for k, o := range a.modes {
		a.level = max(a.level, o.level)
		if o.mode != fit {
			kind := c.kindOf(j.queue, &n.requests[k], a.taken[k])
			if !slices.Contains(a.needs, kind) {
				a.needs = append(a.needs, kind)
			}
		}
	}
}

// kindOf is the kind of quota that a request has in a flavor of its queue.
func (c *Cluster) kindOf(q int32, r *request, flavor int32) int32 {
	g := &c.nodes[q].groups[r.group]
	return g.kinds[slices.Index(g.flavors, flavor)*len(g.resources)+int(r.slot)]
}

// assignSet finds the flavors of one set, group by group; false if a group has none for it.
func (c *Cluster) assignSet(number int32, s int, a, only *assignment) bool {
	j := &c.jobs[number]
	set := &j.need.sets[s]
	count := a.counts[s]
	if old := c.replaced(number); old != none {
		count -= c.jobs[old].counts[s]
	}
	fits := true
	worst := fit
	level := 0
	for k := set.first; k < set.end; k++ {
		if a.taken[k] != none {
			continue
		}
		r := &j.need.requests[k]
		best := outcome{noFit, int(^uint(0) >> 1)}
		if r.group != none {
			best = c.assignGroup(number, set, k, count, a, only)
		}
		if best.mode == noFit {
			for k := set.first; k < set.end; k++ {
				a.taken[k] = none
				a.modes[k] = outcome{mode: fit}
				a.last[k] = untried
			}
			for k := set.end; k < len(a.modes); k++ {
				a.modes[k] = outcome{mode: fit}
			}
			for k := range set.first {
				a.level = max(a.level, a.modes[k].level)
			}
			return false
		}
		fits = fits && best.mode == fit
	}
	for k := set.first; k < set.end; k++ {
		r := &j.need.requests[k]
		worst = min(worst, a.modes[k].mode)
		level = max(level, a.modes[k].level)
		kind := c.kindOf(j.queue, r, a.taken[k])
		a.uses = addAmount(a.uses, kind, r.each*count)
	}
	if !fits && worst != fit {
		a.mode = preempt
	}
	return true
}

func addAmount(list []amount, kind int32, value int64) []amount {
	for i := range list {
		if list[i].kind == kind {
			list[i].value += value
			return list
		}
	}
	return append(list, amount{kind, value})
}

// assignGroup finds the flavor of a group for the requests of a set from k on that are in it.
func (c *Cluster) assignGroup(number int32, set *needSet, k int, count int64, a, only *assignment) outcome {
	j := &c.jobs[number]
	queue := c.nodes[j.queue].queue
	of := j.need.requests[k].group
	g := &c.nodes[j.queue].groups[of]
	start := 0
	if j.tried.set && len(j.tried.last) > 0 {
		start = max(0, int(j.tried.last[k])+1)
	}
	old := c.replaced(number)
	best := outcome{noFit, int(^uint(0) >> 1)}
	flavor := int32(none)
	attempted := start
	c.kept = c.kept[:0]
	for i := start; i < len(g.flavors); i++ {
		attempted = i
		if only != nil && only.taken[k] != g.flavors[i] || set.only && !slices.Contains(set.flavors, g.flavors[i]) {
			continue
		}
		if old != none && c.jobs[old].taken[k] != g.flavors[i] {
			continue
		}
		now := outcome{mode: fit}
		c.trial = c.trial[:0]
		for m := k; m < set.end && now.mode != noFit; m++ {
			r := &j.need.requests[m]
			if r.group != of {
				continue
			}
			kind := g.kinds[i*len(g.resources)+int(r.slot)]
			one := c.weigh(number, kind, used(a.uses, kind)+r.each*count)
			c.trial = append(c.trial, one)
			if queue.prefers(now, one) {
				now = one
			}
		}
		stops := now.mode > noCandidates &&
			!(now.mode < fit && queue.TryNextToPreempt) && !(now.level > 0 && queue.TryNextToBorrow)
		if stops || queue.prefers(now, best) {
			best = now
			flavor = g.flavors[i]
			c.kept = append(c.kept[:0], c.trial...)
		}
		if stops {
			break
		}
	}
	if best.mode == noFit {
		return best
	}
	if attempted == len(g.flavors)-1 {
		attempted = none
	}
	next := 0
	for m := k; m < set.end; m++ {
		if j.need.requests[m].group == of {
			a.taken[m] = flavor
			a.modes[m] = c.kept[next]
			a.last[m] = int32(attempted)
			next++
		}
	}
	return best
}

// prefers reports whether one outcome is preferred to another (flavorFungibility.preference).
func (q *ClusterQueue) prefers(a, b outcome) bool {
	switch {
	case a.mode == noFit:
		return false
	case b.mode == noFit:
		return true
	case (a.mode == noCandidates) != (b.mode == noCandidates):
		return b.mode == noCandidates
	case q.PreemptRather && a.level != b.level:
		return a.level < b.level
	case a.mode != b.mode:
		return a.mode > b.mode
	}
	return a.level < b.level
}

// weigh says how a job could have so much of a kind of quota.
func (c *Cluster) weigh(number, kind int32, v int64) outcome {
	q := c.jobs[number].queue
	i := c.at(q, kind)
	if v > c.potential[i] {
		return outcome{mode: noFit}
	}
	level, outside := c.level(q, kind, v)
	if v <= max(0, c.available(q, kind)) {
		return outcome{fit, level}
	}
	queue := c.nodes[q].queue
	if c.nominal[i] < v && !outside && !queue.BorrowWithin && (len(c.config.Fair) == 0 || queue.Reclaim == Never) {
		return outcome{mode: noFit}
	}
	c.single[0] = amount{kind, v}
	c.singleKind[0] = kind
	c.findVictims(number, c.single[:], c.singleKind[:])
	if len(c.found) == 0 {
		return outcome{noCandidates, level}
	}
	what := reclaim
	for _, x := range c.found {
		if c.jobs[x.job].queue == q {
			what = preempt
		}
		c.removeJob(x.job)
	}
	level, _ = c.level(q, kind, v)
	for _, x := range c.found {
		c.putBack(x.job)
	}
	return outcome{what, level}
}

// removeJob and putBack take the use of a job out for a while.
func (c *Cluster) removeJob(number int32) {
	j := &c.jobs[number]
	for _, u := range j.uses {
		c.removeUsage(j.queue, u.kind, u.value)
	}
}

func (c *Cluster) putBack(number int32) {
	j := &c.jobs[number]
	for _, u := range j.uses {
		c.addUsage(j.queue, u.kind, u.value)
	}
}
