package schedulers

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// EDF is a policy of ours for many jobs with deadlines, on servers, spot and on demand: Deadlines that plans ahead, for
// jobs whose durations are believed, not known.
//
//   - Servers go to the first in a line, also those of a job behind it. The line is by deadline (preemptive earliest
//     deadline first: Liu and Layland, JACM 1973); another order is taken as long as servers can do more in time by it.
//   - It rents what the servers cannot do in time: where jobs ask for more than Fill of the servers' time until their
//     deadlines, or would come too late when the line is simulated with whole gangs, those with the least to do train on
//     spot until the rest fits in. They go back to wait when there is time again.
//   - What a duration is worth is learnt from the jobs that have ended: a lognormal distribution of what they took over
//     what was believed, by Class as far as jobs of a class are alike. Given what a job has done, work that waits for
//     servers counts by its mean. A job rents spot in time to meet its deadline in the part Sure of what is possible, and
//     rents on demand in time for the part Must.
//   - On demand it goes back to spot where it can lose that once.
//   - A job that can rent nowhere, as no pool has room for its gang, has no reserve and counts as it is believed: it
//     goes by its deadline alone.
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
	// Class is whose jobs that have ended a job is compared with. Those without a user, or kind, are a class of their
	// own.
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
	e.Slack = 0
	e.Fill = 1
	e.Reserve = 15 * time.Minute
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
	outdated := s.plan.made == 0 || v.Now() >= s.plan.made.Add(pollEvery)
	if outdated || len(v.JobChanges()) > 0 || s.refused {
		e.planAhead(v, plan, s)
		s.refused = false
	}
	e.serve(v, plan, s)
	e.displace(v, plan, s)
	e.fill(v, plan, s)
	asked := e.goBackToSpot(v, plan, s)
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
		job := &s.jobs[j]
		model := gang(v, j)
		if !job.mayRent { // doubt is a reason to rent sooner, and nothing else
			job.left = v.Job(j).WorkLeft()
			job.slack = e.slackOf(v, s, j, model, job.left)
			job.firm = job.slack
			job.sure = job.slack
			continue
		}
		work := model.Work()
		done := e.done(v, s, j)
		law := s.belief.law(e.class(v, s, j), e.Sigma)
		job.left = law.mean(work, done)
		job.firm = e.slackOf(v, s, j, model, job.left)
		job.slack = e.slackOf(v, s, j, model, law.quantile(work, done, e.Must))
		job.sure = e.slackOf(v, s, j, model, law.quantile(work, done, max(e.Sure, e.Must)))
	}
	s.sortByDeadline(v)
}

// serve gives servers to the first in the line that do not rent, also those of jobs behind them.
func (e *EDF) serve(v sim.View, plan *sim.Plan, s *deadlineState) {
	line := s.plan.line
	for i, first := range line {
		j := first.job
		n := first.gang
		job := &s.jobs[j]
		if job.rents || job.rate == 0 || job.where != jobWaits {
			continue
		}
		free := s.freeServers(j)
		victims := len(line)
		for free < n && victims > i+1 {
			victims--
			victim := line[victims].job
			if s.yields(victim) {
				free += plan.Held(victim)
			}
		}
		if free < n {
			continue
		}
		for _, victim := range slices.Backward(line[victims:]) {
			if s.freeServers(j) < n && s.yields(victim.job) {
				s.stop(plan, victim.job)
			}
		}
		if s.freeServers(j) >= n {
			s.takeServers(plan, j, n)
		}
	}
}

// yields reports whether a job has servers that others may take.
func (s *deadlineState) yields(j int) bool {
	return s.jobs[j].where == onServers && s.jobs[j].slack > 0
}

// minLeft is how much of its work, seconds, a job on demand must have left to go back to spot.
const minLeft = 1200

// goBackToSpot gives spot to jobs that train on demand, where they can lose it once.
func (e *EDF) goBackToSpot(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		job := &s.jobs[j]
		if job.where != rentsOnDemand {
			continue
		}
		model := gang(v, j)
		p := e.cheapestSpot(v, s, j, model.Gang())
		if p == none {
			continue
		}
		boot := v.Pool(p).Boot.Mean().Seconds()
		loss := 2*(boot+e.restart(model)) + e.risk(v, model, p)
		if job.firm+e.Reserve.Seconds() < loss || job.left/s.speed(j)[p] < minLeft {
			continue
		}
		s.stop(plan, j)
		s.rent(plan, j, p, model.Gang())
		asked = true
	}
	return asked
}

// rent gives spot to jobs that cannot wait for servers, and GPUs on demand to those past their latest start that find
// none. It reports whether spot was asked for.
func (e *EDF) rent(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		job := &s.jobs[j]
		if job.where != jobWaits || !job.rents && job.sure > 0 {
			continue
		}
		n := gang(v, j).Gang()
		spot := e.cheapestSpot(v, s, j, n)
		if spot != none && (job.slack > 0 || job.firm > 0) {
			s.rent(plan, j, spot, n)
			asked = true
		} else if e.mayRentOnDemand(v, s, j, n) {
			s.rent(plan, j, s.cheapestOnDemand(j), n)
		}
	}
	return asked
}

// done is the work that a job has done, in the unit of what is believed of it; where it takes longer than believed,
// by the time that it ran.
func (e *EDF) done(v sim.View, s *deadlineState, j int) float64 {
	work := gang(v, j).Work()
	left := v.Job(j).WorkLeft()
	if left > work*sim.Overrun*(1+1e-9) {
		return work - left
	}
	return max(work*(1-sim.Overrun), v.Job(j).Ran().Seconds()*s.jobs[j].quickest)
}

// learn takes in what jobs took that have ended.
func (e *EDF) learn(v sim.View, s *deadlineState) {
	for _, change := range v.JobChanges() {
		j := change.Job
		if change.What == sim.JobFinished && j < len(s.jobs) && s.jobs[j].quickest > 0 {
			s.belief.add(e.class(v, s, j), e.done(v, s, j)/gang(v, j).Work())
		}
	}
}

// class returns the number of a job's class.
func (e *EDF) class(v sim.View, s *deadlineState, j int) int {
	job := &s.jobs[j]
	if !job.classed {
		name := ""
		switch e.Class {
		case ByUser:
			name = v.Job(j).User()
		case ByKind:
			name = v.Job(j).Kind()
		}
		job.class = s.belief.of(name)
		job.classed = true
	}
	return job.class
}
