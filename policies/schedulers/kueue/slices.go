package kueue

import "fmt"

// Resize changes the numbers of pods of a job to those of another, which is it in all else: what Kueue calls elastic
// jobs, or workload slices (https://kueue.sigs.k8s.io/docs/concepts/elastic_workload). While the job waits, its
// numbers change and it keeps its place. One that is admitted has fewer pods at once. For more, or more in one set and
// fewer in another, it goes on as it is, and a slice that is to come in its place waits under a number that was not
// used, created now: it asks for the difference alone, in the flavors that the job has. When it is admitted, which is
// reported of the job, the job has its pods and its time of creation. Another Resize until then changes the slice. A
// job that is preempted or released comes back with the pods that were asked for last. It reports whether a slice
// waits. Errors are those of Submit, and other sets of pods, or sets that start with fewer (Min).
func (c *Cluster) Resize(number, slice int, of *Job, now int64) (waits bool, err error) {
	j := &c.jobs[number]
	if err := c.checkSets(j, of); err != nil {
		return false, fmt.Errorf("job %s: %w", of.Name, err)
	}
	at, err := c.shapeOf(j.queue, of)
	if err != nil {
		return false, fmt.Errorf("job %s: %w", of.Name, err)
	}
	fewer := false
	more := false
	for s, count := range j.counts {
		fewer = fewer || of.PodSets[s].Count < count
		more = more || of.PodSets[s].Count > count
	}
	switch {
	case j.status == pending:
		c.reshape(int32(number), at)
	case j.status == leaving:
		c.setShape(int32(number), at)
	case j.slice != none:
		c.reshape(j.slice, at)
		return true, nil
	case more:
		return true, c.addSlice(int32(number), slice, of, now)
	case fewer:
		c.shrink(int32(number), at)
	}
	return false, nil
}

// checkSets reports sets of pods that are not those of a job.
func (c *Cluster) checkSets(j *job, of *Job) error {
	if len(of.PodSets) != len(j.need.sets) {
		return fmt.Errorf("%d sets of pods, expected the %d that it has", len(of.PodSets), len(j.need.sets))
	}
	for s := range of.PodSets {
		set := &of.PodSets[s]
		has := j.need.sets[s].name
		if set.Name != has || set.Count < 1 || set.Min > 0 && set.Min < set.Count {
			return fmt.Errorf("podset %s of %d pods, at least %d: expected %s, with 1 pod or more and all of them",
				set.Name, set.Count, set.Min, has)
		}
	}
	return nil
}

func (c *Cluster) setShape(number, at int32) {
	c.jobs[number].shape = at
	c.jobs[number].need = c.shapes[at].need
}

// reshape changes what a job asks for that waits.
func (c *Cluster) reshape(number, at int32) {
	c.dequeue(number)
	c.setShape(number, at)
	c.enqueue(number)
}

// addSlice has a slice wait to come in the place of a job.
func (c *Cluster) addSlice(number int32, slice int, of *Job, now int64) error {
	priority := c.jobs[number].priority
	if err := c.Submit(slice, of); err != nil {
		return err
	}
	made := &c.jobs[slice]
	c.dequeue(int32(slice))
	made.priority = priority
	made.created = now
	made.replaces = number
	c.jobs[number].slice = int32(slice)
	c.enqueue(int32(slice))
	return nil
}

// shrink has an admitted job go on with fewer pods: what it has no more is given back, as where a job ends.
func (c *Cluster) shrink(number, at int32) {
	c.give(number)
	c.setShape(number, at)
	j := &c.jobs[number]
	for s := range j.need.sets {
		j.counts[s] = j.need.sets[s].count
	}
	c.countUses(j)
	c.take(number)
	c.requeue(c.nodes[j.queue].tree)
}

// countUses works out what an admitted job has by its flavors and pods.
func (c *Cluster) countUses(j *job) {
	j.uses = j.uses[:0]
	for s := range j.need.sets {
		set := &j.need.sets[s]
		for k := set.first; k < set.end; k++ {
			r := &j.need.requests[k]
			j.uses = addAmount(j.uses, c.kindOf(j.queue, r, j.taken[k]), r.each*j.counts[s])
		}
	}
}

// replaced returns the job in whose place a slice is to come; none: it is no slice, or that is among the victims of the
// cycle, as if it had left.
func (c *Cluster) replaced(number int32) int32 {
	old := c.jobs[number].replaces
	if old == none || c.hidden[old] {
		return none
	}
	return old
}

// takeOver returns the job that a slice which was admitted becomes, under its number: that whose place it takes, with
// what it had; a job that is no slice stays itself.
func (c *Cluster) takeOver(number int32) int32 {
	made := &c.jobs[number]
	if made.replaces == none {
		return number
	}
	old := made.replaces
	c.give(old)
	j := &c.jobs[old]
	c.setShape(old, made.shape)
	j.created = made.created
	j.reserved = made.reserved
	j.counts = append(j.counts[:0], made.counts...)
	j.taken = append(j.taken[:0], made.taken...)
	c.countUses(j)
	j.slice = none
	made.replaces = none
	made.status = absent
	return old
}

// dropSlice has a job that loses its quota ask for what the slice that waits asked for, which is no more.
func (c *Cluster) dropSlice(number int32) {
	j := &c.jobs[number]
	if j.slice == none {
		return
	}
	c.dequeue(j.slice)
	c.jobs[j.slice].status = absent
	c.setShape(number, c.jobs[j.slice].shape)
	j.slice = none
	c.wake(c.nodes[j.queue].tree)
}
