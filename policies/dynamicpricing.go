package policies

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// DynamicPricing trains on n spot instances of one pool, that on which the rest of the
// job would cost least at the prices of now, and chooses again in fixed periods. With
// every_s 0 it stays; pools of one type, one region or one cloud in the spec make the
// other strategies of the paper. What it did for nothing costs here what it costs: the
// present instances train on until the new ones have booted, the state moves at its
// price and in its time, and instances are lost. The paper's rules as they are printed
// know the day's prices ahead (marigram reproduce dynamic-pricing).
type DynamicPricing struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"n; 0 takes the smallest number that meets the objective"`
	Every      time.Duration `set:"every_s" min:"0" max:"2678400" doc:"time between choices; 0 chooses once"`
	Patience   time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request waits before another pool is tried; 0 waits for ever. Longer waits for cheap pools: on regions 1200 costs 5 % less than 300, and takes 7 % longer"`
	CountMoves bool          `set:"count_moves" doc:"a move has to save what it costs: its price, its time and the boot"`

	saver   policyutil.LossSaver
	workers []sim.Worker
	full    []int // pools that are left out, since they refused what was requested
	n       int   // instances of the job of the decision
}

func init() {
	register("trains in the spot pool where the rest costs least now, and chooses again every day",
		"Narayanan and others, dynamic pricing (DISPA 2020), with prices until now, boots, moves and losses",
		WorkerModels,
		func() sim.Policy {
			return &DynamicPricing{Every: 24 * time.Hour, Patience: 5 * time.Minute, CountMoves: true}
		})
}

// Name implements sim.Policy.
func (*DynamicPricing) Name() string { return "dynamic-pricing" }

// Decide implements sim.Policy.
func (d *DynamicPricing) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		d.n = d.size(v, j)
		d.decide(v, j, plan)
		d.saver.Save(v, j, plan)
	}
}

func (d *DynamicPricing) decide(v sim.View, j int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	due := d.awaitPeriod(v, j, plan)
	policyutil.WithinPatience(v, j, d.Patience, plan)
	here, ready := d.cheapestReady(v, j, hold)
	if ready > 1 {
		holdOnly(hold, here)
		plan.SetReason("the new instances are ready: the others go")
		return
	}
	if d.withdrawOverdue(v, j, hold) || v.Job(j).Want() == 0 {
		if ready == 0 {
			d.choose(v, j, plan, -1)
		}
		return
	}
	if due && ready == 1 && !holdsOther(hold, here) {
		d.choose(v, j, plan, here)
	}
}

// awaitPeriod reports whether a period ends now, and wakes the policy when the next one does.
func (d *DynamicPricing) awaitPeriod(v sim.View, j int, plan *sim.Plan) bool {
	if d.Every == 0 {
		return false
	}
	job := v.Job(j)
	since := v.Now().Sub(job.Deadline().Add(-job.Objective().Within)) % d.Every
	plan.WakeIn(d.Every - since)
	return since == 0
}

// cheapestReady returns the pool, of those that are held and ready, where the rest costs least, and how many there are.
func (d *DynamicPricing) cheapestReady(v sim.View, j int, hold []int) (cheapest, ready int) {
	cheapest = -1
	least := math.Inf(1)
	for p := range hold {
		if hold[p] == 0 || v.Held(j, p).Ready < d.n {
			continue
		}
		ready++
		usd := d.rest(v, j, p)
		if cheapest < 0 || usd < least {
			cheapest = p
			least = usd
		}
	}
	return cheapest, ready
}

// holdOnly leaves what is held in one pool alone.
func holdOnly(hold []int, p int) {
	n := hold[p]
	clear(hold)
	hold[p] = n
}

// withdrawOverdue withdraws requests that have waited too long, and reports whether there were any.
func (d *DynamicPricing) withdrawOverdue(v sim.View, j int, hold []int) bool {
	found := false
	for p := range hold {
		if hold[p] > 0 && policyutil.Overdue(v, j, p, d.Patience) {
			hold[p] = 0
			found = true
		}
	}
	return found
}

// holdsOther reports whether instances of another pool than p are to be held.
func holdsOther(hold []int, p int) bool {
	for q := range hold {
		if q != p && hold[q] > 0 {
			return true
		}
	}
	return false
}

// choose requests instances of the pool where the rest costs least, moving included; where the job holds a pool, only
// if that is another. Pools that refused its requests are left out, unless there is no other, or all others cost much
// more and the job insists: then it is the turn of the one that was asked the longest time ago.
func (d *DynamicPricing) choose(v sim.View, j int, plan *sim.Plan, here int) {
	best := d.findPool(v, j, plan, here)
	if best < 0 {
		plan.SetReason("no pool can train the job")
		return
	}
	hold := plan.Jobs[j].Hold
	plan.Choose(v.Pool(best).Name)
	if best == here {
		plan.SetReason("the rest costs least here")
		return
	}
	hold[best] = d.n
	policyutil.WakeOverdue(j, d.Patience, plan)
	plan.SetReason("the rest costs least at the prices of now")
	held := v.Held(j, best)
	if v.Pool(best).Boot.Median == 0 && hold[best] > held.Active()+held.Waiting {
		plan.AskAgain() // what is granted is ready at once; a request that goes on waiting is not
	}
}

