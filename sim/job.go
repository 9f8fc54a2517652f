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
	phaseLost // ended by the loss of its chief
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
	setUp int32   // instances for which it was set up, as the plan announced; 0: it did not
	rate  Rate    // of the layout in force; applies in phaseTraining
	last  Rate    // of the layout that trained last
	high  float64 // furthest progress so far
	saved work    // of the last save that is safe

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
	byTasks   bool          // it trains by tasks on hosts that jobs share
	ownsHosts bool          // its instances are hosts that tasks of several jobs share (colocation)
	closed    bool          // what it cost is booked, as it is over or the run is

	accountedUntil    Time // instance time is accounted for until here
	starting, ready   int32
	want, waiting     int32         // over all pools
	waitingSince      Time          // since when the pool with the longest wait has had waiting requests
	laidAt            Time          // when the job was last laid out
	elastic           ElasticModel  // the model, if it is one and the policy sees it; else nil
	layout            Layout        // in force; its Pools are the columns, nil where all are open
	next              []int32       // the workers of the next one, by column
	workers, differ   int32         // the sum of next, and in how many columns it is not layout.Workers
	saveTime          time.Duration // Model.SaveTime of layout, by the model that the policy sees
	persistTime       time.Duration // the second result of it
	held              []holding     // by column
	hold              []int         // by column: how many instances the plan in force wants, within the quota or not
	pipelines, stages int32         // that the plan wants
	placed            Place         // pipelines and stages when places were last given
	servers           int32         // parameter servers held
	serversSince      Time          // the last change of their number
	serverUSD         float64       // cost of the servers before that change
	// activities is instance time, but for what is part of work.
	activities [Activities]MachineTime

	submit, finish Time

	id       int    // number in the run
	stateAt  []bool // by column: whether the job's state is there
	bill     Bill   // what is booked of it, before tax
	priority int32  // of its requests
	dirty    bool   // it is in training.dirtyJobs
	trained  Layout // the one that trained last, since that in force does not; without Workers if there was none
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
func (s *jobState) progress(t Time) float64 {
	if s.phase != phaseTraining {
		return s.base.progress
	}
	return s.base.progress + float64(s.rate.Progress*Time(t-s.since).Seconds())
}

// settle moves the start of the present linear stretch to t.
func (s *jobState) settle(t Time) {
	if s.phase == phaseTraining {
		s.base.add(&s.rate, Time(t-s.since).Seconds())
		if s.base.progress > s.high { // not max, which looks for numbers that are none
			s.high = s.base.progress
		}
	}
	s.since = t
}

// fallBack takes training back to x: the time since counts as Redone.
func (s *jobState) fallBack(x work) {
	s.activities[Redone] += s.base.useful + s.base.redundant - x.useful - x.redundant
	s.base = x
}

// toSave takes training back to the last save that is safe.
func (s *jobState) toSave(now Time) {
	s.secure(now)
	if s.saved.progress < s.base.progress {
		s.fallBack(s.saved)
	}
}

// dropStep takes training back to the end of the last whole step, if it is in steps.
// The time since, at the last rate, counts as Redone.
func (s *jobState) dropStep() {
	if s.last.Step > 0 && s.last.Progress > 0 {
		done := s.base.progress - s.first
		whole := s.last.Step * math.Floor(done/s.last.Step+1e-9)
		seconds := (done - whole) / s.last.Progress
		x := s.base
		x.add(&s.last, -seconds)
		x.progress = s.first + whole
		lost := machineTime(s.last.Working, Time(math.Round(max(seconds, 0)*1e6)))
		redundant := min(s.last.redundant(lost), x.redundant)
		x.useful -= min(lost-redundant, x.useful)
		x.redundant -= redundant
		s.fallBack(x)
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
func (s *jobState) account(t Time) {
	dt := t - s.accountedUntil
	s.accountedUntil = t
	a := s.activity()
	working := int32(0)
	if a != Waiting {
		working = min(s.rate.Working, s.ready)
	}
	s.activities[Starting] += machineTime(s.starting, dt)
	s.activities[Waiting] += machineTime(s.ready-working, dt)
	worked := machineTime(working, dt)
	if a != Useful && a != Redone {
		s.activities[a] += worked
		return
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
		s.saved, s.pendingAt = s.pending, Never
	}
}

// DefaultParameterServerPrice is the price of a parameter server where none is
// given, USD per hour: m5.xlarge on demand in us-east-1 (AWS price list), on which
// spotDNN runs its own.
const DefaultParameterServerPrice = 0.192
