package cluster

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Patience says how long a job waits for the cluster before it goes to the cloud.
type Patience string

// The patiences, by what Starburst.Factor is multiplied with; the empty one is Constant.
const (
	Constant     Patience = "constant"  // hours
	PerRuntime   Patience = "runtime"   // the job's run time
	PerGPU       Patience = "gpus"      // hours and the job's GPUs
	PerGPUHour   Patience = "gpu-hours" // the job's GPU-hours: Starburst's own
	WithoutLimit Patience = "endless"   // there is no cloud
)

// Starburst (ATC 2024; michaelzhiluo/starburst at 39a380a) serves jobs first come first served on a fixed cluster
// and sends those that wait too long to the cloud: the market's pool on demand, which should have room
// for all. It knows how long jobs run, at a speed of 1. Starburst's further options (a longest queue, long jobs
// that begin in the cloud and come back) are left out, and so they are of its recorded runs.
type Starburst struct {
	Patience Patience `set:"patience" names:"constant,runtime,gpus,gpu-hours,endless" doc:"what factor is multiplied with: the job's GPU-hours, one hour, its run time, or its GPUs and one hour; endless: never to the cloud"`
	Factor   float64  `set:"factor" min:"0" max:"1000000" doc:"how long a job waits for the cluster before it goes to the cloud: times what patience says, in hours"`
	// Backfill passes over a job that does not fit, else it keeps those behind it waiting.
	Backfill bool `set:"backfill" doc:"passes over a job that does not fit; else it keeps those behind it waiting"`

	gpus gpus
}

// Name implements sim.Policy.
func (*Starburst) Name() string { return "starburst" }

// KnowsFuture implements sim.Oracle.
func (*Starburst) KnowsFuture() {}

// burst is what Starburst remembers: until when each job waits.
type burst struct {
	limit []sim.Time // by job
	in    []bool     // it has come
	queue []int
}

// NewState implements sim.Stateful.
func (*Starburst) NewState(from any) any {
	if was, ok := from.(*burst); ok {
		return &burst{slices.Clone(was.limit), slices.Clone(was.in), slices.Clone(was.queue)}
	}
	return &burst{}
}

// Decide implements sim.Policy. A job whose patience is 0 is tried once.
func (s *Starburst) Decide(v sim.View, plan *sim.Plan) {
	b, cloud := v.State().(*burst), onDemand(v)
	s.gpus.count(v, plan)
	b.leave(v, plan, cloud)
	s.arrive(v, b)
	for again := true; again; again = b.leave(v, plan, cloud) {
		s.walk(v, plan, b)
	}
	next := sim.Never
	for _, j := range b.queue {
		next = min(next, b.limit[j])
	}
	if next != sim.Never {
		plan.WakeIn(next.Sub(v.Now()))
	}
}

// onDemand returns the first pool on demand, -1 if there is none.
func onDemand(v sim.View) int {
	for p := range v.Pools() {
		if v.Pool(p).OnDemand {
			return p
		}
	}
	return -1
}

// leave sends the jobs whose patience is over to the cloud, and reports whether there were any.
func (b *burst) leave(v sim.View, plan *sim.Plan, cloud int) bool {
	n := len(b.queue)
	if cloud >= 0 {
		b.queue = slices.DeleteFunc(b.queue, func(j int) bool {
			if b.limit[j] > v.Now() {
				return false
			}
			plan.Jobs[j].Hold[cloud] = gang(v, j).Gang()
			return true
		})
	}
	return len(b.queue) < n
}

// arrive adds new jobs to the queue.
func (s *Starburst) arrive(v sim.View, b *burst) {
	for len(b.in) < v.Jobs() {
		b.in, b.limit = append(b.in, false), append(b.limit, sim.Never)
	}
	for _, j := range v.ActiveJobs() {
		if b.in[j] {
			continue
		}
		b.in[j] = true
		b.queue = append(b.queue, j)
		if s.Patience != WithoutLimit {
			b.limit[j] = v.Now().Add(s.patience(gang(v, j)))
		}
	}
}

// patience is how long a job waits.
func (s *Starburst) patience(g sim.GangModel) time.Duration {
	hours := s.Factor
	switch s.Patience {
	case PerRuntime:
		hours *= g.Work() / 3600
	case PerGPU:
		hours *= float64(g.Gang())
	case PerGPUHour:
		hours *= float64(g.Gang()) * (g.Work() / 3600)
	}
	return time.Duration(hours * float64(time.Hour))
}

// walk starts jobs of the queue on the cluster.
func (s *Starburst) walk(v sim.View, plan *sim.Plan, b *burst) {
	stopped := false
	b.queue = slices.DeleteFunc(b.queue, func(j int) bool {
		if stopped {
			return false
		}
		fits := s.gpus.place(v, plan.Jobs[j].Hold, gang(v, j).Gang(), Consolidated)
		stopped = !fits && !s.Backfill
		return fits
	})
}
