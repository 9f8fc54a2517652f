package kueue

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Cluster is the quotas of a cluster, with the jobs that have them and those that wait. Jobs are named by a number
// that the caller gives them, from 0.
type Cluster struct {
	*static
	usage  []int64 // by node and kind
	jobs   []job
	shapes []shape
	queues []queue // by node; those of cohorts are empty
	state  []treeState

	cycle   int64   // the last, of all
	hash    uint64  // of the trees, in all
	awake   []int32 // trees in which the next cycle may change something
	waiting int     // trees that sleep with jobs to be tried
	ties    int64
	stuck   int // the job that was preempted too often; none: none

	scratch
}

// amount is a use of a kind of quota.
type amount struct {
	kind  int32
	value int64
}

type status uint8

const (
	absent status = iota
	pending
	admitted
	leaving // preempted, with its quota still
)

// job is a workload in the cluster.
type job struct {
	name     string
	priority int32
	created  int64
	queue    int32
	shape    int32
	status   status
	why      Waiting
	place    int32 // among those of its shape that wait, or among those of its queue that are admitted
	reserved int64 // s, when it was admitted
	uses     []amount
	counts   []int64 // pods by set, while it is admitted
	taken    []int32 // flavor by request, likewise
	tried    record
	evicted  int32 // since a job of its tree finished last
	need     *need
	blocker  int32 // whoever preempted it last
	replaces int32 // the admitted job in whose place it is to come, of a slice; none: none
	slice    int32 // the slice that waits to come in its place; none: none
}

// record is where the scan of flavors stopped.
type record struct {
	last       []int32 // by request, as in an assignment
	cycle      int64
	generation int64
	hash       uint64
	set        bool
}

// need is what jobs of a shape ask for.
type need struct {
	requests []request // by set, resources in order of name
	sets     []needSet
	partial  int // the set that may start with fewer pods; none: none
}

type needSet struct {
	name       string
	first, end int // of its requests
	count, min int64
	flavors    []int32 // nil: all
	only       bool
}

type request struct {
	each  int64 // of a pod
	group int32 // none: no group of the queue has it
	slot  int32 // in the group
	name  string
}

// shape is the jobs of a queue that are decided alike. As long as no quota is given back, none is tried again where one
// was hopeless (Kueue's scheduling equivalence hashing): all wait apart, until the epoch of the tree is over.
type shape struct {
	need     *need
	jobs     []int32 // that wait: a heap, the first first
	hopeless int64   // epoch of the tree in which it is
}

// queue is what changes of a ClusterQueue.
type queue struct {
	shapes     map[string]int32
	lists      []int32 // its shapes
	first      int32   // the shape with the first job; stale: to be found
	admitted   []int32
	preemptor  int32 // job that waits for its victims, the last such
	generation int64
}

const stale = -2

// treeState is what changes of a tree.
type treeState struct {
	epoch    int64
	hash     uint64 // of hopeless shapes and records
	asleep   bool
	still    int     // cycles in a row that changed nothing
	heads    []int32 // of the last cycle
	hopeless []int32 // shapes of this epoch
	evicted  []int32 // jobs that were, since one finished
}

// New returns a cluster without jobs. Errors are quotas out of range, names that are there twice and cohorts that are
// no tree.
func New(config Config) (*Cluster, error) {
	s, err := newStatic(config)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		static: s,
		usage:  make([]int64, len(s.nodes)*s.kinds),
		queues: make([]queue, len(s.nodes)),
		state:  make([]treeState, len(s.trees)),
		stuck:  none,
	}
	for t := range c.state {
		c.state[t].epoch = 1
		c.state[t].asleep = true
	}
	for n := range c.queues {
		c.queues[n] = queue{first: none, preemptor: none}
	}
	return c, nil
}

// Ties is how often Kueue leaves open which of two jobs is first: equal level, priority and second of creation. The one
// whose name is first was.
func (c *Cluster) Ties() int64 { return c.ties }

