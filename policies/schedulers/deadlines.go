package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Deadlines is a policy of ours for many jobs with deadlines. Every job is in one of four states, the cheaper first:
//
//   - it waits for servers of one's own (sim.Pool.IsServer), as long as all jobs with earlier deadlines, one after the
//     other on these servers, leave it enough time (earliest deadline first: Liu and Layland, JACM 1973);
//   - it has such servers, which go to the earliest deadline and are taken from a job only for one that would
//     need GPUs on demand otherwise, where that is cheaper;
//   - it trains on spot, where an hour of its work costs least: the price, and what the losses seen in that pool take
//     back, by a Gamma prior of one loss in PriorHours;
//   - on demand, from its latest start on: the last instant at which that meets the deadline, as in the safe rule of
//     Can't Be Late (NSDI 2024) and in policies/safe.
//
// A job that trains on spot loses no slack; it goes on there until the cloud takes its GPUs. Shortly before, it is
// saved; where there may be no notice, what a loss takes back is part of its latest start. It goes on spot only if it
// can lose it once. A job past its deadline goes on at once. One without a deadline waits for servers or spot; where
// no servers have enough GPUs for it and no spot pool costs less, it rents on demand at once. Nothing of the future
// is known; how much work is left to jobs is: users say it when they set the deadline.
type Deadlines struct {
	// Reserve is time that a job keeps in addition to what it needs on demand: for boots that take longer. A job that
	// can rent nowhere has none.
	Reserve time.Duration `set:"reserve_s" min:"0" max:"86400" doc:"time that a job keeps in addition to what it needs on demand to meet its deadline"`
	// Slack is how much of its remaining run time a job must have left after the wait for servers; a
	// job that would have less rents at once.
	Slack float64 `set:"slack" min:"0" max:"100" doc:"part of its remaining run time that a job has to spare after a wait for servers; with less it rents at once"`
	// Fill is the part of the servers that is expected to be in use while a job waits for them.
	Fill float64 `set:"fill" min:"0.01" max:"1" doc:"part of the servers that is expected to be in use while a job waits for them"`
	// Retry is how long a pool is not asked in which requests were not granted.
	Retry time.Duration `set:"retry_s" min:"1" max:"86400" doc:"how long a full spot pool is not asked"`
	// PriorHours is the mean time between losses that is expected of a pool before any was seen.
	PriorHours float64 `set:"prior_h" min:"0.01" max:"10000" doc:"hours between two losses that are expected of a spot pool of which nothing was seen yet"`

	// Form leaves out parts of the policy, to compare with.
	Form DeadlineForm

	layout sim.Layout
	change sim.Change
}

// DeadlineForm is a form of the policy.
type DeadlineForm string

// The forms; the empty one is the whole policy.
const (
	// DeadlineGreedy never waits for servers where there is spot: the safe greedy rule of Can't Be Late (NSDI 2024)
	// for each job alone.
	DeadlineGreedy DeadlineForm = "deadline-greedy"
	// DeadlineOnDemand waits for servers until the latest start, and then rents on demand.
	DeadlineOnDemand DeadlineForm = "deadline-ondemand"
)

// NewDeadlines returns the policy with its default settings.
func NewDeadlines() *Deadlines {
	return &Deadlines{
		Reserve:    5 * time.Minute,
		Slack:      0.1,
		Fill:       0.9,
		Retry:      5 * time.Minute,
		PriorHours: 4,
	}
}

// Name implements sim.Policy.
func (d *Deadlines) Name() string { return cmp.Or(string(d.Form), "deadline-spot") }

// Traits says what the policy is.
func (*Deadlines) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// NewState implements sim.Stateful.
func (*Deadlines) NewState(from, _ any) any {
	if was, ok := from.(*deadlineState); ok {
		return was.clone()
	}
	return &deadlineState{}
}

// appraise works out what is left of every job, its slack, and whether it can wait for servers.
func (d *Deadlines) appraise(v sim.View, s *deadlineState) {
	s.order = append(s.order[:0], v.ActiveJobs()...)
	for _, j := range s.order {
		job := &s.jobs[j]
		job.left = v.Job(j).WorkLeft()
		job.slack = d.slackOf(v, s, j, gang(v, j), job.left)
	}
	s.sortByDeadline(v)
	d.chooseWhoRents(v, s)
}