// findPool returns the pool that choose requests, below 0 if none can train the job.
func (d *DynamicPricing) findPool(v sim.View, j int, plan *sim.Plan, here int) int {
	best := -1
	least := math.Inf(1)
	asked := -1
	leastFull := math.Inf(1)
	d.full = d.full[:0]
	for p := range v.Pools() {
		if v.Pool(p).OnDemand || policyutil.Headroom(v, plan, j, p)+v.Held(j, p).Active() < d.n {
			continue
		}
		usd := d.rest(v, j, p) + d.moving(v, j, p, here)
		if math.IsInf(usd, 1) {
			continue
		}
		note := "full" // constant texts, so that nothing is put into words
		if !policyutil.Refused(v, j, p, d.Patience) {
			note = ""
			if usd < least {
				best = p
				least = usd
			}
		} else if v.Held(j, p).Waiting > 0 {
			asked = p
		} else {
			leastFull = min(leastFull, usd)
			d.full = append(d.full, p)
		}
		if p == here {
			note = "here"
		}
		plan.AddCandidate(sim.Candidate{Name: v.Pool(p).Name, Score: usd, Unit: "USD", Note: note})
	}
	maxUSD := policyutil.MuchMore * leastFull
	if least > maxUSD && policyutil.Insists(v, j, d.Patience) {
		best = -1
		d.full = slices.DeleteFunc(d.full, func(p int) bool { return d.rest(v, j, p)+d.moving(v, j, p, here) > maxUSD })
	}
	if best < 0 {
		best = policyutil.LongestRefused(v, d.full)
	}
	if best < 0 {
		return asked
	}
	return best
}

// size returns on how many instances job j trains: what is set or, where that is 0, the smallest number that does all
// of it in time in some pool on spot; where none does, as many as the model can use. It is the same at every decision
// on the job.
func (d *DynamicPricing) size(v sim.View, j int) int {
	if d.Instances > 0 {
		return d.Instances
	}
	job := v.Job(j)
	objective := job.Objective()
	model := job.Model().(sim.WorkerModel)
	largest := 0
	for p := range v.Pools() {
		if !v.Pool(p).OnDemand {
			largest = max(largest, v.Pool(p).Quota)
		}
	}
	_, useful := model.WorkerBounds(math.Inf(1), objective.Loss, objective.Within.Seconds())
	largest = max(min(largest, useful), 1)
	for n := 1; n < largest; n++ {
		d.measureWorkers(v, model, n)
		for p := range v.Pools() {
			pool := v.Pool(p)
			if pool.OnDemand || pool.Quota < n || d.workers[p].Rate <= 0 {
				continue
			}
			var tally sim.Tally
			tally.Add(n, d.workers[p])
			seconds := model.Estimate(tally, math.Inf(1), objective.Loss).Seconds
			if seconds+policyutil.ReadyAfter(pool.Boot, n, 0.95) <= objective.Within.Seconds() {
				return n
			}
		}
	}
	return largest
}

// measureWorkers finds what an instance of each pool does as one of n.
func (d *DynamicPricing) measureWorkers(v sim.View, model sim.WorkerModel, n int) {
	if len(d.workers) != v.Pools() {
		d.workers = make([]sim.Worker, v.Pools())
	}
	model.Workers(n, 0, d.workers)
}

// rest returns what the rest of job j costs in pool p at the price of now, USD; +Inf where
// it cannot train.
func (d *DynamicPricing) rest(v sim.View, j, p int) float64 {
	job := v.Job(j)
	model := job.Model().(sim.WorkerModel)
	d.measureWorkers(v, model, d.n)
	if d.workers[p].Rate <= 0 {
		return math.Inf(1)
	}
	var tally sim.Tally
	tally.Add(d.n, d.workers[p])
	seconds := model.Estimate(tally, job.Loss(), job.Objective().Loss).Seconds
	return float64(d.n) * v.Price(p) * seconds / 3600
}

// moving returns what going to pool p costs from the pool that is held, or from where the
// state is, USD: the price of the move, and the instances while they boot and wait for it.
func (d *DynamicPricing) moving(v sim.View, j, p, here int) float64 {
	if !d.CountMoves || p == here {
		return 0
	}
	job := v.Job(j)
	least := math.Inf(1)
	perSecond := float64(d.n) * v.Price(p) / 3600
	for q := range v.Pools() {
		if job.StateIn(q) {
			move := job.Move(q, p)
			least = min(least, move.USD+perSecond*move.Time.Seconds())
		}
	}
	if math.IsInf(least, 1) {
		least = 0 // there is no state yet
	}
	return least + perSecond*v.Pool(p).Boot.Mean().Seconds()
}
