package kueue

import (
	"cmp"
	"slices"
)

// rank is the list of candidates in which one is.
type rank uint8

const (
	hierarchy rank = iota // borrows from quota to which the preemptor has the better right
	byPriority
	own
)

// candidate is a job that may be preempted.
type candidate struct {
	job    int32
	meets  int32 // the first cohort that has both it and the preemptor
	rank   rank
	strict bool // only without borrowing
	reason Reason
}

// victim is a job to be preempted.
type victim struct {
	job    int32
	reason Reason
}

// findVictims finds in c.found whom to preempt so that a job can have these amounts; nobody if that does not suffice.
// Needs are the kinds of quota of which it has too little.
func (c *Cluster) findVictims(number int32, uses []amount, needs []int32) {
	c.found = c.found[:0]
	if len(c.config.Fair) > 0 {
		c.findFairVictims(number, uses, needs)
		return
	}
	q := c.jobs[number].queue
	queue := c.nodes[q].queue
	c.candidates = c.candidates[:0]
	c.addOwnCandidates(number, needs)
	mine := len(c.candidates)
	entitled := false // there is a candidate of the hierarchy
	if c.nodes[q].parent != none && queue.Reclaim != Never {
		entitled = c.addCohortCandidates(number, uses, needs)
	}
	others := len(c.candidates) > mine
	if len(c.candidates) == 0 {
		return
	}
	c.sortCandidates(q)
	attempts := [2]bool{true, false}
	last := 1
	switch {
	case !others || !queue.BorrowWithin && !c.belowNominal(q, needs):
		last = 0
	case !queue.BorrowWithin && !entitled:
		attempts = [2]bool{false, true}
	}
	for _, borrowing := range attempts[:last+1] {
		if c.tryCandidates(q, uses, needs, borrowing) {
			return
		}
	}
}

// belowNominal reports whether a queue has less than its quota of each of these kinds.
func (c *Cluster) belowNominal(q int32, needs []int32) bool {
	for _, k := range needs {
		if i := c.at(q, k); c.usage[i] >= c.nominal[i] {
			return false
		}
	}
	return true
}

// allows reports whether a policy lets a job preempt another.
func (c *Cluster) allows(policy Policy, number, other int32) bool {
	j := &c.jobs[number]
	k := &c.jobs[other]
	switch policy {
	case Any:
		return true
	case LowerPriority:
		return j.priority > k.priority
	case LowerOrNewerEqualPriority:
		return j.priority > k.priority || j.priority == k.priority && j.created < k.created
	}
	return false
}

// usesAny reports whether an admitted job asked for some of these kinds of quota, if only for 0 of it: preempting
// such a job frees nothing, but the rest of its use may count for the next.
func (c *Cluster) usesAny(number int32, needs []int32) bool {
	for _, u := range c.jobs[number].uses {
		if slices.Contains(needs, u.kind) {
			return true
		}
	}
	return false
}

// addOwnCandidates adds jobs of the same queue.
func (c *Cluster) addOwnCandidates(number int32, needs []int32) {
	q := c.jobs[number].queue
	policy := c.nodes[q].queue.Within
	if policy == Never {
		return
	}
	for _, k := range c.queues[q].admitted {
		if !c.hidden[k] && c.allows(policy, number, k) && c.usesAny(k, needs) {
			c.candidates = append(c.candidates, candidate{job: k, rank: own, reason: InClusterQueue, meets: q})
		}
	}
}

// addCohortCandidates adds jobs of other queues that borrow. It reports whether one of them is of the hierarchy.
func (c *Cluster) addCohortCandidates(number int32, uses []amount, needs []int32) bool {
	q := c.jobs[number].queue
	entitled := true
	c.rest = c.rest[:0]
	for _, u := range uses {
		entitled = entitled && !c.borrows(q, u.kind, u.value)
		c.rest = append(c.rest, amount{u.kind, max(0, u.value-c.free(q, u.kind))})
	}
	any := false
	before := q
	for a := c.nodes[q].parent; a != none; a = c.nodes[a].parent {
		any = c.addBelow(number, a, a, before, entitled, needs) && entitled || any
		within := true
		for i, u := range c.rest {
			within = within && !c.borrows(a, u.kind, u.value)
			c.rest[i].value = max(0, u.value-c.free(a, u.kind))
		}
		entitled = entitled || within
		before = a
	}
	return any
}

