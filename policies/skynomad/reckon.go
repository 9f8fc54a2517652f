package skynomad

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Decision is what a decision on one job sees and may change.
type Decision struct {
	View      sim.View
	Job       sim.JobView
	ID        int // of the job, in View and Plan
	Plan      *sim.Plan
	Hold      []int         // what the job is to hold, by pool
	Instances int           // of one pool, on which the job trains
	Poll      time.Duration // between decisions
	*Scratch
}

// Scratch is memory that decisions use again.
type Scratch struct {
	Loss    policyutil.Loss
	workers []sim.Worker
	there   []int // pools where the state of the job of the decision is
}

// prepare looks up, once a decision, where the state of a job is and what instances of each pool do as one of n.
func (s *Scratch) prepare(job sim.JobView, pools, instances int) {
	s.there = s.there[:0]
	if len(s.workers) != pools {
		s.workers = make([]sim.Worker, pools)
	}
	if m, ok := job.Model().(sim.WorkerModel); ok {
		m.Workers(instances, 0, s.workers)
	}
	for p := range pools {
		if job.StateIn(p) {
			s.there = append(s.there, p)
		}
	}
}

// Reckoning is a job of the world by the clock of polls.
type Reckoning struct {
	Job       Job
	State     State
	Expensive int // the pool on demand that it may take; none: -1
	Ref       int // the pool by whose instances time is counted; -1 if nothing can train the job

	leftS     float64 // that the rest takes on the pool of reference
	referred  bool    // Expensive and Ref are chosen
	instances int     // of one pool, on which the job trains; 0: not chosen yet
}

// Since returns the time since the submission.
func (l *Decision) Since() time.Duration {
	return l.View.Now().Sub(l.Job.Deadline().Add(-l.Job.Objective().Within))
}

// ChooseInstances chooses, once, on how many instances of one pool the job trains, a set number if that is not 0, and looks up
// what they do.
func (l *Decision) ChooseInstances(n *Reckoning, set int) {
	if n.instances == 0 {
		n.instances = set
	}
	if n.instances == 0 {
		n.instances = l.fitting()
	}
	l.Instances = n.instances
	l.prepare(l.Job, len(l.Hold), l.Instances)
}

// fitting returns the smallest number of instances with which the job can wait for spot until its next poll without
// coming to its last moment; if there is none, the smallest that meets the objective, else the fastest.
func (l *Decision) fitting() int {
	left := l.Job.Objective().Within.Seconds() - l.Since().Seconds()
	tick := l.Poll.Seconds()
	meets := 0
	fastest, shortest := 1, math.Inf(1)
	for k := 1; k <= l.largest(); k++ {
		l.Instances = k
		l.prepare(l.Job, len(l.Hold), k)
		work, boot := l.fastestPool()
		restart := boot + l.Loss.Of(l.Job.Model(), l.Job.Layout()).Stall.Seconds()
		switch {
		case math.Ceil((work+2*restart)/tick)*tick < math.Floor((left-tick)/tick)*tick:
			return k
		case meets == 0 && work+restart <= left:
			meets = k
		}
		if work+restart < shortest {
			fastest = k
			shortest = work + restart
		}
	}
	if meets > 0 {
		return meets
	}
	return fastest
}

// largest returns the most instances that a pool on demand allows or, where none does, a spot pool, and that the model
// can use.
func (l *Decision) largest() int {
	spot, onDemand := 0, 0
	for q := range l.Hold {
		if x := l.View.Pool(q); x.OnDemand {
			onDemand = max(onDemand, x.Quota)
		} else if x.Wait == 0 {
			spot = max(spot, x.Quota)
		}
	}
	n := onDemand
	if n == 0 {
		n = spot
	}
	if m, is := l.Job.Model().(sim.WorkerModel); is {
		objective := l.Job.Objective()
		_, useful := m.WorkerBounds(math.Inf(1), objective.Loss, objective.Within.Seconds())
		n = min(n, useful)
	}
	return max(n, 1)
}

// fastestPool returns the least seconds that the rest of the job takes in a pool on demand that has room for its
// instances or, without one, in a spot pool, with the mean boot there.
func (l *Decision) fastestPool() (work, boot float64) {
	work = math.Inf(1)
	for _, onDemand := range [2]bool{true, false} {
		for q := range l.Hold {
			x := l.View.Pool(q)
			if x.OnDemand != onDemand || x.Wait > 0 || x.Quota < l.Instances {
				continue
			}
			if s := l.restS(q); s < work {
				work = s
				boot = x.Boot.Mean().Seconds()
			}
		}
		if !math.IsInf(work, 1) {
			break
		}
	}
	return work, boot
}

