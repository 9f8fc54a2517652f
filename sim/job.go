package sim

import (
	"math"
	"time"
)

// Mover says what it takes to carry a job's state between pools: a pure function of its
// arguments, safe for concurrent use. Nothing moves within a pool.
type Mover interface {
	// Move returns what carrying the state of a job from one pool to another takes.
	Move(job *Job, from, to *Pool) Move
}

// Move is what it takes to carry a job's state. The zero Move is free and immediate.
type Move struct {
	USD  float64
	Time time.Duration // in which the job does not train
}

// holding is what one job has in one pool.
type holding struct {
	want         int32
	waiting      int32
	starting     int32 // not under notice
	ready        int32 // not under notice
	noticed      int32
	noticedReady int32
	drained      int32 // of noticedReady, those taken out of the layout
	first        int32 // the instance granted last, the head of their list; noInstance if there is none
	waitingSince Time
	paid         Time // usd is complete until here
	usd          float64
}

func (h *holding) alive() int32 { return h.starting + h.ready + h.noticed }

// Job is one training job.
type Job struct {
	Name   string
	Submit time.Duration // after the run begins
	Model  Model
	// Belief is the model that the policy sees, nil if it is Model: a study of
	// policies whose model is wrong sets it.
	Belief    Model
	Objective Objective
	// User is who submitted the job, Kind what it runs: what a policy may learn from, for it is told both. Empty: not
	// known.
	User, Kind string
	// Claim is what its user asks of the scheduler beside the job's GPUs, such as a queue: the scheduler's business.
	// Nil: nothing. It must not change.
	Claim any

	// ParameterServers are on-demand machines that the job holds from submit
	// to finish, each at ParameterServerPrice USD per hour; a policy may change
	// their number (JobPlan.Servers).
	ParameterServers     int
	ParameterServerPrice float64
	// StorageGB is kept from submit to finish, at StoragePrice USD per GB and
	// month of 730 h.
	StorageGB, StoragePrice float64
	// Checkpoints is what the saves that are kept cost, beside or in the place of StorageGB.
	Checkpoints Checkpoints
}

const hoursPerMonth = 730

// Objective (SLO) is what the user asked for: a training loss within a time
// that counts from the submission.
type Objective struct {
	Loss   float64
	Within time.Duration
}

// NoDeadline is Objective.Within of a job that has no deadline.
const NoDeadline = 200 * 365 * 24 * time.Hour

type phase uint8

const (
	phaseUnsubmitted phase = iota // not submitted
	phaseIdle                     // nothing to train on
	phaseTraining
	phaseStalled
	phaseSaving
	phaseDone
	phaseLost    // ended by the loss of its chief
	phaseGivenUp // ended unfinished by the policy (JobPlan.GivenUp)
)

