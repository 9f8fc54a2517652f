package schedulers

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// pairState is what Rounds remembers.
type pairState struct {
	rule   share.Rule
	models models
	jobs   []pairJob // by slot
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

// pairJob is what is known of a job.
type pairJob struct {
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
func (s *pairState) find(v sim.View, round time.Duration) {
	if len(s.models.of) > 0 {
		return
	}
	s.models.find(v, false)
	s.worker, s.credit = make([]float64, len(s.models.pools)), round.Seconds()/2
}

// waits reports whether no job of a unit has GPUs.
func (s *pairState) waits(u *unit) bool {
	return s.jobs[u.a].in == nil && (u.b == share.Alone || s.jobs[u.b].in == nil)
}

// run notes that a unit has GPUs.
func (s *pairState) run(u *unit, m int) {
	for _, j := range u.both() {
		s.jobs[j].in, s.jobs[j].model = u, m
	}
}

// stop notes that a unit has none.
func (s *pairState) stop(u *unit) {
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

// tasks returns the model of a job.
func tasks(v sim.View, j int) sim.TaskModel {
	m, ok := v.Job(j).Model().(sim.TaskModel)
	if !ok {
		panic("pairs: a job without tasks (sim.TaskModel)")
	}
	return m
}

// hear notes which jobs came and went.
func (s *pairState) hear(v sim.View) {
	for _, j := range slices.Clone(s.active) {
		if x := v.Job(j); !x.Active() || x.ID()+1 != s.jobs[j].number {
			s.leave(j)
		}
	}
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, pairJob{})
	}
	var came []int
	for _, j := range v.ActiveJobs() {
		if s.jobs[j].number != v.Job(j).ID()+1 {
			came = append(came, j)
		}
	}
	slices.SortFunc(came, func(a, b int) int { return cmp.Compare(v.Job(a).ID(), v.Job(b).ID()) })
	for _, j := range came {
		s.arrive(v, j)
	}
}

// leave takes a job out, and its units. A job that was on the same GPUs has them alone, and what was a share of both is its own.
func (s *pairState) leave(j int) {
	for _, u := range s.units {
		if u.b != share.Alone && (u.a == j || u.b == j) {
			for m, x := range u.x {
				s.jobs[u.a+u.b-j].alone.x[m] += x
			}
		}
	}
	if u := s.jobs[j].in; u != nil && u.b != share.Alone {
		o := &s.jobs[u.a+u.b-j]
		o.in = o.alone
	}
	s.jobs[j] = pairJob{}
	s.active = slices.DeleteFunc(s.active, func(k int) bool { return k == j })
	s.units = slices.DeleteFunc(s.units, func(u *unit) bool { return u.a == j || u.b == j })
	s.stale = true
}

// arrive adds a job, and its pairs with all of as many GPUs.
func (s *pairState) arrive(v sim.View, j int) {
	models := len(s.models.pools)
	x := &s.jobs[j]
	*x = pairJob{number: v.Job(j).ID() + 1, came: v.Job(j).Submitted(), gpus: tasks(v, j).Gang(), speed: make([]float64, models)}
	s.speeds(v, j, x.speed)
	x.alone = newUnit(j, share.Alone, models)
	s.units = append(s.units, x.alone)
	for m, speed := range x.speed {
		x.alone.runs[m] = speed > 0
		x.alone.received[m] = s.credit
	}
	for _, i := range s.active {
		if s.jobs[i].gpus != x.gpus {
			continue
		}
		u := newUnit(i, j, models)
		for m := range u.runs {
			of, other := s.together(v, i, j, m)
			u.runs[m] = of > 0 && other > 0
		}
		if slices.Contains(u.runs, true) {
			s.units = append(s.units, u)
		}
	}
	s.active = append(s.active, j)
	s.stale = true
}

// speeds asks the model of a job how fast it is on each model of GPU.
func (s *pairState) speeds(v sim.View, j int, into []float64) {
	g := tasks(v, j)
	for m := range into {
		p := s.models.pools[m][0]
		if _, runs := g.Demand(p); runs {
			into[m] = speedIn(&s.layout, g, p)
		}
	}
}

// together returns the speeds of two jobs on the same GPUs of a model; 0, 0 where they cannot share them.
func (s *pairState) together(v sim.View, a, b, m int) (of, other float64) {
	p := s.models.pools[m][0]
	x, runs := tasks(v, a).Demand(p)
	y, too := tasks(v, b).Demand(p)
	if !runs || !too || !v.Pool(p).Full.Fits(x, y) {
		return 0, 0
	}
	of, other = s.jobs[a].speed[m]*v.SharedRate(p, a, b), s.jobs[b].speed[m]*v.SharedRate(p, b, a)
	if of <= 0 || other <= 0 {
		return 0, 0
	}
	return of, other
}

// fair is the priority, by its share, of a unit that has had no time at all.
const fair = 1e9

// count adds the time since the last decision to what units have received.
func (s *pairState) count(v sim.View) {
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in != nil && x.in.a == j {
			x.in.received[x.model] += seconds
			s.worker[x.model] += seconds
		}
	}
}

