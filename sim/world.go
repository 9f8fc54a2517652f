package sim

import (
	"time"

	"github.com/marigram/marigram/sim/cursor"
)

// Config is everything that a run depends on.
type Config struct {
	Market *Market
	Jobs   []Job
	// Source has the jobs, instead of Jobs, of a run under a scheduler (ByParts): JobRecorder receives results
	// job by job, and Totals.Jobs is empty.
	Source Source
	Policy Policy
	// Start is the instant of the traces at which the run begins.
	Start Time
	// Horizon ends a run whose jobs are not done; 0, or more than the market has
	// left, means the end of the market.
	Horizon time.Duration
	Seed    uint64
	Billing Billing
	// Moves says what it takes to carry a job's state to other pools; nil: nothing.
	Moves Mover
	// Speed is how fast the job trains beside what its model says: 0.9 is a tenth slower. 0 is 1.
	Speed float64
	// Recorder receives every span and decision; nil keeps totals only.
	Recorder Recorder
	// JobRecorder receives what becomes of every job; nil for none.
	JobRecorder JobRecorder
}

// World is one simulated run: plain data, no pointers but to the shared,
// read-only parts of its Config, so that a fork is a copy. It is for one
// goroutine; Reset makes it ready for the next run without new memory.
//
// Its parts (trace, fleet, training, accounts, intake) say what belongs together. A method of a part touches that part
// and its arguments, and none takes the World. All that connects parts is a method of World: to take an instance away
// changes the pool, the job, the bill, the timers and what the recorder sees, so that all of it is shared by all of
// them. They stand in a file for each phase of a run:
//
//	start.go    a world is reset, or forked; jobs arrive
//	engine.go   what happens next, and the end of an instant
//	records.go  which records of the market are met
//	grants.go   requests, and instances that are granted and ready
//	losses.go   notices, revocations, releases
//	failing.go  machines that fail and are repaired, slow.go those that become slow
//	layout.go   new layouts of jobs, place.go the places in them
//	train.go    jobs that begin, save, finish
//	decide.go   the policy is asked, and its plan is put in force
//	bill.go     what is owed, accounts.go what is recorded and added up
type World struct {
	cfg    Config
	rand   Rand
	traits Traits // of the policy

	start, end, now Time
	timers          Timers
	wake            Time    // when the policy wants to be asked
	met             Time    // the first of its conditions holds
	woken           Time    // when it last was, as it wanted
	quickWakes      int     // how often in a row that was soon after the time before
	dirty           bool    // the present instant is to be settled
	supply          bool    // some waiting request may be granted
	stops, due      bool    // NextDecision runs; the policy is about to be asked
	trigger, asked  Trigger // why the policy is to be asked, and was asked last

	trace
	fleet
	training
	accounts
	intake
	slow slowness

	jobBase   int         // timer slot of the first job
	jobEvents []JobChange // since the policy was last asked

	plan   Plan
	holds  []int // by job and pool: the memory of JobPlan.Hold
	past   past
	state  any // what the policy remembers (Stateful)
	prices byPrice
	boots  boots

	believedJobs []Job // in a future that was imagined: memory of specs, where the policy believes in other models
}

// past is what Plan.Remember keeps: by job, the number of instances at the last
// instants of a grid.
type past struct {
	next   Time    // the next instant of the grid, Never if there is no grid
	counts []int32 // by instant and job, a ring of plan.keep instants
	n      int     // instants passed so far
}

// jobSlot is the slot of a job's timer. Timers are, in this order, those of instances, of the queues of pools, of
// machines that fail, of those that become slow, of the arrivals, and of jobs.
func (w *World) jobSlot(j int) int { return w.jobBase + j }

// queueSlot is the slot of a queue of fleet.queues.
func (w *World) queueSlot(queue int) int { return len(w.inst) + queue }

// failingSlot is the slot of the k-th group of machines that fail.
func (w *World) failingSlot(k int) int { return len(w.inst) + len(w.queues) + k }

// timerSlots is the number of timers.
func (w *World) timerSlots() int { return max(w.jobBase+len(w.jobs), 1) }

// Now returns the instant that the world has reached.
func (w *World) Now() Time { return w.now }

// State returns what the policy remembers of the run (Stateful), nil for other policies. It
// must not be changed.
func (w *World) State() any { return w.state }

