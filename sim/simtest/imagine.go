package simtest

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// dreamer imagines now and then, before it decides as the policy within does, how that
// goes on, and notes what comes out.
type dreamer struct {
	sim.Policy
	within   func() sim.Policy // a policy of its own for what is imagined
	dreams   []dream
	world    sim.World
	future   sim.Market
	outlooks []sim.Outlook
	next     sim.Time
	every    time.Duration
	truth    bool // it imagines what will come, until end with the draws of seed
	end      sim.Time
	seed     uint64
	totals   []sim.Totals // of that
}

// dream is what came of a future that was imagined at an instant.
type dream struct {
	at    sim.Time
	end   sim.Time
	loss  float64
	usd   float64
	calls int64
}

// Unwrap returns the policy within.
func (d *dreamer) Unwrap() sim.Policy { return d.Policy }

const dreamEvery = 15 * time.Minute

func (d *dreamer) Decide(v sim.View, plan *sim.Plan) {
	if v.Now() >= d.next && len(v.ActiveJobs()) > 0 {
		d.next = v.Now().Add(d.every)
		d.imagine(v)
	}
	d.Policy.Decide(v, plan)
}

// imagine takes capacity away and brings it back, by turns of the pools.
func (d *dreamer) imagine(v sim.View) {
	if d.truth {
		d.imagineTruth(v)
		return
	}
	d.outlooks = d.outlooks[:0]
	for p := range v.Pools() {
		var outlook sim.Outlook
		if pool := v.Pool(p); !pool.OnDemand {
			outlook.Capacity = []sim.Capacity{
				{N: pool.Quota},
				{At: v.Now().Add(time.Duration(10+p) * time.Minute), N: p % 2},
				{At: v.Now().Add(time.Duration(70+p) * time.Minute), N: pool.Quota},
			}
			outlook.Prices = []sim.Price{{At: v.Now().Add(30 * time.Minute), USD: 1.1 * v.Price(p)}}
		}
		d.outlooks = append(d.outlooks, outlook)
	}
	v.Future(&d.future, v.Now().Add(8*time.Hour), d.outlooks)
	v.Imagine(&d.world, &d.future, uint64(v.Now()), d.within())
	totals := d.world.Run()
	dreamt := dream{at: v.Now(), end: totals.End, usd: totals.Bill.Total(), calls: totals.Decisions}
	for j := range totals.Jobs {
		dreamt.loss += totals.Jobs[j].Done
	}
	d.dreams = append(d.dreams, dreamt)
}

// imagineTruth imagines that all stays as it is, as it does where nothing is on spot.
func (d *dreamer) imagineTruth(v sim.View) {
	v.Future(&d.future, d.end, make([]sim.Outlook, v.Pools()))
	v.Imagine(&d.world, &d.future, d.seed, d.within())
	d.totals = append(d.totals, clone(d.world.Run()))
}

// Traits are those of the policy within; and to imagine is to know the future.
func (d *dreamer) Traits() sim.Traits {
	traits := sim.TraitsOf(d.Policy)
	traits.KnowsFuture = true
	return traits
}

// dreaming returns a policy that imagines, and the dreamer in it.
func (x *trial) dreaming(market *sim.Market) (sim.Policy, *dreamer) {
	p := x.policy(market)
	d := &dreamer{Policy: p, within: func() sim.Policy { return x.policy(market) }, every: dreamEvery}
	return d, d
}

const clusterDreamEvery = 7 * time.Hour

// clusterImagination has a scheduler imagine futures: the run stays as it is, and what is imagined twice is the same.
func (x *trial) clusterImagination() error {
	p, d := x.dreaming(x.market)
	d.every = clusterDreamEvery
	dreamt := x.run(func(*sim.Market) sim.Policy { return p }, nil)
	if err := same("to imagine a future changes the run", *x.unrecorded(), dreamt); err != nil {
		return err
	}
	q, e := x.dreaming(x.market)
	e.every = clusterDreamEvery
	x.run(func(*sim.Market) sim.Policy { return q }, nil)
	if len(d.dreams) == 0 {
		return fmt.Errorf("it imagined no future")
	}
	for _, a := range d.dreams {
		if !(a.usd >= 0) || a.end < a.at {
			return fmt.Errorf("at %v it imagined %+v", a.at.Sub(0), a)
		}
	}
	return same("what is imagined is not the same twice", d.dreams, e.dreams)
}

// imagination has the policy imagine futures: the run stays as it is, and what is
// imagined depends on nothing that comes later.
func (x *trial) imagination() error {
	if x.seed > 3 {
		return nil // slow
	}
	p, d := x.dreaming(x.market)
	idle := *x.unrecorded()
	dreamt := x.run(func(*sim.Market) sim.Policy { return p }, nil)
	dreamt.Wakes = idle.Wakes
	dreamt.Decisions = idle.Decisions
	dreamt.Events = idle.Events // within another policy it looks more often (View.Asks)
	if err := same("to imagine a future changes the run", idle, dreamt); err != nil {
		return err
	}
	if len(d.dreams) == 0 {
		return fmt.Errorf("it imagined %d futures", len(d.dreams))
	}
	for hour := time.Duration(1); hour < 4; hour++ {
		cut := sim.Time(0).Add(hour * time.Hour)
		until := cut.Add(-2 * time.Minute)
		other := *x
		other.market = Market(x.seed, suiteSpan, cut)
		p, e := other.dreaming(other.market)
		world(other.config(p, x.seed, nil)).RunUntil(until)
		what := fmt.Sprintf("the future after %v changes what is imagined before", cut.Sub(0))
		if err := same(what, before(d.dreams, until), before(e.dreams, until)); err != nil {
			return err
		}
	}
	return nil
}

func before(dreams []dream, at sim.Time) (out []dream) {
	for _, d := range dreams {
		if d.at <= at {
			out = append(out, d)
		}
	}
	return out
}

// clusterTruth has a policy imagine, where all jobs are there from the start and nothing is on spot, what will come: it
// is the run.
func (x *trial) clusterTruth() error {
	for p := range x.market.Pools() {
		if _, limited := x.market.Capacity(p, 0); limited {
			return nil
		}
	}
	y := *x
	y.jobs = slices.Clone(x.jobs)
	y.bare = nil
	for j := range y.jobs {
		y.jobs[j].Submit = 0
	}
	p, d := y.dreaming(y.market)
	d.truth = true
	d.end = y.market.End()
	d.seed = y.seed
	d.every = clusterDreamEvery
	y.run(func(*sim.Market) sim.Policy { return p }, nil)
	if len(d.totals) == 0 {
		return fmt.Errorf("it imagined no future")
	}
	want := y.unrecorded()
	for k := range d.totals {
		if err := same("what is imagined of what will come is not the run", want.Jobs, d.totals[k].Jobs); err != nil {
			return err
		}
	}
	return nil
}
