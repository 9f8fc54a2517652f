package schedulers

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// EDF is a policy of ours for many jobs with deadlines, on servers, spot and on demand: Deadlines that plans ahead, for
// jobs whose durations are believed, not known.
//
//   - Servers go to the first in a line, also those of a job behind it. The line is by deadline (preemptive earliest deadline first: Liu and
//     Layland, JACM 1973); another order is taken as long as servers can do more in time by it.
//   - It rents what the servers cannot do in time: where jobs ask for more than Fill of the servers' time until their deadlines, or would come too
//     late when the line is simulated with whole gangs, those with the least to do train on spot until the rest fits in. They go back to wait
//     when there is time again.
//   - What a duration is worth is learnt from the jobs that have ended: a lognormal distribution of what they took over what was believed, by
//     Class as far as jobs of a class are alike. Given what a job has done, work that waits for servers counts by its mean. A job rents spot in
//     time to meet its deadline in the part Sure of what is possible, and rents on demand in time for the part Must.
//   - On demand it goes back to spot where it can lose that once.
//   - A job that can rent nowhere, as no pool has room for its gang, has no reserve and counts as it is believed: it goes by its deadline alone.
//
// Nothing of the future is known.
type EDF struct {
	Deadlines
	// Sure is the part of its possible durations for which a job has GPUs in time, at least on spot.
	Sure float64 `set:"sure" min:"0.5" max:"0.9999" doc:"part of its possible durations for which a job has GPUs in time, at least on spot"`
	// Must is the part for which it rents on demand in time, where there is no spot.
	Must float64 `set:"must" min:"0.5" max:"0.9999" doc:"part of its possible durations for which a job rents on demand in time, where there is no spot"`
	// Sigma is the standard deviation of the logarithm of durations over what is believed, before any job has ended.
	Sigma float64 `set:"sigma" min:"0" max:"3" doc:"how far off durations are taken to be before any job has ended: the standard deviation of the logarithm"`
	// Class is whose jobs that have ended a job is compared with. Those without a user, or kind, are a class of their own.
	Class JobClass `set:"class" names:"user,kind,none" doc:"whose ended jobs say how long a job takes, as far as they are alike: those of its user, those of its kind, or none in particular"`
}

// JobClass is what jobs of one class have in common.
type JobClass string

// The classes.
const (
	ByUser  JobClass = "user"
	ByKind  JobClass = "kind"
	NoClass JobClass = "none" // all jobs are alike
)

// NewEDF returns the policy with its default settings.
func NewEDF() *EDF {
	e := &EDF{Deadlines: *NewDeadlines(), Sure: 0.95, Must: 0.5, Sigma: 0.1, Class: ByUser}
	e.Slack, e.Fill, e.Reserve = 0, 1, 15*time.Minute
	return e
}

// Name implements sim.Policy.
func (*EDF) Name() string { return "deadline-edf" }

// Decide implements sim.Policy.
func (e *EDF) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*deadlineState)
	s.setUp(v)
	e.learn(v, s)
	e.takeEvents(v, plan, s)
	e.appraise(v, s)
	plan.SetReason("servers by deadline, spot for what they cannot do in time, on demand from the latest start on")
	if p := &s.plan; p.made == 0 || v.Now() >= p.made.Add(pollEvery) || len(v.JobChanges()) > 0 || s.refused {
		e.shed(v, plan, s)
		s.refused = false
	}
	e.serve(v, plan, s)
	e.displace(v, plan, s)
	e.fill(v, plan, s)
	asked := e.back(v, plan, s)
	if e.rent(v, plan, s) || asked {
		plan.AskAgain()
	}
	for _, j := range s.order {
		e.drain(v, plan, j)
	}
	if plan.Recorded() {
		e.explain(v, plan, s)
	}
	e.wake(v, plan, s)
}

// appraise works out what is left of every job, and its slack.
func (e *EDF) appraise(v sim.View, s *deadlineState) {
	s.order = append(s.order[:0], v.ActiveJobs()...)
	for _, j := range s.order {
		x, g := &s.jobs[j], gang(v, j)
		if !x.mayRent { // doubt is a reason to rent sooner, and nothing else
			x.left = v.Job(j).WorkLeft()
			x.slack = e.slackOf(v, s, j, g, x.left)
			x.firm = x.slack
			x.sure = x.slack
			continue
		}
		work, done, law := g.Work(), e.done(v, s, j), s.belief.law(e.class(v, s, j), e.Sigma)
		x.left = law.mean(work, done)
		x.firm = e.slackOf(v, s, j, g, x.left)
		x.slack = e.slackOf(v, s, j, g, law.quantile(work, done, e.Must))
		x.sure = e.slackOf(v, s, j, g, law.quantile(work, done, max(e.Sure, e.Must)))
	}
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.jobs[a].deadline, s.jobs[b].deadline), cmp.Compare(v.Job(a).ID(), v.Job(b).ID()))
	})
}