// Submit adds a job that waits, under a number that was not used. Errors are a queue that does not exist and amounts
// out of range.
func (c *Cluster) Submit(number int, of *Job) error {
	q, known := c.byName[of.Queue]
	if !known {
		return fmt.Errorf("job %s: there is no ClusterQueue %q", of.Name, of.Queue)
	}
	at, err := c.shapeOf(q, of)
	if err != nil {
		return fmt.Errorf("job %s: %w", of.Name, err)
	}
	for len(c.jobs) <= number {
		c.jobs = append(c.jobs, job{})
	}
	j := &c.jobs[number]
	*j = job{
		name:     of.Name,
		priority: of.Priority,
		created:  of.Created,
		queue:    q,
		shape:    at,
		need:     c.shapes[at].need,
		uses:     j.uses[:0],
		counts:   j.counts[:0],
		taken:    j.taken[:0],
		tried:    record{last: j.tried.last[:0]},
		blocker:  none,
		replaces: none,
		slice:    none,
	}
	c.enqueue(int32(number))
	return nil
}

// shapeOf returns the shape of a job in its queue.
func (c *Cluster) shapeOf(q int32, of *Job) (int32, error) {
	key := binary.AppendVarint(c.key[:0], int64(of.Priority))
	for i := range of.PodSets {
		set := &of.PodSets[i]
		key = binary.AppendVarint(append(append(key, set.Name...), 0), set.Count)
		key = binary.AppendVarint(key, set.Min)
		for _, r := range set.Requests {
			key = binary.AppendVarint(append(append(key, r.Resource...), 1), r.Amount)
		}
		for _, f := range set.Flavors {
			key = append(append(key, f...), 2)
		}
		if set.Flavors != nil {
			key = append(key, 3)
		}
	}
	c.key = key
	at, known := c.queues[q].shapes[string(key)]
	if known {
		return at, nil
	}
	need, err := c.newNeed(q, of)
	if err != nil {
		return 0, err
	}
	at = int32(len(c.shapes))
	c.shapes = append(c.shapes, shape{need: need})
	if c.queues[q].shapes == nil {
		c.queues[q].shapes = map[string]int32{}
	}
	c.queues[q].shapes[string(key)] = at
	c.queues[q].lists = append(c.queues[q].lists, at)
	return at, nil
}

// newNeed finds the groups of the queue that have what a job asks for.
func (c *Cluster) newNeed(q int32, of *Job) (*need, error) {
	made := &need{partial: none}
	groups := c.nodes[q].groups
	for i := range of.PodSets {
		set := &of.PodSets[i]
		if set.Count < 0 || set.Count > MaxAmount || set.Min < 0 || set.Min > set.Count {
			return nil, fmt.Errorf("podset %s: %d pods, at least %d, is out of range", set.Name, set.Count, set.Min)
		}
		one := needSet{name: set.Name, first: len(made.requests), count: set.Count, min: set.Count}
		if set.Min > 0 && set.Min < set.Count {
			one.min = set.Min
			made.partial = i
		}
		if set.Flavors != nil {
			one.only = true
			for _, name := range set.Flavors {
				if f := slices.Index(c.flavors, name); f >= 0 {
					one.flavors = append(one.flavors, int32(f))
				}
			}
		}
		requests := slices.Clone(set.Requests)
		for g := range groups {
			if groups[g].takesPods >= 0 {
				requests = slices.DeleteFunc(requests, func(r Request) bool { return r.Resource == pods })
				requests = append(requests, Request{Resource: pods, Amount: 1})
			}
		}
		slices.SortFunc(requests, func(a, b Request) int { return strings.Compare(a.Resource, b.Resource) })
		for _, r := range requests {
			if r.Amount < 0 || set.Count > 0 && r.Amount > MaxAmount/set.Count {
				return nil, fmt.Errorf("podset %s: %d pods of %d %s is out of range",
					set.Name, set.Count, r.Amount, r.Resource)
			}
			found := request{each: r.Amount, group: none, name: r.Resource}
			for g := range groups {
				for slot, name := range groups[g].resources {
					if c.resources[name] == r.Resource {
						found.group = int32(g)
						found.slot = int32(slot)
					}
				}
			}
			if found.group != none || r.Amount*set.Count > 0 {
				made.requests = append(made.requests, found)
			}
		}
		one.end = len(made.requests)
		made.sets = append(made.sets, one)
	}
	return made, nil
}

