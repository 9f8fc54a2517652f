package kueue

import (
	"fmt"
	"slices"
)

// Reset takes all jobs out, and keeps their memory.
func (c *Cluster) Reset() {
	clear(c.usage)
	for i := range c.jobs {
		c.jobs[i].status = absent
	}
	clear(c.hidden)
	for i := range c.shapes {
		c.shapes[i].jobs = c.shapes[i].jobs[:0]
		c.shapes[i].hopeless = 0
	}
	for n := range c.queues {
		q := &c.queues[n]
		q.first = stale
		q.admitted = q.admitted[:0]
		q.preemptor = none
		q.generation = 0
	}
	for t := range c.state {
		c.state[t] = treeState{epoch: 1, asleep: true, heads: c.state[t].heads[:0], hopeless: c.state[t].hopeless[:0],
			evicted: c.state[t].evicted[:0]}
	}
	c.cycle = 0
	c.hash = 0
	c.awake = c.awake[:0]
	c.waiting = 0
	c.ties = 0
}

// Clone returns a copy that shares only what does not change.
func (c *Cluster) Clone() *Cluster {
	made := *c
	made.scratch = scratch{}
	made.usage = slices.Clone(c.usage)
	made.awake = slices.Clone(c.awake)
	made.jobs = slices.Clone(c.jobs)
	for i := range made.jobs {
		j := &made.jobs[i]
		j.uses = slices.Clone(j.uses)
		j.counts = slices.Clone(j.counts)
		j.taken = slices.Clone(j.taken)
		j.tried.last = slices.Clone(j.tried.last)
	}
	made.shapes = slices.Clone(c.shapes)
	for i := range made.shapes {
		made.shapes[i].jobs = slices.Clone(made.shapes[i].jobs)
	}
	made.queues = slices.Clone(c.queues)
	for n := range made.queues {
		q := &made.queues[n]
		q.lists = slices.Clone(q.lists)
		q.admitted = slices.Clone(q.admitted)
		shapes := make(map[string]int32, len(q.shapes))
		for key, at := range q.shapes {
			shapes[key] = at
		}
		q.shapes = shapes
	}
	made.state = slices.Clone(c.state)
	for t := range made.state {
		s := &made.state[t]
		s.heads = slices.Clone(s.heads)
		s.hopeless = slices.Clone(s.hopeless)
		s.evicted = slices.Clone(s.evicted)
	}
	return &made
}

// Admit adds a job that runs already, with so many pods of each of its sets in a flavor, whether there is quota for it
// or not.
func (c *Cluster) Admit(number int, of *Job, flavor string, pods ...int64) error {
	if len(pods) != len(of.PodSets) {
		return fmt.Errorf("job %s runs with the pods of %d sets, expected those of %d",
			of.Name, len(pods), len(of.PodSets))
	}
	if err := c.Submit(number, of); err != nil {
		return err
	}
	c.dequeue(int32(number))
	j := &c.jobs[number]
	j.status = admitted
	j.reserved = of.Created
	for s := range j.need.sets {
		set := &j.need.sets[s]
		j.counts = append(j.counts, pods[s])
		for k := set.first; k < set.end; k++ {
			r := &j.need.requests[k]
			if r.group == none {
				return fmt.Errorf("job %s runs, but its queue %s has no quota of %s", of.Name, of.Queue, r.name)
			}
			g := &c.nodes[j.queue].groups[r.group]
			at := max(0, slices.IndexFunc(g.flavors, func(f int32) bool { return c.flavors[f] == flavor }))
			j.taken = append(j.taken, g.flavors[at])
			j.uses = addAmount(j.uses, g.kinds[at*len(g.resources)+int(r.slot)], r.each*pods[s])
		}
	}
	c.take(int32(number))
	return nil
}

// Explain says why a job waits, in Kueue's words, or in which flavor it was admitted.
func (c *Cluster) Explain(number int) string {
	j := &c.jobs[number]
	queue := c.nodes[j.queue].name
	switch {
	case c.nodes[j.queue].queue.Stopped:
		return fmt.Sprintf("ClusterQueue %s is inactive", queue)
	case j.status == leaving:
		return fmt.Sprintf("preempted to accommodate %s: its quota is released when its pods have terminated",
			c.jobs[j.blocker].name)
	case j.status == admitted:
		return "admitted by ClusterQueue " + queue
	}
	switch j.why {
	case NoFit:
		return fmt.Sprintf("couldn't assign flavors to pod set %s: "+
			"insufficient quota in ClusterQueue %s and what it may borrow", j.need.sets[0].name, queue)
	case NoCandidates:
		return fmt.Sprintf("insufficient unused quota in ClusterQueue %s, "+
			"and no workload there or in its cohort that it may preempt", queue)
	case PendingVictims:
		return "pending the preemption of other workloads"
	case Skipped:
		return "no longer fits after processing another workload of the cycle"
	}
	return fmt.Sprintf("behind others of ClusterQueue %s that are tried first", queue)
}

// Use returns how much of a resource the jobs of a queue have, in all flavors, and its nominal quota.
func (c *Cluster) Use(queue, resource string) (used, nominal int64) {
	n, known := c.byName[queue]
	if !known {
		return 0, 0
	}
	for k, name := range c.kindNames {
		if c.resources[name.resource] == resource {
			i := c.at(n, int32(k))
			used += c.usage[i]
			nominal += c.nominal[i]
		}
	}
	return used, nominal
}