// sortByDeadline sorts the active jobs, the earliest deadline first.
func (s *deadlineState) sortByDeadline(v sim.View) {
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.jobs[a].deadline, s.jobs[b].deadline), cmp.Compare(v.Job(a).ID(), v.Job(b).ID()))
	})
}

// slackOf is the time until the last instant at which a job with so much work left can go on demand and end in time,
// seconds.
func (d *Deadlines) slackOf(v sim.View, s *deadlineState, j int, g sim.GangModel, left float64) float64 {
	job := &s.jobs[j]
	need := d.restart(s, j, g) + job.reserve
	if p := s.cheapestOnDemand(j); p != none {
		need += left/s.speed(j)[p] + v.Pool(p).Boot.Mean().Seconds()
	} else {
		need += left / slices.Max(s.speed(j))
	}
	if job.where == onSpot {
		need += d.risk(v, g, job.at)
	}
	return job.deadline.Sub(v.Now()).Seconds() - need
}

// cheapestOnDemand returns the pool on demand in which a job's work costs least, none for none.
func (s *deadlineState) cheapestOnDemand(j int) int {
	speed := s.speed(j)
	cheapest := none
	least := math.Inf(1)
	for p := range s.pools {
		if s.pools[p].kind != demandPool || speed[p] <= 0 {
			continue
		}
		usd := s.pools[p].price / speed[p]
		if usd < least {
			least = usd
			cheapest = p
		}
	}
	return cheapest
}

// restart is how long a job takes to go on on other GPUs, seconds: its stall, and the way of its state at its longest.
func (d *Deadlines) restart(s *deadlineState, j int, g sim.GangModel) float64 {
	d.change.From = &d.layout
	d.change.To = &d.layout
	return g.Change(&d.change).Stall.Seconds() + s.jobs[j].move
}

// risk is the work of a job, in seconds, that the loss of its GPUs in a pool may take back: what it does between two
// saves, or nothing where the notice is long enough to save.
func (d *Deadlines) risk(v sim.View, g sim.GangModel, p int) float64 {
	pool := v.Pool(p)
	if pool.NoticeMissing == 0 && pool.Notice > drainLead {
		return 0
	}
	rate := rateIn(&d.layout, g, p)
	if rate.Progress > 0 {
		return rate.Step / rate.Progress
	}
	return 0
}

// chooseWhoRents decides which jobs can wait for servers: the servers do the work of the jobs that have them, and of
// those that wait, the earliest deadline first.
func (d *Deadlines) chooseWhoRents(v sim.View, s *deadlineState) {
	ahead := 0.0 // GPU-seconds
	for _, j := range s.order {
		job := &s.jobs[j]
		gpus := gang(v, j).Gang()
		job.rents = gpus > job.servers || d.Form == DeadlineGreedy
		if job.rents {
			continue
		}
		seconds := job.left / job.rate
		if job.where == onServers {
			ahead += seconds * float64(gpus)
			continue
		}
		wait := ahead / (d.Fill * float64(s.servers))
		job.rents = wait > 0 && job.slack-wait < d.Slack*seconds
		if !job.rents && job.where == jobWaits {
			ahead += seconds * float64(gpus)
		}
	}
}

// drainLead is how long before the cloud takes GPUs their job is saved.
const drainLead = 20 * time.Second

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

var whereNames = [...]string{
	"waits for servers: there is time",
	"on servers",
	"on spot",
	"on demand: past its latest start",
}

// whereabouts is where a job is that has GPUs of a kind of pool.
func (k poolKind) whereabouts() whereabouts {
	switch k {
	case ownServers:
		return onServers
	case demandPool:
		return rentsOnDemand
	}
	return onSpot
}

// deadlineState is what Deadlines remembers.
type deadlineState struct {
	book    book // of rented pools: what the cloud says
	pools   []deadlinePool
	servers int // GPUs of them
	jobs    []deadlineJob
	speeds  []float64 // by job and pool: of the whole gang, work a second
	order   []int     // active jobs, the earliest deadline first
	at      sim.Time
	belief  belief // EDF
	line    bestLine
	hadSpot float64 // EDF: seconds in which there was spot, as was seen
	noSpot  float64 // EDF: in which there was none
	refused bool    // EDF: a pool had no capacity since the plan was made
}

