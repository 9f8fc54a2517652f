package pairs

import (
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// state is what Rounds remembers.
type state struct {
	rule   share.Rule
	models models
	jobs   []job     // by slot
	active []int     // slots of the jobs that are there, by their numbers
	units  []*unit   // in the order in which they came
	worker []float64 // by model: s that units have had it, what they are credited with included

	at     sim.Time // the last decision
	end    sim.Time // of the round
	worked sim.Time // when the shares were last worked out; Never: not yet
	credit float64  // s that all are taken to have had then, so that small differences do not decide
	stale  bool     // jobs have come or gone since

	listed []int       // slots of the jobs that the rule sees
	input  share.Input // scratch
	shares share.Shares
	table  []*unit
	layout sim.Layout
}

// job is what is known of a job.
type job struct {
	number int // from 1
	came   sim.Time
	gpus   int
	speed  []float64 // alone, by model
	alone  *unit
	in     *unit // in which it runs; nil: it waits
	model  int   // on which it runs
	place  int   // in listed
}

// unit is a job, or two on the same GPUs.
type unit struct {
	a, b     int       // slots; b is share.Alone
	runs     []bool    // by model
	x        []float64 // its share
	received []float64 // s, since the shares were worked out, and what it is credited with
	deficit  []float64 // s that it should have had and has not
	priority float64
}

// find finds the models, once in a run.
func (s *state) find(v sim.View, round time.Duration) {
	if len(s.models.of) > 0 {
		return
	}
	s.models.find(v)
	s.worker, s.credit = make([]float64, len(s.models.pools)), round.Seconds()/2
}

// waits reports whether no job of a unit has GPUs.
func (s *state) waits(u *unit) bool {
	return s.jobs[u.a].in == nil && (u.b == share.Alone || s.jobs[u.b].in == nil)
}

// run notes that a unit has GPUs.
func (s *state) run(u *unit, m int) {
	for _, j := range u.both() {
		s.jobs[j].in, s.jobs[j].model = u, m
	}
}

// stop notes that a unit has none.
func (s *state) stop(u *unit) {
	for _, j := range u.both() {
		s.jobs[j].in = nil
	}
}

// both returns the jobs of a unit.
func (u *unit) both() []int {
	if u.b == share.Alone {
		return []int{u.a}
	}
	return []int{u.a, u.b}
}

func newUnit(a, b, models int) *unit {
	memory := make([]float64, 3*models)
	return &unit{a: a, b: b, runs: make([]bool, models), x: memory[:models:models], received: memory[models : 2*models : 2*models], deficit: memory[2*models:]}
}