// Estimate fills in what the job and its state are.
func (l *Decision) Estimate(n *Reckoning) {
	if !n.referred {
		n.referred = true
		l.refer(n)
	}
	n.Job.TickS, n.Job.DeadlineS = l.Poll.Seconds(), l.Job.Objective().Within.Seconds()
	n.State.Now, n.Job.RestartS = l.Since().Seconds(), 0
	if n.Ref == none {
		return
	}
	n.leftS = l.restS(n.Ref)
	if n.Job.WorkS == 0 {
		n.Job.WorkS = n.leftS / max(1-l.Job.Done(), 1e-9)
	}
	n.State.Done = max(n.Job.WorkS-n.leftS, 0)
	n.Job.RestartS = l.View.Pool(n.Ref).Boot.Mean().Seconds() + l.Loss.Of(l.Job.Model(), l.Job.Layout()).Stall.Seconds()
}

// WorkUSD returns what an hour of work costs in a pool at the price of now, USD: of the work that the
// pool of reference does in an hour. +Inf where the job cannot train.
func (l *Decision) WorkUSD(n *Reckoning, q int) float64 {
	rest := l.restS(q)
	if math.IsInf(rest, 1) {
		return rest
	}
	return l.usdPerH(q) * rest / n.leftS
}

// usdPerH returns what the instances cost now in a pool.
func (l *Decision) usdPerH(q int) float64 { return float64(l.Instances) * l.View.Price(q) }

// restS returns how long the rest of the job takes in a pool, s; +Inf where it cannot train.
func (l *Decision) restS(q int) float64 {
	m := l.Job.Model().(sim.WorkerModel)
	if l.workers[q].Rate <= 0 {
		return math.Inf(1)
	}
	var tally sim.Tally
	tally.Add(l.Instances, l.workers[q])
	return m.Estimate(tally, l.Job.Loss(), l.Job.Objective().Loss).Seconds
}

// refer chooses, once, the pools by which the job is reckoned: on demand, and that by whose
// instances time is counted: the same or, where nothing is on demand, the spot pool where the job
// takes least time.
func (l *Decision) refer(n *Reckoning) {
	n.Expensive = l.onDemand()
	n.Ref = n.Expensive
	if n.Ref != none {
		return
	}
	smallest := math.Inf(1)
	for q := range l.Hold {
		if l.View.Pool(q).Quota < l.Instances {
			continue
		}
		if s := l.restS(q); s < smallest {
			n.Ref, smallest = q, s
		}
	}
}

// onDemand returns the pool on demand where the rest costs least of those that meet the deadline, the
// fastest if none does; none if there is none.
func (l *Decision) onDemand() int {
	best, smallest, fastest, shortest := none, math.Inf(1), none, math.Inf(1)
	left := l.Job.Objective().Within - l.Since()
	for q := range l.Hold {
		if x := l.View.Pool(q); !x.OnDemand || x.Quota < l.Instances {
			continue
		}
		rest := l.restS(q)
		if rest < shortest {
			fastest, shortest = q, rest
		}
		inTime := rest+l.View.Pool(q).Boot.Mean().Seconds() <= left.Seconds()
		if usd := l.usdPerH(q) * rest; inTime && usd < smallest {
			best, smallest = q, usd
		}
	}
	if best == none {
		return fastest
	}
	return best
}

// CanTrain reports whether a pool is a spot pool that grants at once or not, and in which the job can train.
func (l *Decision) CanTrain(q int) bool {
	x := l.View.Pool(q)
	return !x.OnDemand && x.Wait == 0 && x.Quota >= l.Instances && !math.IsInf(l.restS(q), 1)
}

// move returns what carrying the job's state to a pool takes, from where that costs least.
func (l *Decision) move(q int) (usd, seconds float64) {
	usd = math.Inf(1)
	for _, from := range l.there {
		if m := l.Job.Move(from, q); m.USD < usd || m.USD == usd && m.Time.Seconds() < seconds {
			usd, seconds = m.USD, m.Time.Seconds()
		}
	}
	if math.IsInf(usd, 1) {
		return 0, 0 // there is no state yet
	}
	return usd, seconds
}

// IsExpensive reports whether a pool is on demand and of the instance type of expensive, in its own or another region.
func (l *Decision) IsExpensive(q, expensive int) bool {
	x := l.View.Pool(q)
	return x.OnDemand && x.InstanceType == l.View.Pool(expensive).InstanceType && x.Quota >= l.Instances
}

// Cheapest returns the pool on demand, of the instance type of expensive, where the rest costs least, with
// the move there.
func (l *Decision) Cheapest(expensive int) int {
	best, smallest := expensive, math.Inf(1)
	for q := range l.Hold {
		if !l.IsExpensive(q, expensive) {
			continue
		}
		move, _ := l.move(q)
		if usd := l.usdPerH(q)*l.restS(q)/3600 + move; usd < smallest {
			best, smallest = q, usd
		}
	}
	return best
}
