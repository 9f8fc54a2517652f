package kueue

import "slices"

// share is how much a node borrows of what its parent could lend it, by its weight.
type share struct {
	ratio    float64 // thousandths, before the weight
	weighted float64
	above    bool // all others: it borrows with weight 0
}

func (a share) isLess(b share) bool {
	switch {
	case a.above != b.above:
		return b.above
	case a.above:
		return a.ratio < b.ratio
	}
	return a.weighted < b.weighted
}

// shareOf is the share of a node; a root has none. (https://kueue.sigs.k8s.io/docs/concepts/preemption, fair sharing;
// KEP 1714)
func (c *Cluster) shareOf(n int32) share {
	node := &c.nodes[n]
	if node.parent == none {
		return share{}
	}
	resources := len(c.resources)
	c.borrowed = slices.Grow(c.borrowed[:0], resources)[:resources]
	clear(c.borrowed)
	for _, k := range c.trees[node.tree].kinds {
		i := c.at(n, k)
		c.borrowed[c.ofKind[k]] += max(0, c.usage[i]-c.subtree[i])
	}
	out := share{}
	for r, b := range c.borrowed {
		lendable := c.lendable[int(n)*resources+r]
		if b > 0 && lendable > 0 {
			out.ratio = max(out.ratio, float64(b)*1000/lendable)
		}
	}
	if node.weight == 0 {
		out.above = out.ratio > 0
		return out
	}
	out.weighted = out.ratio / node.weight
	return out
}

// borrowsAny reports whether a node has more than its quota of anything.
func (c *Cluster) borrowsAny(n int32) bool {
	return !c.withinNominal(n, c.trees[c.nodes[n].tree].kinds)
}

// fairLists are the candidates of each queue that are left, in order.
type fairLists struct {
	byNode [][]int32 // by queue: places among the candidates
	heads  []int     // how many of byNode were taken
	pruned []bool
	aside  []int32
}

// findFairVictims is findVictims with fair sharing.
func (c *Cluster) findFairVictims(number int32, uses []amount, needs []int32) {
	q := c.jobs[number].queue
	c.candidates = c.candidates[:0]
	c.addOwnCandidates(number, needs)
	c.addBorrowers(number, needs)
	if len(c.candidates) == 0 {
		return
	}
	for i := range c.candidates {
		c.candidates[i].rank = own // one list
	}
	c.sortCandidates(q)
	for _, u := range uses {
		c.addUsage(q, u.kind, u.value)
	}
	stays := c.withinNominal(q, needs)
	fitted := c.walkFairly(q, uses, c.config.Fair[0], stays)
	if !fitted && len(c.config.Fair) > 1 {
		fitted = c.walkAgain(q, uses)
	}
	for _, u := range uses {
		c.removeUsage(q, u.kind, u.value)
	}
	c.spareVictims(q, uses, fitted, true)
}

// addBorrowers adds jobs of queues of the tree that borrow what is needed.
func (c *Cluster) addBorrowers(number int32, needs []int32) {
	q := c.jobs[number].queue
	policy := c.nodes[q].queue.Reclaim
	if policy == Never || c.nodes[q].parent == none {
		return
	}
	for _, other := range c.trees[c.nodes[q].tree].queues {
		if other == q || c.withinNominal(other, needs) {
			continue
		}
		for _, k := range c.queues[other].admitted {
			if !c.hidden[k] && c.allows(policy, number, k) && c.usesAny(k, needs) {
				c.candidates = append(c.candidates, candidate{job: k, reason: InCohortFairSharing})
			}
		}
	}
}

// listCandidates begins a walk over these places of candidates.
func (c *Cluster) listCandidates(q int32, places func(yield func(int32) bool)) {
	l := &c.lists
	if len(l.byNode) < len(c.nodes) {
		l.byNode = make([][]int32, len(c.nodes))
		l.heads = make([]int, len(c.nodes))
		l.pruned = make([]bool, len(c.nodes))
	}
	root := c.trees[c.nodes[q].tree].root
	for n := root; int(n) < len(c.nodes) && c.nodes[n].tree == c.nodes[q].tree; n++ {
		l.byNode[n] = l.byNode[n][:0]
		l.heads[n] = 0
		l.pruned[n] = false
	}
	places(func(i int32) bool {
		of := c.jobs[c.candidates[i].job].queue
		l.byNode[of] = append(l.byNode[of], i)
		return true
	})
}