// Finish ends a job: what it has is given back. It may be one that waits.
func (c *Cluster) Finish(number int) {
	j := &c.jobs[number]
	if j.status != absent {
		c.dropSlice(int32(number))
	}
	switch j.status {
	case pending:
		if j.replaces != none {
			c.jobs[j.replaces].slice = none
		}
		c.dequeue(int32(number))
		c.wake(c.nodes[j.queue].tree)
	case admitted, leaving:
		c.give(int32(number))
		c.requeue(c.nodes[j.queue].tree)
		c.forgetEvictions(c.nodes[j.queue].tree)
	}
	j.status = absent
}

// Release gives back what a preempted job, or one that runs, had: it waits again, in its old place.
func (c *Cluster) Release(number int) {
	j := &c.jobs[number]
	if j.status != admitted && j.status != leaving {
		return
	}
	c.give(int32(number))
	c.dropSlice(int32(number))
	c.enqueue(int32(number))
	c.requeue(c.nodes[j.queue].tree)
}

// give takes the quota of a job.
func (c *Cluster) give(number int32) {
	j := &c.jobs[number]
	for _, u := range j.uses {
		c.removeUsage(j.queue, u.kind, u.value)
	}
	q := &c.queues[j.queue]
	last := q.admitted[len(q.admitted)-1]
	q.admitted[j.place] = last
	c.jobs[last].place = j.place
	q.admitted = q.admitted[:len(q.admitted)-1]
	q.generation++
}

// take gives a job its quota.
func (c *Cluster) take(number int32) {
	j := &c.jobs[number]
	for _, u := range j.uses {
		c.addUsage(j.queue, u.kind, u.value)
	}
	q := &c.queues[j.queue]
	j.place = int32(len(q.admitted))
	q.admitted = append(q.admitted, number)
	q.generation++
}

// isBefore reports whether a job comes before another of its queue.
func (c *Cluster) isBefore(x, y int32) bool {
	a := &c.jobs[x]
	b := &c.jobs[y]
	switch {
	case a.priority != b.priority:
		return a.priority > b.priority
	case a.created != b.created:
		return a.created < b.created
	}
	return c.compareNames(x, y) < 0
}

// compareNames is the order of last resort: names, as the UIDs that they stand for, and numbers where they are equal.
func (c *Cluster) compareNames(x, y int32) int {
	return cmp.Or(strings.Compare(c.jobs[x].name, c.jobs[y].name), cmp.Compare(x, y))
}

// enqueue has a job wait.
func (c *Cluster) enqueue(number int32) {
	j := &c.jobs[number]
	j.status = pending
	j.why = NotTried
	list := &c.shapes[j.shape].jobs
	*list = append(*list, number)
	c.up(*list, len(*list)-1)
	c.setRecord(number, false)
	c.queues[j.queue].first = stale
	c.wake(c.nodes[j.queue].tree)
}

// dequeue takes a job out of those that wait.
func (c *Cluster) dequeue(number int32) {
	c.setRecord(number, false)
	j := &c.jobs[number]
	list := c.shapes[j.shape].jobs
	last := len(list) - 1
	at := int(j.place)
	list[at] = list[last]
	c.jobs[list[at]].place = int32(at)
	list = list[:last]
	c.shapes[j.shape].jobs = list
	if at < last {
		c.down(list, at)
		c.up(list, at)
	}
	q := &c.queues[j.queue]
	q.first = stale
	if q.preemptor == number {
		q.preemptor = none
	}
}

func (c *Cluster) up(list []int32, at int) {
	moved := list[at]
	for at > 0 && c.isBefore(moved, list[(at-1)/2]) {
		list[at] = list[(at-1)/2]
		c.jobs[list[at]].place = int32(at)
		at = (at - 1) / 2
	}
	list[at] = moved
	c.jobs[moved].place = int32(at)
}

func (c *Cluster) down(list []int32, at int) {
	moved := list[at]
	for {
		child := 2*at + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && c.isBefore(list[child+1], list[child]) {
			child++
		}
		if !c.isBefore(list[child], moved) {
			break
		}
		list[at] = list[child]
		c.jobs[list[at]].place = int32(at)
		at = child
	}
	list[at] = moved
	c.jobs[moved].place = int32(at)
}

