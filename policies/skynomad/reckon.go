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
	if model, ok := job.Model().(sim.WorkerModel); ok {
		model.Workers(instances, 0, s.workers)
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
func (d *Decision) Since() time.Duration {
	return d.View.Now().Sub(d.Job.Deadline().Add(-d.Job.Objective().Within))
}

// ChooseInstances chooses, once, on how many instances of one pool the job trains, a set number if that is not 0, and
// looks up what they do.
func (d *Decision) ChooseInstances(n *Reckoning, set int) {
	if n.instances == 0 {
		n.instances = set
	}
	if n.instances == 0 {
		n.instances = d.findInstances()
	}
	d.Instances = n.instances
	d.prepare(d.Job, len(d.Hold), d.Instances)
}

// findInstances returns the smallest number of instances with which the job can wait for spot until its next poll
// without coming to its last moment; if there is none, the smallest that meets the objective, else the fastest.
func (d *Decision) findInstances() int {
	left := d.Job.Objective().Within.Seconds() - d.Since().Seconds()
	tick := d.Poll.Seconds()
	meets := 0
	fastest := 1
	shortest := math.Inf(1)
	for n := 1; n <= d.maxInstances(); n++ {
		d.Instances = n
		d.prepare(d.Job, len(d.Hold), n)
		work, boot := d.fastestPool()
		restart := boot + d.Loss.Of(d.Job.Model(), d.Job.Layout()).Stall.Seconds()
		if math.Ceil((work+2*restart)/tick)*tick < math.Floor((left-tick)/tick)*tick {
			return n
		}
		if meets == 0 && work+restart <= left {
			meets = n
		}
		if work+restart < shortest {
			fastest = n
			shortest = work + restart
		}
	}
	if meets > 0 {
		return meets
	}
	return fastest
}

// maxInstances returns the most instances that a pool on demand allows or, where none does, a spot pool, and that the
// model can use.
func (d *Decision) maxInstances() int {
	spot := 0
	onDemand := 0
	for q := range d.Hold {
		pool := d.View.Pool(q)
		if pool.OnDemand {
			onDemand = max(onDemand, pool.Quota)
		} else if pool.Wait == 0 {
			spot = max(spot, pool.Quota)
		}
	}
	n := onDemand
	if n == 0 {
		n = spot
	}
	if model, ok := d.Job.Model().(sim.WorkerModel); ok {
		objective := d.Job.Objective()
		_, useful := model.WorkerBounds(math.Inf(1), objective.Loss, objective.Within.Seconds())
		n = min(n, useful)
	}
	return max(n, 1)
}

// fastestPool returns the least seconds that the rest of the job takes in a pool on demand that has room for its
// instances or, without one, in a spot pool, with the mean boot there.
func (d *Decision) fastestPool() (work, boot float64) {
	work = math.Inf(1)
	for _, onDemand := range [2]bool{true, false} {
		for q := range d.Hold {
			pool := d.View.Pool(q)
			if pool.OnDemand != onDemand || pool.Wait > 0 || pool.Quota < d.Instances {
				continue
			}
			if rest := d.restS(q); rest < work {
				work = rest
				boot = pool.Boot.Mean().Seconds()
			}
		}
		if !math.IsInf(work, 1) {
			break
		}
	}
	return work, boot
}

// Estimate fills in what the job and its state are.
func (d *Decision) Estimate(n *Reckoning) {
	if !n.referred {
		n.referred = true
		d.chooseReference(n)
	}
	n.Job.TickS = d.Poll.Seconds()
	n.Job.DeadlineS = d.Job.Objective().Within.Seconds()
	n.Job.RestartS = 0
	n.State.Now = d.Since().Seconds()
	if n.Ref == none {
		return
	}
	n.leftS = d.restS(n.Ref)
	if n.Job.WorkS == 0 {
		n.Job.WorkS = n.leftS / max(1-d.Job.Done(), 1e-9)
	}
	n.State.Done = max(n.Job.WorkS-n.leftS, 0)
	n.Job.RestartS = d.View.Pool(n.Ref).Boot.Mean().Seconds() + d.Loss.Of(d.Job.Model(), d.Job.Layout()).Stall.Seconds()
}

// WorkUSD returns what an hour of work costs in a pool at the price of now, USD: of the work that the
// pool of reference does in an hour. +Inf where the job cannot train.
func (d *Decision) WorkUSD(n *Reckoning, q int) float64 {
	rest := d.restS(q)
	if math.IsInf(rest, 1) {
		return rest
	}
	return d.usdPerH(q) * rest / n.leftS
}

// usdPerH returns what the instances cost now in a pool.
func (d *Decision) usdPerH(q int) float64 { return float64(d.Instances) * d.View.Price(q) }

// restS returns how long the rest of the job takes in a pool, s; +Inf where it cannot train.
func (d *Decision) restS(q int) float64 {
	if d.workers[q].Rate <= 0 {
		return math.Inf(1)
	}
	var tally sim.Tally
	tally.Add(d.Instances, d.workers[q])
	model := d.Job.Model().(sim.WorkerModel)
	return model.Estimate(tally, d.Job.Loss(), d.Job.Objective().Loss).Seconds
}

// chooseReference chooses, once, the pools by which the job is reckoned: on demand, and that by whose instances time is
// counted: the same or, where nothing is on demand, the spot pool where the job takes least time.
func (d *Decision) chooseReference(n *Reckoning) {
	n.Expensive = d.onDemand()
	n.Ref = n.Expensive
	if n.Ref != none {
		return
	}
	smallest := math.Inf(1)
	for q := range d.Hold {
		if d.View.Pool(q).Quota < d.Instances {
			continue
		}
		if rest := d.restS(q); rest < smallest {
			n.Ref = q
			smallest = rest
		}
	}
}

// onDemand returns the pool on demand where the rest costs least of those that meet the deadline, the
// fastest if none does; none if there is none.
func (d *Decision) onDemand() int {
	cheapest := none
	least := math.Inf(1)
	fastest := none
	shortest := math.Inf(1)
	left := d.Job.Objective().Within - d.Since()
	for q := range d.Hold {
		pool := d.View.Pool(q)
		if !pool.OnDemand || pool.Quota < d.Instances {
			continue
		}
		rest := d.restS(q)
		if rest < shortest {
			fastest = q
			shortest = rest
		}
		inTime := rest+pool.Boot.Mean().Seconds() <= left.Seconds()
		if usd := d.usdPerH(q) * rest; inTime && usd < least {
			cheapest = q
			least = usd
		}
	}
	if cheapest == none {
		return fastest
	}
	return cheapest
}

// CanTrain reports whether a pool is a spot pool that grants at once or not, and in which the job can train.
func (d *Decision) CanTrain(q int) bool {
	pool := d.View.Pool(q)
	return !pool.OnDemand && pool.Wait == 0 && pool.Quota >= d.Instances && !math.IsInf(d.restS(q), 1)
}

// move returns what carrying the job's state to a pool takes, from where that costs least.
func (d *Decision) move(q int) (usd, seconds float64) {
	usd = math.Inf(1)
	for _, from := range d.there {
		move := d.Job.Move(from, q)
		if move.USD < usd || move.USD == usd && move.Time.Seconds() < seconds {
			usd = move.USD
			seconds = move.Time.Seconds()
		}
	}
	if math.IsInf(usd, 1) {
		return 0, 0 // there is no state yet
	}
	return usd, seconds
}

// IsExpensive reports whether a pool is on demand and of the instance type of expensive, in its own or another region.
func (d *Decision) IsExpensive(q, expensive int) bool {
	pool := d.View.Pool(q)
	return pool.OnDemand && pool.InstanceType == d.View.Pool(expensive).InstanceType && pool.Quota >= d.Instances
}

// Cheapest returns the pool on demand, of the instance type of expensive, where the rest costs least, with the move
// there.
func (d *Decision) Cheapest(expensive int) int {
	cheapest := expensive
	least := math.Inf(1)
	for q := range d.Hold {
		if !d.IsExpensive(q, expensive) {
			continue
		}
		move, _ := d.move(q)
		if usd := d.usdPerH(q)*d.restS(q)/3600 + move; usd < least {
			cheapest = q
			least = usd
		}
	}
	return cheapest
}