// Totals are the results of one run.
type Totals struct {
	End   Time // of the run
	Bill  Bill
	Jobs  []JobTotals
	Pools []PoolTotals

	Events        int64 // market records and timers processed; records that cannot affect the run are left out
	Requests      int64 // instances requested
	Grants        int64
	Preemptions   int64 // instances that the cloud took
	Notices       int64
	Unannounced   int64 // preemptions without a notice
	Suspensions   int64 // times that the policy stopped a gang: preemptions by the scheduler
	Decisions     int64
	Wakes         int64 // decisions on the policy's own timer
	PlanChanges   int64
	QuotaRefusals int64 // instances requested beyond a quota
	// Unallocated is the part of Bill that is no job's: commitments, less what they cover of the jobs' instances (its
	// OnDemand, below 0). It and the bills of all jobs add up to Bill, part by part.
	Unallocated Bill
	Moves       int64 // of a job's state to a pool where it was not, if they cost anything (Config.Moves)

	// Of machines that fail (Pool.Failures): failures, repairs that ended, machines that are not repaired, and the time
	// of machines that were down and of spares that jobs held; DownMax is how many were down at one time, at most.
	Failures, Repairs, Retired, DownMax int64
	Down, Spares                        MachineTime
	Replaced                            int64 // machines that were replaced as they were slow (Pool.Slow)
}

// PoolTotals are the results of one pool, all jobs together.
type PoolTotals struct {
	// Bill is that of its instances and of what is committed there. What jobs pay beside instances is no pool's:
	// parameter servers with their rounding, storage, checkpoints, transfers.
	Bill          Bill
	CoveredUSD    float64 // what commitments cover, at the price of each moment; Bill.OnDemand is without it
	InstanceHours float64 // for which jobs held instances of it; of large clusters more than a Duration has room for
	Grants        int64
	Preemptions   int64
	Failures      int64 // instances that went because their machines failed
}

// accounts is the totals of a run, and what its recorder is to receive.
type accounts struct {
	totals           Totals
	recorder         Recorder         // nil keeps totals only
	instanceRecorder InstanceRecorder // the recorder, if it implements this
	slowRecorder     SlowRecorder     // likewise
	recordedUntil    Time             // the end of the last span
	span             Span
	jobTotals        JobTotals // of a job that only a recorder receives
	closed           Bill      // what is booked job by job (World.close), before tax
	tax              float64   // Billing.Tax
	rest             float64   // what commitments cost after the run, USD
	moved            float64   // what moves of jobs' state have cost, USD
	overJobs         []int     // that ended since the last span was filled; for a recorder
	spanFilled       bool      // the recorder has not received span yet
}

// Billing is a cloud's rules for what an instance costs. An instance is billed from
// its grant (the time that it starts included) to its release or revocation, at the
// price of each moment. The zero value bills by the microsecond.
type Billing struct {
	// Increment is the unit to which the billed time of an instance is rounded
	// up when it ends, at its last price: one second on AWS, GCP and Azure.
	Increment time.Duration
	// Minimum is the least billed time of an instance: 60 s on AWS and GCP.
	Minimum time.Duration
	// FreeFirstHour refunds an instance that the cloud takes back within its
	// first hour, as AWS did for most of the spot market's trace.
	FreeFirstHour bool
	// SkipParameterServers leaves parameter servers out of the bill, as the spotDNN
	// paper does (its Eq. 11).
	SkipParameterServers bool
	// DiskUSDPerHour is what each instance's own disk costs for as long as the instance is
	// billed, without minimum and rounding; parameter servers have none.
	DiskUSDPerHour float64
	// Tax is the share of all the rest of the bill that is added to it; 0.2 for 20 %.
	Tax float64
}

// Source is jobs in the order of their submission, for runs of more jobs than memory has room
// for. Only a policy that plans by parts can run it. It is shared and read only.
type Source interface {
	// Open returns the jobs from the first on.
	Open() Arrivals
}

// Arrivals is what is left of a Source.
type Arrivals interface {
	// Next sets job to the next one, and reports whether there was one. Submit must not be before that
	// of the job before. What job holds at first is a job that is over, or nothing: its Model may be
	// used again. The model of a job must last until the job is over.
	Next(job *Job) (bool, error)
	// Fork returns what is left for a copy of the run. It shares no memory that changes.
	Fork() Arrivals
}

// intake is the part of a world that takes jobs from a Source. Jobs have slots, which are used
// again when the scheduler has been notified that their jobs are over.
type intake struct {
	stream Arrivals // nil without a Source
	slots  []Job    // the jobs of the slots
	coming Job      // the next job
	came   int      // jobs that were submitted
	vacant []int    // slots without a job, a stack
	ended  []int    // slots of jobs that are over, of which the scheduler is not notified yet
	shared int      // models of jobs before this one are a fork's, too
	err    error    // what ended the arrivals
}