// requeue has all hopeless jobs of a tree tried again.
func (c *Cluster) requeue(t int32) {
	s := &c.state[t]
	for _, at := range s.hopeless {
		c.addHash(t, -mix(uint64(at)<<1|1))
		if list := c.shapes[at].jobs; len(list) > 0 {
			c.queues[c.jobs[list[0]].queue].first = stale
		}
	}
	s.hopeless = s.hopeless[:0]
	s.epoch++
	c.wake(t)
}

// giveUp has the jobs of a shape wait until something is given back.
func (c *Cluster) giveUp(number int32) {
	j := &c.jobs[number]
	s := &c.state[c.nodes[j.queue].tree]
	if c.shapes[j.shape].hopeless == s.epoch {
		return
	}
	c.shapes[j.shape].hopeless = s.epoch
	s.hopeless = append(s.hopeless, j.shape)
	c.addHash(c.nodes[j.queue].tree, mix(uint64(j.shape)<<1|1))
	c.queues[j.queue].first = stale
}

// setRecord enters in the state of the tree whether the record of a job counts.
func (c *Cluster) setRecord(number int32, set bool) {
	j := &c.jobs[number]
	t := c.nodes[j.queue].tree
	c.addHash(t, -j.tried.hash)
	j.tried.hash = 0
	j.tried.set = set
	if !set {
		return
	}
	hash := mix(uint64(number) << 1)
	for _, last := range j.tried.last {
		hash = mix(hash ^ uint64(last-untried))
	}
	j.tried.hash = hash
	c.addHash(t, hash)
}

// addHash changes the state of a tree, and so that of all.
func (c *Cluster) addHash(t int32, by uint64) {
	c.state[t].hash += by
	c.hash += by
}

// mix spreads a number over all bits (splitmix64, Steele and others, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// head returns the job of a queue that is tried next, none if there is none.
func (c *Cluster) head(n int32) int32 {
	q := &c.queues[n]
	node := &c.nodes[n]
	epoch := c.state[node.tree].epoch
	if p := q.preemptor; p != none && !node.queue.Strict && c.shapes[c.jobs[p].shape].hopeless != epoch {
		return p
	}
	if q.first == stale {
		q.first = none
		for _, at := range q.lists {
			s := &c.shapes[at]
			if len(s.jobs) == 0 || s.hopeless == epoch {
				continue
			}
			if q.first == none || c.isBefore(s.jobs[0], c.shapes[q.first].jobs[0]) {
				q.first = at
			}
		}
	}
	if q.first == none {
		return none
	}
	return c.shapes[q.first].jobs[0]
}

// wake has a tree looked at in the next cycle.
func (c *Cluster) wake(t int32) {
	s := &c.state[t]
	s.still = 0
	if !s.asleep {
		return
	}
	s.asleep = false
	at, _ := slices.BinarySearch(c.awake, t)
	c.awake = slices.Insert(c.awake, at, t)
	if len(s.heads) == 0 {
		return
	}
	c.waiting--
	// They would have been tried in each cycle of the others, with the same outcome.
	for _, number := range s.heads {
		c.jobs[number].tried.cycle = c.cycle
	}
	s.heads = s.heads[:0]
}

// forgetEvictions counts those of a tree anew.
func (c *Cluster) forgetEvictions(t int32) {
	for _, number := range c.state[t].evicted {
		c.jobs[number].evicted = 0
	}
	c.state[t].evicted = c.state[t].evicted[:0]
}

// Pods returns with how many pods of a set a job was admitted.
func (c *Cluster) Pods(number, set int) int64 { return c.jobs[number].counts[set] }

// Flavor returns the flavor in which an admitted job has a resource of one of its sets; empty if it asks for none of
// it.
func (c *Cluster) Flavor(number, set int, resource string) string {
	j := &c.jobs[number]
	of := &j.need.sets[set]
	for k := of.first; k < of.end; k++ {
		if j.need.requests[k].name == resource && j.taken[k] != none {
			return c.flavors[j.taken[k]]
		}
	}
	return ""
}
