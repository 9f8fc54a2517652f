package reference

import (
	"container/heap"
)

// Result is what became of a job, s.
type Result struct {
	Start, End float64
	Queue      float64 // time without GPUs
	Run        float64 // time with GPUs
	// Sets counts, by their tier, the sets of several GPUs that the job had: the public code
	// remembers the speed on a set, and counts where it has to work it out.
	Sets [SeveralRacks + 1]int
}

// The tiers.
const (
	OneGPU Tier = iota
	OneMachine
	OneRack
	SeveralRacks
)

// Cluster is equal racks of equal machines.
type Cluster struct{ Racks, Machines, Slots, GPUs int } // machines a rack, slots a machine, GPUs a slot

func (c *Cluster) machine() int { return c.Slots * c.GPUs }

func (c *Cluster) rack() int { return c.Machines * c.machine() }

func (c *Cluster) all() int { return c.Racks * c.rack() }

// job is the changing part of a job.
type job struct {
	waiting bool
	started bool
	last    float64         // when it began to wait, or to run
	score   float64         // lower is first
	left    int             // iterations
	gpus    []int           // that it has
	lease   float64         // end
	had     map[string]bool // sets of several GPUs
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

func (r *run) later(at float64, what kind, j int) {
	heap.Push(&r.events, event{at, what, r.put, j})
	r.put++
}

// seconds is how long a chunk of a job takes on its GPUs. Scores of jobs are often equal but for
// rounding, so that the order of the operations decides who goes first.
func (r *run) seconds(j int) float64 {
	s := &r.Jobs[j]
	return float64(r.Chunk) * (s.Seconds / s.Speed[r.tier(r.jobs[j].gpus)])
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

// Tier is the slowest network between the GPUs of a job.
type Tier uint8

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

// tuner remembers how long jobs waited until they were placed, by where and by their GPUs.
type tuner struct {
	span  float64 // s after which a wait is forgotten
	waits map[[2]int][]wait
}

type wait struct{ leases, at float64 }