// serve gives servers to the first in the line that do not rent, also those of jobs behind them.
func (e *EDF) serve(v sim.View, plan *sim.Plan, s *deadlineState) {
	line := s.plan.line
	for i, first := range line {
		j, n := first.job, first.gang
		if x := &s.jobs[j]; x.rents || x.rate == 0 || x.where != jobWaits {
			continue
		}
		free, victims := s.freeServers(j), len(line)
		for free < n && victims > i+1 {
			victims--
			if k := line[victims].job; s.yields(k) {
				free += plan.Held(k)
			}
		}
		if free < n {
			continue
		}
		for _, x := range slices.Backward(line[victims:]) {
			if s.freeServers(j) < n && s.yields(x.job) {
				s.stop(plan, x.job)
			}
		}
		if s.freeServers(j) >= n {
			s.take(plan, j, n)
		}
	}
}

// yields reports whether a job has servers that others may take.
func (s *deadlineState) yields(j int) bool {
	return s.jobs[j].where == onServers && s.jobs[j].slack > 0
}

// back gives spot to jobs that train on demand, where they can lose it once.
func (e *EDF) back(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		x := &s.jobs[j]
		if x.where != rentsOnDemand {
			continue
		}
		n, g := gang(v, j).Gang(), gang(v, j)
		p := e.cheapest(v, s, j, n)
		if p < 0 {
			continue
		}
		boot := v.Pool(p).Boot.Mean().Seconds()
		if x.firm+e.Reserve.Seconds() < 2*(boot+e.restart(g))+e.risk(v, j, g, p) || x.left/s.speed(j)[p] < 1200 {
			continue
		}
		s.stop(plan, j)
		s.rentSpot(plan, j, p, n)
		asked = true
	}
	return asked
}

// rentSpot rents GPUs on spot for a job.
func (s *deadlineState) rentSpot(plan *sim.Plan, j, p, n int) {
	s.place(plan, j, p, n, onSpot)
	s.pools[p].held++
}

// rent gives spot to jobs that cannot wait for servers, and GPUs on demand to those past their latest start that find none. It reports
// whether spot was asked for.
func (e *EDF) rent(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		x := &s.jobs[j]
		if x.where != jobWaits || !x.rents && x.sure > 0 {
			continue
		}
		n := gang(v, j).Gang()
		if p := e.cheapest(v, s, j, n); p >= 0 && (x.slack > 0 || x.firm > 0) {
			s.rentSpot(plan, j, p, n)
			asked = true
			continue
		}
		if p := s.rentable(j); p >= 0 && s.pools[p].free >= n && (x.slack <= 0 || e.onlyOnDemand(v, s, j, n)) {
			s.place(plan, j, p, n, rentsOnDemand)
		}
	}
	return asked
}

// done is the work that a job has done, in the unit of what is believed of it; where it takes longer than believed, by the time that it ran.
func (e *EDF) done(v sim.View, s *deadlineState, j int) float64 {
	work := gang(v, j).Work()
	if left := v.Job(j).WorkLeft(); left > work*sim.Overrun*(1+1e-9) {
		return work - left
	}
	x := &s.jobs[j]
	return max(work*(1-sim.Overrun), v.Job(j).Ran().Seconds()*x.quickest)
}

// learn takes in what jobs took that have ended.
func (e *EDF) learn(v sim.View, s *deadlineState) {
	for _, n := range v.JobChanges() {
		if n.What == sim.JobFinished && n.Job < len(s.jobs) && s.jobs[n.Job].quickest > 0 {
			s.belief.add(e.class(v, s, n.Job), e.done(v, s, n.Job)/gang(v, n.Job).Work())
		}
	}
}

// class returns the number of a job's class.
func (e *EDF) class(v sim.View, s *deadlineState, j int) int {
	x := &s.jobs[j]
	if !x.classed {
		name := ""
		switch e.Class {
		case ByUser:
			name = v.Job(j).User()
		case ByKind:
			name = v.Job(j).Kind()
		}
		x.class, x.classed = s.belief.of(name), true
	}
	return x.class
}