// deadlinePool is what is known of a pool.
type deadlinePool struct {
	kind    poolKind
	down    bool     // a server that failed
	full    sim.Time // spot: until when it is not asked for gangs as large as refused
	refused int
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
	rents    bool    // servers would come too late
	mayRent  bool    // a spot pool or one on demand has room for it
	reserve  float64 // seconds that it keeps for boots that take longer, and EDF to go on elsewhere
	move     float64 // seconds that its state takes to another pool, at most

	// Of EDF:
	firm     float64 // slack by the mean of what is left, where slack is by a part of what may be
	sure     float64 // slack by a larger part
	quickest float64 // the fastest of all pools
	serves   bool    // it has servers by the plan
	stays    bool    // it rents, and would be late if it moved to servers
	rank     float64 // in the order of the plan, from 1 on; 0: in none
	class    int     // the number of its class, if it is classed
	classed  bool
}

func (s *deadlineState) clone() *deadlineState {
	c := *s
	c.book.free = slices.Clone(s.book.free)
	c.pools = slices.Clone(s.pools)
	c.jobs = slices.Clone(s.jobs)
	c.speeds = slices.Clone(s.speeds)
	c.order = slices.Clone(s.order)
	c.belief = s.belief.clone()
	c.line = bestLine{until: s.line.until, tried: s.line.tried}
	return &c
}

// setUp notes the kinds of the pools, once in a run.
func (s *deadlineState) setUp(v sim.View) {
	if len(s.pools) > 0 {
		return
	}
	s.at = v.Now()
	s.pools = make([]deadlinePool, v.Pools())
	s.book.free = make([]int, v.Pools())
	for p := range s.pools {
		pool := v.Pool(p)
		if pool.OnDemand {
			s.pools[p].kind = demandPool
		} else if pool.IsServer() {
			s.pools[p].kind = ownServers
			s.book.add(p, pool.Quota)
			s.servers += pool.Quota
		}
	}
}

// idle is how many GPUs of a server are up and free; 0 of other pools.
func (s *deadlineState) idle(p int) int {
	if s.pools[p].kind != ownServers || s.pools[p].down {
		return 0
	}
	return s.book.free[p]
}

// refuse notes that a pool had too little capacity for a gang.
func (p *deadlinePool) refuse(now, until sim.Time, gang int) {
	if p.full > now {
		gang = min(p.refused, gang)
	}
	p.refused = gang
	p.full = until
}

// mayRequest reports whether a request for a gang in a spot pool makes sense.
func (s *deadlineState) mayRequest(p int, now sim.Time, gang int) bool {
	pool := &s.pools[p]
	return pool.kind == spotPool && s.book.free[p] >= gang && (pool.full <= now || gang < pool.refused)
}

// find takes in where a job is by the plan, on a cluster that was taken over.
func (s *deadlineState) find(plan *sim.Plan, j int) {
	job := &s.jobs[j]
	for _, part := range plan.Parts(j) {
		job.at = int(part.Pool)
		if part.N > 0 {
			job.where = s.pools[job.at].kind.whereabouts()
		}
	}
	switch job.where {
	case onServers:
		s.countServers(plan, j, -1)
	case onSpot:
		s.pools[job.at].held++
	}
}

// speed returns how fast a job is by pool.
func (s *deadlineState) speed(j int) []float64 { return s.speeds[j*len(s.pools) : (j+1)*len(s.pools)] }

// leave takes a job that is over out of the books.
func (s *deadlineState) leave(plan *sim.Plan, j int) {
	job := &s.jobs[j]
	switch job.where {
	case onServers:
		s.countServers(plan, j, 1)
	case onSpot:
		s.pools[job.at].held--
	}
	job.where = jobWaits
}

// stop makes a job hold nothing.
func (s *deadlineState) stop(plan *sim.Plan, j int) {
	s.leave(plan, j)
	plan.Stop(j)
}

// countServers counts the servers of a job's plan as free, or with a sign of -1 as taken.
func (s *deadlineState) countServers(plan *sim.Plan, j, sign int) {
	for _, part := range plan.Parts(j) {
		if s.pools[part.Pool].kind == ownServers {
			s.book.add(int(part.Pool), sign*int(part.N))
		}
	}
}