// jobState is the changing part of a job.
type jobState struct {
	phase     phase
	begun     bool
	stalledAs Activity // what the time of a stall counts as

	goal  float64
	since Time    // the last change of rate
	base  work    // at since
	first float64 // progress at which training began
	// stepsFrom is the progress from which steps are counted (Rate.Step): first, or where training last went on
	// (Pause.NewStep).
	stepsFrom float64
	setUp     int32   // instances for which it was set up, as the plan announced; 0: it did not
	rate      Rate    // of the layout in force; applies in phaseTraining
	last      Rate    // of the layout that trained last
	high      float64 // furthest progress so far
	saved     work    // of the last save that is safe

	pending   work  // of the save that is not safe yet
	pendingAt Time  // when it will be safe
	savedAt   Time  // the last save, or when training last resumed from one
	resumedAt Time  // when training began, or last resumed after a stall
	keep      int32 // finished saves that are kept
	copies    copies
	losses    int32 // number of instants at which instances of the layout were lost
	lastLoss  Time  // the last of them

	pauseEnd  Time          // of the stall or save
	persist   time.Duration // how long from pauseEnd on the save takes to be safe
	lost      int32         // instances taken since the job was laid out
	stateLost bool          // instances were taken that had been drained, before others had their state
	chiefLost bool          // the chief was among those lost
	unserved  bool          // there was no parameter server at some instant since training last went on
	vacated   bool          // nor a ready instance
	released  bool          // the policy released instances that had a place
	chief     int32         // the instance that is the chief, noChief if there is none
	refill    bool          // the policy asks for the holes to be filled
	laidOut   bool          // the layout in force uses the instances that are ready
	closed    bool          // what it cost is booked, as it is over or the run is

	accountedUntil    Time // instance time is accounted for until here
	starting, ready   int32
	want, waiting     int32         // over all pools
	waitingSince      Time          // since when the pool with the longest wait has had waiting requests
	unmetSince, metAt Time          // since when some request has waited, in whatever pool, and when last none did
	laidAt            Time          // when the job was last laid out
	elastic           ElasticModel  // the model, if it is one and the policy sees it; else nil
	layout            Layout        // in force; its Pools are the columns, nil where all are open
	workers, differ   int32         // the sum of next, and in how many columns it is not layout.Workers
	saveTime          time.Duration // Model.SaveTime of layout, by the model that the policy sees
	persistTime       time.Duration // the second result of it
	columns
	pipelines, stages int32   // that the plan wants
	placed            Place   // pipelines and stages when places were last given
	servers           int32   // parameter servers held
	serversSince      Time    // the last change of their number
	serverUSD         float64 // cost of the servers before that change
	// activities is instance time, but for what is part of work.
	activities [Activities]MachineTime

	submit, finish Time

	id       int     // number in the run
	bill     Bill    // what is booked of it, before tax
	priority int32   // of its requests
	traffic  float64 // USD that its traffic has cost (Rate.Traffic), until since
	dirty    bool    // it is in training.dirtyJobs
	trained  Layout  // the one that trained last, since that in force does not; without Workers if there was none
}

// work is what training has achieved so far, without what was lost.
type work struct {
	progress   float64
	iterations float64 // normalised
	samples    float64
	useful     MachineTime
	redundant  MachineTime
}

// add adds what is done in dt seconds at a rate.
func (x *work) add(p *Rate, dt float64) {
	x.progress += float64(p.Progress * dt)
	x.iterations += float64(p.Iterations * dt)
	x.samples += float64(p.Samples * dt)
}

func (s *jobState) active() bool { return s.phase != phaseUnsubmitted && s.phase < phaseDone }

// progress returns the progress at t, which is not before the last change of rate.
func (s *jobState) progress(at Time) float64 {
	if s.phase != phaseTraining {
		return s.base.progress
	}
	return s.base.progress + float64(s.rate.Progress*Time(at-s.since).Seconds())
}

// settle moves the start of the present linear stretch to t.
func (s *jobState) settle(at Time) {
	if s.phase == phaseTraining {
		dt := Time(at - s.since).Seconds()
		s.traffic += float64(s.rate.Traffic * dt)
		s.base.add(&s.rate, dt)
		if s.base.progress > s.high { // not max, which looks for numbers that are none
			s.high = s.base.progress
		}
	}
	s.since = at
}

// trafficUSD returns what the job's traffic has cost by t.
func (s *jobState) trafficUSD(at Time) float64 {
	if s.phase != phaseTraining || s.rate.Traffic == 0 {
		return s.traffic
	}
	return s.traffic + float64(s.rate.Traffic*Time(at-s.since).Seconds())
}

// fallBack takes training back to what was done before: the time since counts as Redone.
func (s *jobState) fallBack(to work) {
	s.activities[Redone] += s.base.useful + s.base.redundant - to.useful - to.redundant
	s.base = to
}

// toSave takes training back to the last save that is safe.
func (s *jobState) toSave(now Time) {
	s.secure(now)
	if s.saved.progress < s.base.progress {
		s.fallBack(s.saved)
	}
}

