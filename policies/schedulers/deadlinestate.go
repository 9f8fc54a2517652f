package schedulers

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// poolKind is what a pool is.
type poolKind uint8

const (
	spotPool poolKind = iota
	ownServers
	demandPool
)

// whereabouts is where a job is.
type whereabouts uint8

const (
	jobWaits whereabouts = iota
	onServers
	onSpot
	rentsOnDemand
)

var whereNames = [...]string{"waits for servers: there is time", "on servers", "on spot", "on demand: past its latest start"}

// deadlineState is what Spot remembers.
type deadlineState struct {
	pools   []deadlinePool
	servers int // GPUs of them
	jobs    []deadlineJob
	speeds  []float64 // by job and pool: of the whole gang, work a second
	order   []int     // active jobs, the earliest deadline first
	at      sim.Time
	belief  belief // EDF
	kept    []int  // EDF: jobs that servers can do
}

// deadlinePool is what is known of a pool.
type deadlinePool struct {
	kind    poolKind
	free    int      // GPUs that no job has by the plan
	full    sim.Time // spot: until when it is not asked for gangs as large as least
	min     int
	held    int     // spot: jobs that have GPUs there
	exposed float64 // spot: seconds in which some job had
	price   float64 // USD/h of a GPU
	losses  float64 // spot: expected in an hour
}

// deadlineJob is what is known of a job; a slot has one after the other.
type deadlineJob struct {
	where whereabouts
	at    int // the spot or on-demand pool, for a job that is there

	left     float64 // work
	rate     float64 // the fastest of the servers
	servers  int     // GPUs of the servers on which it runs
	slack    float64 // seconds until its latest start on demand; negative: it is past
	deadline sim.Time
	rents    bool // servers would come too late

	// EDF: slack by the mean of what is left, where slack is by a part of what may be; the fastest of all pools; GPU-seconds asked of servers.
	firm, sure, quickest, ask float64
}

func (s *deadlineState) clone() *deadlineState {
	c := *s
	c.pools, c.jobs, c.speeds, c.order, c.kept = slices.Clone(s.pools), slices.Clone(s.jobs), slices.Clone(s.speeds), slices.Clone(s.order), nil
	return &c
}

// setUp notes the kinds of the pools, once in a run.
func (s *deadlineState) setUp(v sim.View) {
	if len(s.pools) > 0 {
		return
	}
	s.pools, s.at = make([]deadlinePool, v.Pools()), v.Now()
	for p := range s.pools {
		switch x := v.Pool(p); {
		case x.OnDemand:
			s.pools[p].kind = demandPool
		case x.Reserved:
			s.pools[p].kind, s.pools[p].free = ownServers, x.Quota
			s.servers += x.Quota
		}
	}
}

// refuse notes that a pool had too little capacity for a gang.
func (x *deadlinePool) refuse(now, until sim.Time, gang int) {
	if x.full <= now {
		x.min = math.MaxInt
	}
	x.full, x.min = until, min(x.min, gang)
}

// asks reports whether a request for a gang in a spot pool makes sense.
func (x *deadlinePool) asks(now sim.Time, gang int) bool {
	return x.kind == spotPool && x.free >= gang && (x.full <= now || gang < x.min)
}

// find takes in where a job is by the plan, on a cluster that was taken over.
func (s *deadlineState) find(plan *sim.Plan, j int) {
	x := &s.jobs[j]
	for _, part := range plan.Parts(j) {
		if x.at = int(part.Pool); part.N > 0 {
			x.where = [...]whereabouts{spotPool: onSpot, ownServers: onServers, demandPool: rentsOnDemand}[s.pools[x.at].kind]
		}
	}
	switch x.where {
	case onServers:
		s.give(plan, j, -1)
	case onSpot:
		s.pools[x.at].held++
	}
}

// speed returns how fast a job is by pool.
func (s *deadlineState) speed(j int) []float64 { return s.speeds[j*len(s.pools) : (j+1)*len(s.pools)] }

// leave takes a job that is over out of the books.
func (s *deadlineState) leave(plan *sim.Plan, j int) {
	x := &s.jobs[j]
	switch x.where {
	case onServers:
		s.give(plan, j, 1)
	case onSpot:
		s.pools[x.at].held--
	}
	x.where = jobWaits
}

// stop makes a job hold nothing.
func (s *deadlineState) stop(plan *sim.Plan, j int) {
	s.leave(plan, j)
	plan.Stop(j)
}

// give counts the servers of a job's plan as free, or with a sign of -1 as taken.
func (s *deadlineState) give(plan *sim.Plan, j, sign int) {
	for _, x := range plan.Parts(j) {
		if y := &s.pools[x.Pool]; y.kind == ownServers {
			y.free += sign * int(x.N)
		}
	}
}
