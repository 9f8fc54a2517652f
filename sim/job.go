package sim

import (
	"math"
	"time"
)

// Job is one training job.
type Job struct {
	Name   string
	Submit time.Duration // after the run begins
	Model  Model
	// Belief is the model that the policy sees; nil means Model. A study can
	// let the policy believe one model while the world runs another.
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
}

const hoursPerMonth = 730

// Objective (SLO) is what the user asked for: a training loss within a time
// that counts from the submission.
type Objective struct {
	Loss   float64
	Within time.Duration
}

// Activity is what an instance is booked on: every microsecond of every
// instance is booked on exactly one.
type Activity uint8

// The activities.
const (
	Useful        Activity = iota // training that counts
	Redundant                     // replicated computation
	Checkpointing                 // stopped to save
	Restoring                     // stopped to load a save
	Reconfiguring                 // stopped to change the layout
	Redone                        // training that was lost, done again since or not
	Waiting                       // ready, but no feasible layout, or a spare
	Starting                      // granted, not yet ready
	Activities    = 8             // how many there are
)

var activityNames = [Activities]string{"useful", "redundant", "checkpointing", "restoring",
	"reconfiguring", "redone", "waiting", "starting"}

func (a Activity) String() string { return activityNames[a] }

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
	phase phase
	begun bool
	as    Activity // what a stall is booked as

	goal  float64
	since Time    // the last change of rate
	base  work    // at since
	first float64 // progress at which training began
	rate  Rate    // of the layout in force; counts while phaseTraining
	last  Rate    // of the layout that trained last
	high  float64 // furthest progress so far
	saved work    // of the last save that is safe

	pending   work  // of a save that is not
	pendingAt Time  // when it will be
	savedAt   Time  // the last save, or when training last went on from one
	resumedAt Time  // when training began, or last went on after a stall
	hitTimes  int32 // instants at which instances of the layout were lost
	hitAt     Time  // the last of them

	pauseEnd  Time  // of the stall or save
	lost      int32 // instances taken since the layout in force was laid
	stateLost bool  // and instances that had left it, before others had their places
	chiefLost bool  // the chief was among them
	chief     int32 // its instance, noChief if there is none
	refill    bool  // the policy wants the holes filled
	laidOut   bool  // the layout in force is that of the instances that are ready

	booked            Time // activities are booked until here
	starting, ready   int32
	want, waiting     int32   // over all pools
	waitingSince      Time    // of the pool that has kept requests waiting longest
	laidAt            Time    // when the layout in force was laid
	layout            Layout  // in force; Workers is a part of World.workers
	pipelines, stages int32   // that the plan wants
	placed            Place   // pipelines and stages for which places were given
	servers           int32   // parameter servers held
	serversSince      Time    // the last change of their number
	serverUSD         float64 // for those before
	// act is instance time but for what is part of work.
	act [Activities]int64

	submit, finish Time
}

// work is what training has come to: what a loss takes of it is no longer in it.
type work struct {
	progress   float64
	iterations float64 // normalised
	samples    float64
	useful     int64 // instance time, microseconds
	redundant  int64 // the same
}

// add adds what a rate makes of dt seconds.
func (x *work) add(p *Rate, dt float64) {
	x.progress += float64(p.Progress * dt)
	x.iterations += float64(p.Iterations * dt)
	x.samples += float64(p.Samples * dt)
}

func (s *jobState) active() bool { return s.phase != phaseUnsubmitted && s.phase < phaseDone }

// progress returns the progress at t, which is not before the last change of
// rate.
func (s *jobState) progress(t Time) float64 {
	if s.phase != phaseTraining {
		return s.base.progress
	}
	return s.base.progress + float64(s.rate.Progress*Time(t-s.since).Seconds())
}

// settle moves the base of the linear stretch to t.
func (s *jobState) settle(t Time) {
	if s.phase == phaseTraining {
		s.base.add(&s.rate, Time(t-s.since).Seconds())
		s.high = max(s.high, s.base.progress)
	}
	s.since = t
}

// fallBack takes training back to x: the time of what was done since is lost.
func (s *jobState) fallBack(x work) {
	s.act[Redone] += s.base.useful + s.base.redundant - x.useful - x.redundant
	s.base = x
}

// dropStep takes back what was done of the step under way, if training is in steps,
// and the time that it takes at the rate that trained last.
func (s *jobState) dropStep() {
	if s.last.Step > 0 && s.last.Progress > 0 {
		done := s.base.progress - s.first
		whole := s.last.Step * math.Floor(done/s.last.Step+1e-9)
		seconds := (done - whole) / s.last.Progress
		x := s.base
		x.add(&s.last, -seconds)
		x.progress = s.first + whole
		lost := math.Round(max(seconds, 0)*1e6) * float64(s.last.Working)
		redundant := min(int64(lost*s.last.Redundant), x.redundant)
		x.useful -= min(int64(lost)-redundant, x.useful)
		x.redundant -= redundant
		s.fallBack(x)
	}
}

// activity returns what the instances in the layout do: Redone is to do again what
// was lost.
func (s *jobState) activity() Activity {
	switch s.phase {
	case phaseTraining:
		if s.base.progress < s.high {
			return Redone
		}
		return Useful
	case phaseStalled:
		return s.as
	case phaseSaving:
		return Checkpointing
	}
	return Waiting
}

// book books the instances' time until t. Training counts until it is lost, what is
// done again as well: so what was lost is booked on Redone once.
func (s *jobState) book(t Time) {
	dt := int64(t - s.booked)
	s.booked = t
	a := s.activity()
	working := int64(0)
	if a != Waiting {
		working = int64(min(s.rate.Working, s.ready))
	}
	s.act[Starting] += int64(s.starting) * dt
	s.act[Waiting] += (int64(s.ready) - working) * dt
	if a != Useful && a != Redone {
		s.act[a] += working * dt
		return
	}
	redundant := int64(0)
	if s.rate.Redundant > 0 {
		redundant = int64(float64(working*dt) * s.rate.Redundant)
	}
	s.base.useful += working*dt - redundant
	s.base.redundant += redundant
}