// dropStep takes training back to the end of the last whole step, if it is in steps, or a share of the way to it
// (Pause.DropShare). The time since, at the last rate, counts as Redone.
func (s *jobState) dropStep(share float64) {
	if s.last.Step > 0 && s.last.Progress > 0 {
		done := s.base.progress - s.stepsFrom
		whole := s.last.Step * math.Floor(done/s.last.Step+1e-9)
		if share > 0 {
			whole = done - min(share, 1)*max(done-whole, 0)
		}
		seconds := (done - whole) / s.last.Progress
		back := s.base
		back.add(&s.last, -seconds)
		back.progress = s.stepsFrom + whole
		lost := machineTime(s.last.Working, Time(math.Round(max(seconds, 0)*1e6)))
		lost -= s.last.saving(lost) // it stays time of saves
		if s.last.Slowed > 0 {
			lost -= s.last.slowed(lost)
		}
		redundant := min(s.last.redundant(lost), back.redundant)
		back.useful -= min(lost-redundant, back.useful)
		back.redundant -= redundant
		s.fallBack(back)
	}
}

// activity returns what the instances in the layout do now. Redone means that they
// do again what was lost.
func (s *jobState) activity() Activity {
	switch s.phase {
	case phaseTraining:
		if s.base.progress < s.high {
			return Redone
		}
		return Useful
	case phaseStalled:
		return s.stalledAs
	case phaseSaving:
		return Checkpointing
	}
	return Waiting
}

// account accounts for the instances' time until t. Training counts as useful until
// its results are lost, training again included, so that what was lost counts as
// Redone once.
func (s *jobState) account(at Time) {
	dt := at - s.accountedUntil
	s.accountedUntil = at
	activity := s.activity()
	working := int32(0)
	if activity != Waiting {
		working = min(s.rate.Working, s.ready)
	}
	s.activities[Starting] += machineTime(s.starting, dt)
	s.activities[Waiting] += machineTime(s.ready-working, dt)
	worked := machineTime(working, dt)
	if activity != Useful && activity != Redone {
		s.activities[activity] += worked
		return
	}
	saving := s.rate.saving(worked)
	s.activities[Checkpointing] += saving
	worked -= saving
	if s.rate.Slowed > 0 {
		slowed := s.rate.slowed(worked)
		s.activities[Slowed] += slowed
		worked -= slowed
	}
	redundant := s.rate.redundant(worked)
	s.base.useful += worked - redundant
	s.base.redundant += redundant
}

// secure makes a pending save the one to fall back to, once it is safe.
func (s *jobState) secure(now Time) {
	if s.pendingAt <= now {
		if s.keep > 0 {
			s.copies.written(min(s.pendingAt, s.finish), s.keep)
		}
		s.saved = s.pending
		s.pendingAt = Never
	}
}

// DefaultParameterServerPrice is the price of a parameter server where none is
// given, USD per hour: m5.xlarge on demand in us-east-1 (AWS price list), on which
// spotDNN runs its own.
const DefaultParameterServerPrice = 0.192

// JobTotals are the results of one job.
type JobTotals struct {
	Finished     bool
	Lost         bool                    // ended by the loss of its chief (Pause.Fatal)
	GivenUp      bool                    // the policy ended it unfinished (JobPlan.GivenUp)
	Elapsed      time.Duration           // from submission to the finish, or to the run's end
	Done         float64                 // share of the training from its start to the goal
	Loss         float64                 // reached; +Inf if training never began
	Iterations   float64                 // normalised, without what was lost
	Samples      float64                 // without what was lost
	Activities   [Activities]MachineTime // time of instances
	InstanceTime MachineTime             // their sum
	Bill         Bill                    // its own; commitments cover its instances at the price of each moment

	// Of a gang (GangModel); zero of other jobs.
	Started     time.Duration // from submission to when it first trained, below 0 if it never did
	Waited      time.Duration // from submission to the end, the time without instances on which it can train
	Suspensions int64         // times that the policy stopped it
	Preemptions int64         // times that the cloud stopped it: by taking instances, or announcing it
	Moves       int64         // times that it trained on elsewhere than before
	Resizes     int64         // times that it trained on with another number of instances, which are no moves
}