// left returns the candidates of a queue that are left, by place.
func (l *fairLists) left(n int32) []int32 { return l.byNode[n][l.heads[n]:] }

// nextQueue returns the queue from which to preempt next; none if there is none.
func (c *Cluster) nextQueue(q int32) int32 {
	l := &c.lists
	root := c.trees[c.nodes[q].tree].root
	if c.nodes[root].queue != nil {
		if len(l.left(q)) == 0 {
			return none
		}
		return q
	}
	for !l.pruned[root] {
		if n := c.descend(root, q); n != none {
			return n
		}
	}
	return none
}

// descend goes down from a cohort to where the share is highest. None: a cohort was pruned.
func (c *Cluster) descend(at, q int32) int32 {
	l := &c.lists
	queue := int32(none)
	var queueShare share
	for _, n := range c.nodes[at].queues {
		if l.pruned[n] {
			continue
		}
		if len(l.left(n)) == 0 || n != q && !c.borrowsAny(n) {
			l.pruned[n] = true
			continue
		}
		s := c.shareOf(n)
		if queue == none || queueShare.isLess(s) || !s.isLess(queueShare) && l.left(n)[0] < l.left(queue)[0] {
			queue = n
			queueShare = s
		}
	}
	cohort := int32(none)
	var cohortShare share
	for _, n := range c.nodes[at].cohorts {
		if l.pruned[n] {
			continue
		}
		if !c.isAbove(n, q) && !c.borrowsAny(n) {
			l.pruned[n] = true
			continue
		}
		s := c.shareOf(n)
		if cohort == none || cohortShare.isLess(s) {
			cohort = n
			cohortShare = s
		}
	}
	switch {
	case queue == none && cohort == none:
		l.pruned[at] = true
		return none
	case cohort != none && (queue == none || !cohortShare.isLess(queueShare)):
		return c.descend(cohort, q)
	}
	return queue
}

// isAbove reports whether a cohort is an ancestor of a queue.
func (c *Cluster) isAbove(cohort, q int32) bool {
	for n := c.nodes[q].parent; n != none; n = c.nodes[n].parent {
		if n == cohort {
			return true
		}
	}
	return false
}

// sides returns, of two queues, the nodes just below the lowest cohort that has both.
func (c *Cluster) sides(x, y int32) (a, b int32) {
	a = x
	b = y
	for c.nodes[a].parent != c.nodes[b].parent {
		if c.nodes[a].depth > c.nodes[b].depth {
			a = c.nodes[a].parent
		} else if c.nodes[a].depth < c.nodes[b].depth {
			b = c.nodes[b].parent
		} else {
			a = c.nodes[a].parent
			b = c.nodes[b].parent
		}
	}
	return a, b
}

// preemptFirst preempts the first candidate of a queue, and reports whether it suffices.
func (c *Cluster) preemptFirst(q, y int32, uses []amount, reason Reason) bool {
	l := &c.lists
	number := c.candidates[l.left(y)[0]].job
	l.heads[y]++
	c.removeJob(number)
	c.found = append(c.found, victim{number, reason})
	for _, u := range uses {
		c.removeUsage(q, u.kind, u.value)
	}
	enough := c.fits(q, uses, true)
	for _, u := range uses {
		c.addUsage(q, u.kind, u.value)
	}
	return enough
}

