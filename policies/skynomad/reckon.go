package skynomad

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// decision is what a decision on one job sees and may change.
type decision struct {
	v         sim.View
	job       sim.JobView
	j         int
	plan      *sim.Plan
	hold      []int
	instances int           // of one pool, on which the job trains
	poll      time.Duration // between decisions
	*scratch
}

// scratch is memory that decisions use again.
type scratch struct {
	loss    policyutil.Loss
	workers []sim.Worker
	there   []int // pools where the state of the job of the decision is
}

// prepare looks up, once a decision, where the state of a job is and what instances of each pool do as one of n.
func (s *scratch) prepare(job sim.JobView, pools, instances int) {
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

// reckoning is a job of the world by the clock of polls.
type reckoning struct {
	job       Job
	state     State
	leftS     float64 // that the rest takes on the pool of reference
	expensive int     // the pool on demand that it may take; none
	ref       int     // the pool by whose instances time is counted; none if nothing can train the job
	referred  bool    // expensive and ref are chosen
	instances int     // of one pool, on which the job trains; 0: not chosen yet
}

// since returns the time since the submission.
func (l *decision) since() time.Duration {
	return l.v.Now().Sub(l.job.Deadline().Add(-l.job.Objective().Within))
}

// size chooses, once, on how many instances of one pool the job trains, a set number if that is not 0, and looks up
// what they do.
func (l *decision) size(n *reckoning, set int) {
	if n.instances == 0 {
		n.instances = set
	}
	if n.instances == 0 {
		n.instances = l.fitting()
	}
	l.instances = n.instances
	l.prepare(l.job, len(l.hold), l.instances)
}

// fitting returns the smallest number of instances with which the job can wait for spot until its next poll without
// coming to its last moment; if there is none, the smallest that meets the objective, else the fastest.
func (l *decision) fitting() int {
	left := l.job.Objective().Within.Seconds() - l.since().Seconds()
	tick := l.poll.Seconds()
	meets := 0
	fastest, shortest := 1, math.Inf(1)
	for k := 1; k <= l.largest(); k++ {
		l.instances = k
		l.prepare(l.job, len(l.hold), k)
		work, boot := l.fastestPool()
		restart := boot + l.loss.Of(l.job.Model(), l.job.Layout()).Stall.Seconds()
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
func (l *decision) largest() int {
	spot, onDemand := 0, 0
	for q := range l.hold {
		if x := l.v.Pool(q); x.OnDemand {
			onDemand = max(onDemand, x.Quota)
		} else if x.Wait == 0 {
			spot = max(spot, x.Quota)
		}
	}
	n := onDemand
	if n == 0 {
		n = spot
	}
	if m, is := l.job.Model().(sim.WorkerModel); is {
		objective := l.job.Objective()
		_, useful := m.WorkerBounds(math.Inf(1), objective.Loss, objective.Within.Seconds())
		n = min(n, useful)
	}
	return max(n, 1)
}

// fastestPool returns the least seconds that the rest of the job takes in a pool on demand that has room for its
// instances or, without one, in a spot pool, with the mean boot there.
func (l *decision) fastestPool() (work, boot float64) {
	work = math.Inf(1)
	for _, onDemand := range [2]bool{true, false} {
		for q := range l.hold {
			x := l.v.Pool(q)
			if x.OnDemand != onDemand || x.Wait > 0 || x.Quota < l.instances {
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

// reckon fills in what the job and its state are.
func (l *decision) estimate(n *reckoning) {
	if !n.referred {
		n.referred = true
		l.refer(n)
	}
	n.job.TickS, n.job.DeadlineS = l.poll.Seconds(), l.job.Objective().Within.Seconds()
	n.state.Now, n.job.RestartS = l.since().Seconds(), 0
	if n.ref == none {
		return
	}
	n.leftS = l.restS(n.ref)
	if n.job.WorkS == 0 {
		n.job.WorkS = n.leftS / max(1-l.job.Done(), 1e-9)
	}
	n.state.Done = max(n.job.WorkS-n.leftS, 0)
	n.job.RestartS = l.v.Pool(n.ref).Boot.Mean().Seconds() + l.loss.Of(l.job.Model(), l.job.Layout()).Stall.Seconds()
}

// workUSD returns what an hour of work costs in a pool at the price of now, USD: of the work that the
// pool of reference does in an hour. +Inf where the job cannot train.
func (l *decision) workUSD(n *reckoning, q int) float64 {
	rest := l.restS(q)
	if math.IsInf(rest, 1) {
		return rest
	}
	return l.usdPerH(q) * rest / n.leftS
}

// usdPerH returns what the instances cost now in a pool.
func (l *decision) usdPerH(q int) float64 { return float64(l.instances) * l.v.Price(q) }

// restS returns how long the rest of the job takes in a pool, s; +Inf where it cannot train.
func (l *decision) restS(q int) float64 {
	m := l.job.Model().(sim.WorkerModel)
	if l.workers[q].Rate <= 0 {
		return math.Inf(1)
	}
	var tally sim.Tally
	tally.Add(l.instances, l.workers[q])
	return m.Estimate(tally, l.job.Loss(), l.job.Objective().Loss).Seconds
}

// refer chooses, once, the pools by which the job is reckoned: on demand, and that by whose
// instances time is counted: the same or, where nothing is on demand, the spot pool where the job
// takes least time.
func (l *decision) refer(n *reckoning) {
	n.expensive = l.onDemand()
	n.ref = n.expensive
	if n.ref != none {
		return
	}
	smallest := math.Inf(1)
	for q := range l.hold {
		if l.v.Pool(q).Quota < l.instances {
			continue
		}
		if s := l.restS(q); s < smallest {
			n.ref, smallest = q, s
		}
	}
}

// onDemand returns the pool on demand where the rest costs least of those that meet the deadline, the
// fastest if none does; none if there is none.
func (l *decision) onDemand() int {
	best, smallest, fastest, shortest := none, math.Inf(1), none, math.Inf(1)
	left := l.job.Objective().Within - l.since()
	for q := range l.hold {
		if x := l.v.Pool(q); !x.OnDemand || x.Quota < l.instances {
			continue
		}
		rest := l.restS(q)
		if rest < shortest {
			fastest, shortest = q, rest
		}
		inTime := rest+l.v.Pool(q).Boot.Mean().Seconds() <= left.Seconds()
		if usd := l.usdPerH(q) * rest; inTime && usd < smallest {
			best, smallest = q, usd
		}
	}
	if best == none {
		return fastest
	}
	return best
}

// canTrain reports whether a pool is a spot pool that grants at once or not, and in which the job can train.
func (l *decision) canTrain(q int) bool {
	x := l.v.Pool(q)
	return !x.OnDemand && x.Wait == 0 && x.Quota >= l.instances && !math.IsInf(l.restS(q), 1)
}

// move returns what carrying the job's state to a pool takes, from where that costs least.
func (l *decision) move(q int) (usd, seconds float64) {
	usd = math.Inf(1)
	for _, from := range l.there {
		if m := l.job.Move(from, q); m.USD < usd || m.USD == usd && m.Time.Seconds() < seconds {
			usd, seconds = m.USD, m.Time.Seconds()
		}
	}
	if math.IsInf(usd, 1) {
		return 0, 0 // there is no state yet
	}
	return usd, seconds
}

// isExpensive reports whether a pool is on demand and of the instance type of expensive, in its own or another region.
func (l *decision) isExpensive(q, expensive int) bool {
	x := l.v.Pool(q)
	return x.OnDemand && x.InstanceType == l.v.Pool(expensive).InstanceType && x.Quota >= l.instances
}

// cheapest returns the pool on demand, of the instance type of expensive, where the rest costs least, with
// the move there.
func (l *decision) cheapest(expensive int) int {
	best, smallest := expensive, math.Inf(1)
	for q := range l.hold {
		if !l.isExpensive(q, expensive) {
			continue
		}
		move, _ := l.move(q)
		if usd := l.usdPerH(q)*l.restS(q)/3600 + move; usd < smallest {
			best, smallest = q, usd
		}
	}
	return best
}
