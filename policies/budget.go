package policies

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Budget is a policy for most work within a budget: its base decides until the budget is nearly spent, then what was
// trained is saved and the job ends unfinished. It goes by the name of its base.
type Budget struct {
	Base sim.Policy
	USD  float64 // for the run, above 0

	replaced []int // scratch memory
}

// Name implements sim.Policy.
func (b *Budget) Name() string { return b.Base.Name() }

// Unwrap returns the policy within.
func (b *Budget) Unwrap() sim.Policy { return b.Base }

// Traits implements sim.Policy: those of the base.
func (b *Budget) Traits() sim.Traits { return sim.TraitsOf(b.Base) }

// Decide implements sim.Policy. It is asked again when half of the rest may be spent, and every minute at least: what
// is not foreseen comes on top. What its base requests is left out as far as the budget does not pay for it: of whole
// hours, for the first one.
func (b *Budget) Decide(v sim.View, plan *sim.Plan) {
	b.Base.Decide(v, plan)
	for _, j := range v.ActiveJobs() {
		job := v.Job(j)
		pauses := max(job.SaveTime(), time.Second) + job.PersistTime()
		hours := b.trim(v, j, 2*pauses.Hours(), plan)
		plan.AddInput("time that the budget pays", hours, "h")
		switch {
		case hours > 2*pauses.Hours():
			plan.WakeIn(time.Duration(min(hours/2, 1.0/60)*3.6e12) + time.Microsecond)
		case hours > time.Second.Hours() && job.SaveTime() > 0 && !policyutil.Saved(v, j, plan):
			plan.WakeIn(time.Second)
			plan.SetReason("the budget is nearly spent: save")
		default: // not a number where nothing is held and nothing is left
			clear(plan.Jobs[j].Hold)
			plan.Jobs[j].Servers = 0
			plan.Jobs[j].Done = true
			plan.Jobs[j].GivenUp = true
			plan.AskOnce()
			plan.SetReason("the budget is spent")
		}
	}
}

// trim takes requests that the budget does not pay for some hours out of the plan, the most expensive first, and
// returns for how long it pays what is left.
func (b *Budget) trim(v sim.View, j int, least float64, plan *sim.Plan) float64 {
	hours := b.pays(v, j, plan)
	hold := plan.Jobs[j].Hold
	for _, p := range v.MostExpensive() {
		for hold[p] > v.Active(j, p) && !(hours > least) {
			hold[p]--
			hours = b.pays(v, j, plan)
			plan.SetReason("the budget pays for no more")
		}
	}
	return hours
}

// pays returns for how many hours the budget pays what job j holds and requests: until it is spent at the prices of
// now, and so that what the billing rules add when all of it is given back, such as the rest of an hour, is within it.
// What is on spot may be lost and replaced before the policy is asked again, so that the least that other instances in
// its place cost is kept.
func (b *Budget) pays(v sim.View, j int, plan *sim.Plan) float64 {
	const longest = 1e5 // h
	hours := policyutil.Affords(v, j, b.USD, plan)
	hold := plan.Jobs[j].Hold
	b.replaced = append(b.replaced[:0], hold...)
	for p, n := range hold {
		pool := v.Pool(p)
		if !pool.OnDemand && !pool.Reserved && pool.Until == 0 {
			b.replaced[p] = n + min(n, pool.Quota)
		}
	}
	kept := v.BillAfter(j, b.replaced, time.Second) - v.BillAfter(j, hold, time.Second)
	within := func(hours float64) bool {
		return v.BillAfter(j, hold, time.Duration(hours*3.6e12)) <= b.USD-kept
	}
	if !(hours > 0) || within(min(hours, longest)) {
		return hours
	}
	low := 0.0
	high := min(hours, longest)
	for high-low > time.Second.Hours()/10 {
		middle := (low + high) / 2
		if within(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// AtBudget returns the policy that decides as p does and ends the job, saved, before it costs more than a budget in
// USD. A nil policy stays nil, and without a finite budget p stays as it is.
func AtBudget(p sim.Policy, usd float64) sim.Policy {
	if p == nil || math.IsInf(usd, 1) {
		return p
	}
	return &Budget{Base: p, USD: usd}
}
