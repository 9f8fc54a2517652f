package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// EDF is a policy of ours for many jobs with deadlines, on servers, spot and on demand: Deadlines that plans ahead, for
// jobs whose durations are known or only believed.
//
//   - Whenever a job comes or goes, or spot is refused, it looks for the best line: the order in which jobs get servers
//     that costs least. Of up to six jobs all orders are tried; else a local search goes on from the order of deadlines
//     and the one of the plan before. By a line servers are filled with whole gangs, and jobs behind may pass; a job
//     that has no time left rents until there are servers for it. Each order is also tried with those first that have
//     no time left. What is rented later costs the price that is expected: of spot for the share of the time in which
//     there was spot, as far as was seen, else that on demand.
//   - It takes the first step of that line. A job that rents later by it, and is not on servers, rents spot now where
//     that costs less than is expected later. It goes back to wait when it need not rent any more.
//   - What a duration is worth is learnt from the jobs that have ended, where it is believed only
//     (sim.JobView.Believed): a lognormal distribution of what they took over what was believed, by Class as far as
//     jobs of a class are alike. Given what a job has done, work that waits for servers counts by its mean. A job rents
//     spot in time to meet its deadline in the part Sure of what is possible, and rents on demand in time for the part
//     Must.
//   - Reserve is kept where durations are believed; where they are known, at most what one boot in 30,000 takes longer
//     than in the mean and one more start, with which a job goes on on servers or, at its latest start, on spot.
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
	e.plan(v, s)
	e.serve(v, plan, s)
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
	if slices.ContainsFunc(s.order, func(j int) bool { return s.jobs[j].where != onServers }) {
		plan.WakeIn(max(s.line.until.Sub(v.Now()), time.Microsecond))
	}
}

// appraise works out what is left of every job, and its slack.
func (e *EDF) appraise(v sim.View, s *deadlineState) {
	s.order = append(s.order[:0], v.ActiveJobs()...)
	for _, j := range s.order {
		job := &s.jobs[j]
		model := gang(v, j)
		if !job.mayRent || !v.Job(j).Believed() { // doubt is a reason to rent sooner, and nothing else
			job.left = v.Job(j).WorkLeft()
			job.reserve = min(job.reserve, s.bootLonger(v, j)+e.otherStart(v, s, j))
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

// otherStart is how long a job takes to start elsewhere than on demand, seconds: on servers that become free, or on
// spot, which may be lost before it trains. A job that rents on demand without this time could never go to servers. It
// is 0 where there is nothing but on demand, or no start takes time.
func (e *EDF) otherStart(v sim.View, s *deadlineState, j int) float64 {
	speed := s.speed(j)
	boot := 0.0
	elsewhere := false
	for p := range s.pools {
		if s.pools[p].kind == demandPool || speed[p] <= 0 {
			continue
		}
		elsewhere = true
		if s.pools[p].kind == spotPool {
			boot = max(boot, v.Pool(p).Boot.Mean().Seconds())
		}
	}
	start := boot + e.restart(s, j, gang(v, j))
	if !elsewhere || start == 0 {
		return 0
	}
	return start + leastStep
}

// leastStep is the shortest step of the plan, seconds.
const leastStep = 1

// bootLonger is how much longer than in the mean GPUs on demand take to boot, but for one in 30,000, seconds.
func (s *deadlineState) bootLonger(v sim.View, j int) float64 {
	p := s.cheapestOnDemand(j)
	if p == none {
		return 0
	}
	boot := v.Pool(p).Boot
	return boot.Median.Seconds()*math.Exp(4*boot.Sigma) - boot.Mean().Seconds()
}

// serve gives servers to the jobs that have them first by the plan, and what is left to others; and stops what rents
// that can wait.
func (e *EDF) serve(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		job := &s.jobs[j]
		canWait := job.where == onServers && job.slack > 0 || job.where == onSpot && !job.rents && job.sure > 0
		if canWait && !job.serves && gang(v, j).Gang() <= job.servers {
			s.stop(plan, j)
		}
	}
	for _, planned := range [...]bool{true, false} {
		for _, j := range s.order {
			job := &s.jobs[j]
			if job.where == onServers || job.stays || job.rate == 0 || job.serves != planned {
				continue
			}
			n := gang(v, j).Gang()
			if s.freeServers(j) >= n {
				s.takeServers(plan, j, n)
			}
		}
	}
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
		if !e.mayLose(v, s, j, p) || job.left/s.speed(j)[p] < minLeft {
			continue
		}
		s.stop(plan, j)
		s.rent(plan, j, p, model.Gang())
		asked = true
	}
	return asked
}

// mayLose reports whether a job that is past its latest start can train in a spot pool, lose its GPUs once and end in
// time on demand, whose start is in its slack already. Where durations are believed the start counts twice: firm is by
// the mean of what may be left.
func (e *EDF) mayLose(v sim.View, s *deadlineState, j, p int) bool {
	model := gang(v, j)
	start := v.Pool(p).Boot.Mean().Seconds() + e.restart(s, j, model)
	loss := start + e.risk(v, model, p)
	if v.Job(j).Believed() {
		loss += start
	} else {
		loss += s.bootLonger(v, j)
	}
	return s.jobs[j].firm+s.jobs[j].reserve >= loss-1
}

// rent gives spot to jobs that cannot wait for servers, and GPUs on demand to those past their latest start that find
// none. It reports whether spot was asked for.
func (e *EDF) rent(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.jobs[a].firm, s.jobs[b].firm) })
	for _, j := range s.order {
		job := &s.jobs[j]
		if job.where != jobWaits || !job.rents && job.sure > 0 {
			continue
		}
		n := gang(v, j).Gang()
		spot := e.cheapestSpot(v, s, j, n)
		if spot != none && (job.slack > 0 || job.firm > 0 || e.mayLose(v, s, j, spot)) {
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