// share works out the shares.
func (s *pairState) share(v sim.View) {
	elapsed := 0.0
	if s.worked != sim.Never {
		elapsed = v.Now().Sub(s.worked).Seconds()
	}
	for _, u := range s.units {
		for m := range u.x {
			u.deficit[m] += u.x[m]*elapsed - (u.received[m] - s.credit)
			u.received[m] = s.credit
		}
		clear(u.x)
	}
	for m := range s.worker {
		s.worker[m] = s.credit * float64(len(s.units))
	}
	s.rule.Share(s.see(v), &s.shares)
	s.tabulate()
	for k, of := range s.shares.Units {
		u := s.jobs[s.listed[of.A]].alone
		if of.B != share.Alone {
			u = s.table[of.A*len(s.listed)+of.B]
		}
		if u != nil { // else they cannot share GPUs
			copy(u.x, s.shares.X[k])
		}
	}
	s.worked, s.stale = v.Now(), false
}

// see is what the rule sees: the jobs for which there are GPUs at all.
func (s *pairState) see(v sim.View) *share.Input {
	in := &s.input
	in.GPUs, in.Price, in.Jobs = in.GPUs[:0], in.Price[:0], in.Jobs[:0]
	for m, n := range s.models.gpus {
		in.GPUs, in.Price = append(in.GPUs, n), append(in.Price, v.Price(s.models.pools[m][0]))
	}
	s.listed = s.listed[:0]
	for _, j := range s.active {
		g, x := tasks(v, j), &s.jobs[j]
		if x.place = -1; !s.models.has(x.speed, x.gpus) {
			continue
		}
		x.place = len(s.listed)
		s.listed = append(s.listed, j)
		in.Jobs = append(in.Jobs, share.Job{ID: v.Job(j).ID(), Kind: g.Kind() + 1, GPUs: x.gpus, Speed: x.speed, Weight: g.Weight(), Left: v.Job(j).WorkLeft(),
			Age: v.Now().Sub(x.came).Seconds(), Time: v.Job(j).Deadline().Sub(v.Now()).Seconds()})
	}
	in.Together = func(a, b, m int) (of, other float64) { return s.together(v, s.listed[a], s.listed[b], m) }
	return in
}

// tabulate puts the pairs where their places among the jobs say.
func (s *pairState) tabulate() {
	n := len(s.listed)
	s.table = slices.Grow(s.table[:0], n*n)[:n*n]
	clear(s.table)
	for _, u := range s.units {
		if u.b != share.Alone && s.jobs[u.a].place >= 0 && s.jobs[u.b].place >= 0 {
			s.table[s.jobs[u.a].place*n+s.jobs[u.b].place] = u
		}
	}
}

// priority is the share of a unit by the part of the time that it has had; 0 without a share.
func (s *pairState) priority(u *unit, m int) float64 {
	if u.x[m] == 0 || !u.runs[m] {
		return 0
	}
	if s.worker[m] > 0 && u.received[m] > 0 {
		return u.x[m] / (u.received[m] / s.worker[m])
	}
	return u.x[m] * fair
}