// trace is where a run is in the market's records. Where pools and records are many, it passes over those that can
// touch neither what is held nor what is wanted.
type trace struct {
	records    []record
	at         int  // of the next record that can matter
	nextRecord Time // its instant, Never after the last
	passed     int  // records before it are passed, met or not
	skips      bool // records that cannot matter are not met
	meeting    bool // a record is being met
	loose      bool // there may be headroom for requests that wait: every record of their pools matters
	ahead      cursor.Cursor
}

// training is the jobs: what each holds of each pool, and how it trains.
type training struct {
	specs      []Job // shared, read only; of the slots, where jobs come from a Source
	jobs       []jobState
	activeJobs []int     // submitted and not done, in the order of submission; active() is without those over
	activeIDs  []int     // numbers in the run of activeJobs
	over       int       // jobs among activeJobs that are not active any more
	dirtyJobs  []int32   // active jobs whose layout in force may not be that of their instances
	unfinished int       // jobs that are not done, submitted or not
	open       int       // pools of which every job has a column from the start: all, or none
	lostPlaces [][]Place // by job: places whose instances are gone
	gangs      []gang    // by job, if all are gangs; else none
	touched    []int32   // gangs whose instances are others since they were last looked at (World.disbandParts)

	// Scratch.
	want     []int32 // by column
	own      []int32 // instances of a job
	to       Layout
	change   Change
	occupied []bool
	order    []int32
	rank     []int32 // by pool
	turn     []int32 // by instance
}

// byPrice is the pools in the order of their prices: memory that each question uses again.
type byPrice struct {
	order []int
	usd   []float64
}

// jobOver notes that the job of a slot is over: where jobs come from a source, its slot is used again once the
// scheduler was notified.
func (a *intake) jobOver(j int) {
	if a.stream != nil {
		a.ended = append(a.ended, j)
	}
}

// Recorder receives what happens in a run, for timelines and explanations. Views and
// spans are valid during the call only.
type Recorder interface {
	// Span receives every span of time in which nothing changed.
	Span(s *Span)
	// Decision receives every decision, and whether it changed the plan.
	Decision(v View, plan *Plan, changed bool)
}

// Span is a part of a run in which nothing changed.
type Span struct {
	From, To Time
	Pools    []PoolSpan
	Jobs     []JobSpan
	// Changed are the jobs of which Jobs may say something else than in the span before: most of many jobs are over
	// or not submitted. In the first span they are all jobs.
	Changed []int
	USD     float64 // spent from the run's start to To
}

// PoolSpan is one pool in a span, all jobs together.
type PoolSpan struct {
	Price    float64 // USD per instance-hour
	Capacity int     // instances that can be held; -1 where the trace does not limit it
	Waiting  int
	Starting int
	Ready    int
	Noticed  int
}

// JobSpan is one job in a span.
type JobSpan struct {
	// Activity is that of the instances in the layout; Redone while they do again
	// what was lost.
	Activity Activity
	Rate     float64 // progress per second, in the model's unit
	Slowed   float64 // Rate.Slowed, while it trains
	Done     float64 // share of the training that is done at To
	Loss     float64 // at To
	Layout   Layout  // trained in, also while a stall or a save stops it; none has no workers. Valid during the call
}

// InstanceRecorder is a Recorder of what happens on every instance.
type InstanceRecorder interface {
	Recorder
	// Instance receives an event that happens now to the n-th instance, from 0,
	// that was granted in pool p, and that job j holds.
	Instance(now Time, j, p, n int, what InstanceEvent)
	// Outage receives a time in which machine m, from 0, of those that fail as pool p does is down (Pool.Failures; of
	// servers, each a pool, p is its own): when it goes, with the instant at which it will be back, Never if it will
	// not.
	Outage(from, until Time, p, m int, cause OutageCause)
}

// SlowRecorder is a Recorder of machines that become slow under a job (Pool.Slow).
type SlowRecorder interface {
	Recorder
	// Slow receives what is known now of a machine, whenever that changes: the n-th instance, from 0, that was granted
	// in pool p, or the pool, where it is a server.
	Slow(now Time, p, n int, is SlowState)
}

// SlowState is what is known of a machine that may be slow.
type SlowState struct {
	Job   int
	Times float64 // how many times as long it makes steps by itself; 1: it does not, or the job has it no more
	Ends  Time    // of its last episode so far; Never: for good
	Seen  Time    // when a detector sees it; Never: it does not
	Did   SlowDo  // what is done about it now; SlowKeep: nothing
}

// InstanceEvent is what happens to an instance. The events of one instance come in
// the order below; Ready and Noticed may be missing or come in the other order.
type InstanceEvent uint8