// walkFairly preempts by the first strategy until it suffices. Stays: the preemptor stays within its quota.
func (c *Cluster) walkFairly(q int32, uses []amount, strategy Strategy, stays bool) bool {
	l := &c.lists
	c.listCandidates(q, func(yield func(int32) bool) {
		for i := range c.candidates {
			yield(int32(i))
		}
	})
	l.aside = l.aside[:0]
	for {
		y := c.nextQueue(q)
		switch {
		case y == none:
			return false
		case y == q:
			if c.preemptFirst(q, y, uses, InClusterQueue) {
				return true
			}
			continue
		case stays:
			if c.preemptFirst(q, y, uses, InCohortReclamation) {
				return true
			}
			continue
		}
		enough, found := c.preemptByShare(q, y, uses, strategy)
		if found && enough {
			return true
		}
	}
}

// preemptByShare preempts the first candidate of a queue that the strategy allows; those before it are set aside.
func (c *Cluster) preemptByShare(q, y int32, uses []amount, strategy Strategy) (enough, found bool) {
	l := &c.lists
	mine, theirs := c.sides(q, y)
	p := c.shareOf(mine)
	initial := c.shareOf(theirs)
	hopeless := p.above && !initial.above
	for len(l.left(y)) > 0 {
		first := l.left(y)[0]
		passes := false
		if !hopeless {
			if strategy == LessThanInitialShare {
				passes = p.isLess(initial)
			} else {
				number := c.candidates[first].job
				c.removeJob(number)
				passes = !c.shareOf(theirs).isLess(p)
				c.putBack(number)
			}
		}
		if passes {
			return c.preemptFirst(q, y, uses, InCohortFairSharing), true
		}
		l.aside = append(l.aside, first)
		l.heads[y]++
	}
	return false, false
}

// walkAgain preempts by the second strategy one of each queue at most, of those that were set aside.
func (c *Cluster) walkAgain(q int32, uses []amount) bool {
	l := &c.lists
	slices.Sort(l.aside)
	c.listCandidates(q, slices.Values(l.aside))
	for {
		y := c.nextQueue(q)
		if y == none {
			return false
		}
		mine, theirs := c.sides(q, y)
		if c.shareOf(mine).isLess(c.shareOf(theirs)) && c.preemptFirst(q, y, uses, InCohortFairSharing) {
			return true
		}
		l.pruned[y] = true
	}
}

// entry is a head in the tournament of fair sharing: its share is that of the node with which it comes into a cohort.
type entry struct {
	head    *head
	share   share
	borrows bool // its node, in what the head asks for
}

// winner returns the head that is processed next of those below a cohort: that of the lowest share, at each cohort from
// the queues up.
func (c *Cluster) winner(root int32) *head {
	best := c.winnerBelow(root)
	return best.head
}

// winnerBelow returns the best of a cohort, with the share of the child with which it came.
func (c *Cluster) winnerBelow(at int32) entry {
	best := entry{}
	for _, n := range c.nodes[at].cohorts {
		if e := c.winnerBelow(n); e.head != nil {
			c.enter(&best, e.head, n)
		}
	}
	for _, q := range c.nodes[at].queues {
		for i := range c.heads {
			if h := &c.heads[i]; !h.done && c.jobs[h.job].queue == q {
				c.enter(&best, h, q)
			}
		}
	}
	return best
}

// enter compares a head that comes with a node to the best so far.
func (c *Cluster) enter(best *entry, h *head, n int32) {
	q := c.jobs[h.job].queue
	for _, u := range h.found.uses {
		c.addUsage(q, u.kind, u.value)
	}
	e := entry{head: h, share: c.shareOf(n)}
	for _, u := range h.found.uses {
		e.borrows = e.borrows || u.value > 0 && c.borrows(n, u.kind, 0)
	}
	for _, u := range h.found.uses {
		c.removeUsage(q, u.kind, u.value)
	}
	if best.head == nil || c.isBetter(&e, best) {
		*best = e
	}
}

func (c *Cluster) isBetter(a, b *entry) bool {
	switch {
	case a.head.preemptor != b.head.preemptor:
		return a.head.preemptor
	case a.borrows != b.borrows:
		return b.borrows
	case a.share.isLess(b.share):
		return true
	case b.share.isLess(a.share):
		return false
	}
	return c.compareAge(a.head.job, b.head.job) < 0
}
