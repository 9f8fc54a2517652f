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
//   - Servers go to the earliest deadline, also those of a job with a later one (preemptive earliest deadline first: Liu and Layland, JACM
//     1973).
//   - It rents what the servers cannot do in time: where, up to some deadline, the jobs due by then ask for more than Fill of
//     the servers' time, those with the least slack train on spot until the rest fits in. They go back to wait when
//     there is time again.
//   - What a duration is worth is learnt from the jobs that have ended: a lognormal distribution of what they took over what
//     was believed. Given what a job has done, work that waits for servers counts by its mean. A job rents spot in time to meet its
//     deadline in the part Sure of what is possible, and rents on demand in time for the part Must.
//   - On demand it goes back to spot where it can lose that once.
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
}

// NewEDF returns the policy with its default settings.
func NewEDF() *EDF {
	e := &EDF{Deadlines: *NewDeadlines(), Sure: 0.95, Must: 0.5, Sigma: 0.1}
	e.Slack, e.Fill, e.Reserve = 0, 0.8, 15*time.Minute
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
	e.shed(v, plan, s)
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
	law := s.belief.law(e.Sigma)
	for _, j := range s.order {
		x, g := &s.jobs[j], gang(v, j)
		work, done := g.Work(), e.done(v, s, j)
		x.left = law.mean(work, done)
		x.firm = e.slackOf(v, s, j, g, x.left)
		x.slack = e.slackOf(v, s, j, g, law.quantile(work, done, e.Must))
		x.sure = e.slackOf(v, s, j, g, law.quantile(work, done, max(e.Sure, e.Must)))
	}
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.jobs[a].deadline, s.jobs[b].deadline), cmp.Compare(v.Job(a).ID(), v.Job(b).ID()))
	})
}

// shed decides which jobs rent: as many that the others can be done on servers, the earliest deadline first.
func (e *EDF) shed(v sim.View, plan *sim.Plan, s *deadlineState) {
	capacity := e.Fill * float64(s.servers)
	ahead := 0.0 // GPU-seconds
	s.kept = s.kept[:0]
	for _, j := range s.order {
		x := &s.jobs[j]
		n := gang(v, j).Gang()
		if x.rents = n > x.servers; x.rents {
			continue
		}
		x.ask = x.left / x.rate * float64(n)
		if x.where == onSpot || x.where == rentsOnDemand {
			x.ask *= goBack
		}
		s.kept = append(s.kept, j)
		ahead += x.ask
		for time := x.deadline.Sub(v.Now()).Seconds() - e.Reserve.Seconds() - e.Slack*x.left/x.rate; ahead > capacity*max(time, 0); {
			k := s.toRent()
			if k < 0 {
				break
			}
			y := &s.jobs[s.kept[k]]
			y.rents = true
			ahead -= y.ask
			s.kept = slices.Delete(s.kept, k, k+1)
		}
	}
	for _, j := range s.order {
		if x := &s.jobs[j]; x.where == onSpot && !x.rents && x.sure > 0 {
			s.stop(plan, j) // there is time again
		}
	}
}

// goBack is how much more work a job that rents is taken to have when it is asked whether it may wait again.
const goBack = 1.5

// toRent returns which of the jobs that are kept rents first: one that rents already, else the one with the least slack.
func (s *deadlineState) toRent() int {
	best := -1
	for k, j := range s.kept {
		x := &s.jobs[j]
		if best < 0 {
			best = k
			continue
		}
		y := &s.jobs[s.kept[best]]
		if a, b := x.where == onSpot, y.where == onSpot; a != b {
			if a {
				best = k
			}
		} else if x.slack < y.slack {
			best = k
		}
	}
	return best
}

// serve gives servers to the earliest deadlines of the jobs that do not rent, also those of jobs with later ones.
func (e *EDF) serve(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		x := &s.jobs[j]
		n := gang(v, j).Gang()
		if x.rents || x.rate == 0 || x.where != jobWaits {
			continue
		}
		free := s.freeServers(j)
		victims := len(s.order)
		for free < n && victims > 0 {
			victims--
			k := s.order[victims]
			if y := &s.jobs[k]; y.deadline <= x.deadline {
				break
			} else if y.where == onServers && y.slack > 0 {
				free += plan.Held(k)
			}
		}
		if free < n {
			continue
		}
		for _, k := range slices.Backward(s.order[victims:]) {
			if y := &s.jobs[k]; s.freeServers(j) < n && y.where == onServers && y.slack > 0 && y.deadline > x.deadline {
				s.stop(plan, k)
			}
		}
		if s.freeServers(j) >= n {
			s.take(plan, j, n)
		}
	}
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
			s.belief.add(e.done(v, s, n.Job) / gang(v, n.Job).Work())
		}
	}
}
