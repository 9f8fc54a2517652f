// Package dally replays the simulator of Dally (arXiv 2401.16492; aakash-sharma/cluster-sim at 4cd660e) as
// it counts, with two repairs of its authors' slips: only jobs that wait bid for GPUs, and
// groups of GPUs are searched in ascending order. For claims only: its clock is floating-point seconds.
package dally

import (
	"cmp"
	"container/heap"
	"slices"
)

// Tier is the slowest network between the GPUs of a job.
type Tier uint8

// The tiers.
const (
	OneGPU Tier = iota
	OneMachine
	OneRack
	SeveralRacks
)

// Job is a job of the simulation.
type Job struct {
	Arrival    float64 // s
	GPUs       int     // all at once
	Iterations int
	Seconds    float64 // an iteration on one GPU
	// Speed is how much of its speed a job keeps on GPUs at a tier, above 0 to 1.
	Speed [SeveralRacks + 1]float64
	// Spread says that the job may have GPUs of several machines, for Tiresias.
	Spread bool
}

// Cluster is equal racks of equal machines.
type Cluster struct{ Racks, Machines, Slots, GPUs int } // machines a rack, slots a machine, GPUs a slot

func (c *Cluster) machine() int { return c.Slots * c.GPUs }
func (c *Cluster) rack() int    { return c.Machines * c.machine() }
func (c *Cluster) all() int     { return c.Racks * c.rack() }

// Config is a simulation.
type Config struct {
	Cluster
	Jobs  []Job
	Lease float64 // s
	Chunk int     // iterations a GPU between two looks at the lease
	// Rack and Network are how long a job waits for GPUs of one machine before it takes those of one
	// rack, and of several, in leases. Both -1: they follow the waits of the last History leases.
	Rack, Network int
	History       float64
	// Tiresias orders jobs by the service that they received, and places them by its own rules.
	Tiresias bool
}

// Result is what became of a job, s.
type Result struct {
	Start, End float64
	Queue      float64 // time without GPUs
	Run        float64 // time with GPUs
}

// job is the changing part of a job.
type job struct {
	waiting bool
	started bool
	last    float64 // when it began to wait, or to run
	score   float64 // lower is first
	left    int     // iterations
	gpus    []int   // that it has
	lease   float64 // end
}

// run is a simulation under way.
type run struct {
	Config
	jobs   []job
	result []Result
	list   []int // jobs that have come and are not done
	busy   []bool
	free   int
	events events
	put    int
	now    float64
	waits  tuner
}

// Run simulates until all jobs are done.
func Run(c Config) []Result {
	r := &run{Config: c, jobs: make([]job, len(c.Jobs)), result: make([]Result, len(c.Jobs)), busy: make([]bool, c.all()), free: c.all()}
	r.waits.span = c.Lease * c.History
	for j := range c.Jobs {
		r.jobs[j].left = c.Jobs[j].Iterations
		r.later(c.Jobs[j].Arrival, arrival, j)
	}
	for len(r.events) > 0 || len(r.list) > 0 {
		if len(r.events) == 0 {
			r.later(r.now+60, auction, 0)
		}
		e := heap.Pop(&r.events).(event)
		r.now = e.at
		switch e.what {
		case arrival:
			r.arrive(e.job)
		case chunkEnd:
			r.end(e.job)
		case auction:
			r.auction()
		}
	}
	return r.result
}

func (r *run) later(at float64, what kind, j int) {
	heap.Push(&r.events, event{at, what, r.put, j})
	r.put++
}

// arrive adds a job to those that wait.
func (r *run) arrive(j int) {
	x := &r.jobs[j]
	x.waiting, x.last = true, r.now
	if r.free > 0 {
		r.later(r.now, auction, 0)
	}
	r.list = append(r.list, j)
}

// auction gives free GPUs to the jobs that wait.
func (r *run) auction() {
	var bidders []int
	for _, j := range r.list {
		if r.jobs[j].waiting {
			bidders = append(bidders, j)
		}
	}
	slices.SortStableFunc(bidders, func(a, b int) int {
		x, y := &r.jobs[a], &r.jobs[b]
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.last, y.last), cmp.Compare(a, b))
	})
	for _, j := range bidders {
		if r.free == 0 {
			break
		}
		r.place(j)
	}
	for _, j := range r.list {
		if x := &r.jobs[j]; x.waiting && len(x.gpus) > 0 {
			r.result[j].Queue += r.now - x.last
			x.waiting, x.last = false, r.now
			if !x.started {
				x.started, r.result[j].Start = true, r.now
			}
			r.chunk(j)
		}
	}
}

// seconds is how long a chunk of a job takes on its GPUs. Scores of jobs are often equal but for
// rounding, so that the order of the operations decides who goes first.
func (r *run) seconds(j int) float64 {
	s := &r.Jobs[j]
	return float64(r.Chunk) * (s.Seconds / s.Speed[r.tier(r.jobs[j].gpus)])
}

// chunk lets a job run for a chunk.
func (r *run) chunk(j int) { r.later(r.now+r.seconds(j), chunkEnd, j) }

// end ends a chunk: the job is done, gives its GPUs back, or goes on.
func (r *run) end(j int) {
	x, s, seconds := &r.jobs[j], &r.Jobs[j], r.seconds(j)
	n := float64(s.GPUs)
	r.result[j].Run += seconds
	x.left -= r.Chunk * s.GPUs
	if r.Tiresias {
		x.score += n * seconds
	} else {
		work := 1 - float64(x.left)/float64(s.Iterations)
		x.score = work / (r.result[j].Run / (s.Seconds * float64(s.Iterations) / n))
	}
	switch {
	case x.left <= 0:
		r.result[j].End = r.now
		r.release(j)
		r.list = slices.DeleteFunc(r.list, func(k int) bool { return k == j })
		r.later(r.now+n, auction, 0)
	case r.now >= x.lease:
		r.release(j)
		x.waiting, x.last = true, r.now
		r.later(r.now+n, auction, 0)
	case r.now+seconds/n > x.lease:
		r.release(j)
		x.waiting, x.last = true, r.now
		r.later(r.now, auction, 0)
	default:
		r.chunk(j)
	}
}

// release frees the GPUs of a job.
func (r *run) release(j int) {
	x := &r.jobs[j]
	for _, g := range x.gpus {
		r.busy[g] = false
	}
	r.free += len(x.gpus)
	x.gpus = x.gpus[:0]
}

// tier is the slowest network between GPUs, which are ascending.
func (r *run) tier(gpus []int) Tier {
	first, last := gpus[0], gpus[len(gpus)-1]
	switch {
	case len(gpus) == 1:
		return OneGPU
	case first/r.machine() == last/r.machine():
		return OneMachine
	case first/r.rack() == last/r.rack():
		return OneRack
	}
	return SeveralRacks
}