// gang counts what becomes of a job that is a gang (GangModel).
type gang struct {
	on      bool   // it has instances on which it trains, or will after a pause
	where   uint64 // a hash of those that it had last
	size    int32  // their number
	since   Time   // it is not on
	started Time   // Never until then
	waited  time.Duration

	touched   bool // it is in training.touched
	seen      bool // since then the policy was asked
	disbanded Time // when the world last took back a part of it

	suspensions, preemptions, moves, resizes int64
}

// Checkpoints is what the saves of a job that are kept cost (Job.Checkpoints). The zero value costs
// nothing. A save is paid from the moment at which it begins to be written, beside those
// that it will replace, until newer ones replace it or the job ends.
type Checkpoints struct {
	GB    float64 // of one
	Keep  int     // the number of finished ones that are kept, at least 1
	Price float64 // USD per GB and month of 730 h
}

// copies counts the saves of a job that are kept.
type copies struct {
	n       int32 // with the one that is being written
	writing bool
	since   Time        // kept is complete until here
	kept    MachineTime // of all copies
}

// Bill is a cost by part, in USD: of a run, of one of its jobs, of a pool. Refund is subtracted from the others, and
// tax is on what is then left.
type Bill struct {
	Spot             float64
	OnDemand         float64
	ParameterServers float64
	Storage          float64
	Transfers        float64 // of jobs' state between pools (Config.Moves, Pause.USD), and of training (Rate.Traffic)
	Disks            float64 // of instances (Billing.DiskUSDPerHour)
	Checkpoints      float64 // saves that are kept (Job.Checkpoints)
	Commitments      float64 // paid whether used or not (Trace.Commitments)
	TopUp            float64 // rounding up and minimum charges
	Refund           float64 // of free first hours
	Tax              float64 // on all of these (Billing.Tax)
}

// JobEvent is what becomes of a job.
type JobEvent uint8

// note is called when the job was laid out, and whether the cloud had taken instances of it. It
// returns what became of the job, JobSubmitted for nothing.
func (g *gang) note(job *jobState, now Time, lost bool) JobEvent {
	on := job.rate.Progress > 0
	was := g.on
	g.on = on
	switch {
	case on:
		if was && lost {
			g.preemptions++
		}
		return g.resume(&job.layout, now, was)
	case was && (lost || job.underNotice()):
		g.preemptions++
		g.since = now
	case was:
		g.suspensions++
		g.since = now
		return JobStopped
	}
	return JobSubmitted
}

// resume notes on which instances the job trains, and returns what that is.
func (g *gang) resume(layout *Layout, now Time, was bool) JobEvent {
	where := uint64(1)
	size := int32(0)
	for k, n := range layout.Workers {
		if n > 0 {
			where += mix(uint64(layout.Pool(k))<<32 | uint64(n)) // in any order
			size += n
		}
	}
	return g.goOn(where, size, now, was)
}

// goOn is resume by a hash of where it trains, and on how many instances.
func (g *gang) goOn(where uint64, size int32, now Time, was bool) JobEvent {
	g.on = true
	before := g.where
	resized := g.size != size
	first := g.started == Never
	g.where = where
	g.size = size
	switch {
	case first:
		g.started = now
	case resized:
		g.resizes++
	case where != before:
		g.moves++
	}
	if !was {
		g.waited += now.Sub(g.since)
		return JobStarted
	}
	if where != before {
		return JobMoved
	}
	return JobSubmitted
}

// end is called when the job is done or lost.
func (g *gang) end(now Time) {
	if !g.on {
		g.waited += now.Sub(g.since)
	}
	g.on = false
	g.since = Never
}