// addBelow adds the jobs of queues below a cohort that borrow, except what is below one of its children. It reports
// whether there are any.
func (c *Cluster) addBelow(number, at, meets, except int32, entitled bool, needs []int32) bool {
	any := false
	for _, child := range c.nodes[at].cohorts {
		if child != except && !c.withinNominal(child, needs) {
			any = c.addBelow(number, child, meets, except, entitled, needs) || any
		}
	}
	policy := c.nodes[c.jobs[number].queue].queue.Reclaim
	for _, q := range c.nodes[at].queues {
		if q == except || c.withinNominal(q, needs) {
			continue
		}
		for _, k := range c.queues[q].admitted {
			if c.hidden[k] || !c.allows(policy, number, k) || !c.usesAny(k, needs) {
				continue
			}
			c.candidates = append(c.candidates, c.newCandidate(number, k, meets, entitled))
			any = true
		}
	}
	return any
}

// newCandidate says whether a job of another queue may be preempted while borrowing.
func (c *Cluster) newCandidate(number, k, meets int32, entitled bool) candidate {
	made := candidate{job: k, meets: meets, reason: InCohortReclamation}
	if entitled {
		return made
	}
	made.rank = byPriority
	queue := c.nodes[c.jobs[number].queue].queue
	priority := c.jobs[k].priority
	made.strict = !queue.BorrowWithin || priority >= c.jobs[number].priority ||
		queue.BorrowThreshold != nil && priority > *queue.BorrowThreshold
	if !made.strict {
		made.reason = InCohortReclaimWhileBorrowing
	}
	return made
}

// sortCandidates puts those first that are preempted first: who is leaving already, by rank, other queues before q, low
// priority, admitted late, by name.
func (c *Cluster) sortCandidates(q int32) {
	slices.SortFunc(c.candidates, func(x, y candidate) int {
		a := &c.jobs[x.job]
		b := &c.jobs[y.job]
		switch {
		case a.status != b.status:
			return -cmp.Compare(a.status, b.status)
		case x.rank != y.rank:
			return cmp.Compare(x.rank, y.rank)
		case (a.queue == q) != (b.queue == q):
			if b.queue == q {
				return -1
			}
			return 1
		case a.priority != b.priority:
			return cmp.Compare(a.priority, b.priority)
		case a.reserved != b.reserved:
			return cmp.Compare(b.reserved, a.reserved)
		}
		return c.compareNames(x.job, y.job)
	})
}

// fits reports whether a queue can have these amounts now.
func (c *Cluster) fits(q int32, uses []amount, borrowing bool) bool {
	for _, u := range uses {
		if !borrowing && c.borrows(q, u.kind, u.value) || u.value > max(0, c.available(q, u.kind)) {
			return false
		}
	}
	return true
}

// tryCandidates preempts candidates in order until the job fits, and spares then whom it can. False: it never fits.
func (c *Cluster) tryCandidates(q int32, uses []amount, needs []int32, borrowing bool) bool {
	c.found = c.found[:0]
	fitted := false
	for i := range c.candidates {
		x := &c.candidates[i]
		if x.rank != own && (x.strict && borrowing || c.isWithinNominalNow(x, needs)) {
			continue
		}
		c.removeJob(x.job)
		c.found = append(c.found, victim{x.job, x.reason})
		if c.fits(q, uses, borrowing) {
			fitted = true
			break
		}
	}
	c.spareVictims(q, uses, fitted, borrowing)
	return fitted
}

// isWithinNominalNow reports whether the queue of a candidate, or a cohort between it and where it meets the preemptor,
// does not borrow any more.
func (c *Cluster) isWithinNominalNow(x *candidate, needs []int32) bool {
	for n := c.jobs[x.job].queue; n != x.meets; n = c.nodes[n].parent {
		if c.withinNominal(n, needs) {
			return true
		}
	}
	return false
}

// spareVictims leaves of the victims, whose use is taken out, those without whom it does not fit, and puts all back.
func (c *Cluster) spareVictims(q int32, uses []amount, fitted, borrowing bool) {
	if !fitted {
		for _, x := range c.found {
			c.putBack(x.job)
		}
		c.found = c.found[:0]
		return
	}
	for i := len(c.found) - 2; i >= 0; i-- {
		c.putBack(c.found[i].job)
		if c.fits(q, uses, borrowing) {
			c.found[i].job = none
		} else {
			c.removeJob(c.found[i].job)
		}
	}
	c.found = slices.DeleteFunc(c.found, func(x victim) bool { return x.job == none })
	for _, x := range c.found {
		c.putBack(x.job)
	}
}