// total adds what became of the job to its totals, at the end of the run.
func (g *gang) total(totals *JobTotals, job *jobState, now Time) {
	totals.Started = -1
	totals.Waited = g.waited
	totals.Suspensions = g.suspensions
	totals.Preemptions = g.preemptions
	totals.Moves = g.moves
	totals.Resizes = g.resizes
	if g.started != Never {
		totals.Started = g.started.Sub(job.submit)
	}
	if !g.on && g.since < now {
		totals.Waited += now.Sub(g.since)
	}
}

// underNotice reports whether instances of the job are under notice.
func (s *jobState) underNotice() bool {
	for p := range s.held {
		if s.held[p].noticed > 0 {
			return true
		}
	}
	return false
}

// until counts the time to now.
func (c *copies) until(now Time) {
	c.kept += machineTime(c.n, now-c.since)
	c.since = now
}

// write begins another one.
func (c *copies) write(now Time) {
	c.until(now)
	if !c.writing {
		c.n = c.n + 1
		c.writing = true
	}
}

// drop abandons the one that is being written.
func (c *copies) drop(now Time) {
	c.until(now)
	if c.writing {
		c.n = c.n - 1
		c.writing = false
	}
}

// written ends the one that is being written, and those that it replaces.
func (c *copies) written(now Time, keep int32) {
	c.until(now)
	c.n = min(c.n, keep)
	c.writing = false
}

// The events of a job. A scheduler receives JobSubmitted, JobHit, JobFinished and JobLost
// (View.JobChanges); the others are its own doing, for recorders.
const (
	JobSubmitted JobEvent = iota
	JobStarted            // it trains, for the first time or again after it was stopped or hit
	JobMoved              // the plan moved it to other pools, and it trains on
	JobStopped            // the plan took what it held: a preemption by the scheduler
	JobHit                // the cloud announced that it takes instances of it, or took them
	JobFinished
	JobLost // it ended unfinished: by the loss of its chief (Pause.Fatal), or given up (JobPlan.GivenUp)
)

var jobEventNames = [...]string{"submitted", "started", "moved", "stopped", "hit", "finished", "lost"}

func (e JobEvent) String() string { return jobEventNames[e] }

// poolPlaces finds the place of a pool in a list of many pools: of a job's columns (jobState.layout.Pools), or of the
// parts of its plan. A job of a large cluster has thousands. A list of few is searched, and has none of this.
type poolPlaces struct {
	at []int32 // by pool: its place plus 1, 0 if it is not in the list
	on bool    // the list is long
}

// begin returns places for a list that has become long, in the memory of c if there is any.
func (c *poolPlaces) begin() *poolPlaces {
	if c == nil {
		c = new(poolPlaces)
	}
	clear(c.at)
	c.on = true
	return c
}

// copyFrom returns places equal to those of another list, in the memory of c.
func (c *poolPlaces) copyFrom(src *poolPlaces) *poolPlaces {
	if !src.isOn() {
		c.end()
		return c
	}
	if c == nil {
		c = new(poolPlaces)
	}
	c.at = append(c.at[:0], src.at...)
	c.on = true
	return c
}

// end says that the list is short again.
func (c *poolPlaces) end() {
	if c != nil {
		c.on = false
	}
}

// isOn reports whether the list is long.
func (c *poolPlaces) isOn() bool { return c != nil && c.on }

// note notes that pool p is at place k.
func (c *poolPlaces) note(p, k int) {
	if p >= len(c.at) {
		c.at = append(c.at, make([]int32, p+1-len(c.at))...)
	}
	c.at[p] = int32(k) + 1
}

// place returns the place of pool p, below 0 if it is not in the list.
func (c *poolPlaces) place(p int) int {
	if p >= len(c.at) {
		return -1
	}
	return int(c.at[p]) - 1
}

// longList is the length from which on a list of pools has its poolPlaces.
const longList = 64
