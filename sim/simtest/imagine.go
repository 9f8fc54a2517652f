package simtest

import (
	"fmt"
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
		d.next = v.Now().Add(dreamEvery)
		d.imagine(v)
	}
	d.Policy.Decide(v, plan)
}

// imagine takes capacity away and brings it back, by turns of the pools.
func (d *dreamer) imagine(v sim.View) {
	d.outlooks = d.outlooks[:0]
	for p := range v.Pools() {
		var o sim.Outlook
		if pool := v.Pool(p); !pool.OnDemand {
			o.Capacity = []sim.Capacity{{N: pool.Quota}, {At: v.Now().Add(time.Duration(10+p) * time.Minute), N: p % 2},
				{At: v.Now().Add(time.Duration(70+p) * time.Minute), N: pool.Quota}}
			o.Prices = []sim.Price{{At: v.Now().Add(30 * time.Minute), USD: 1.1 * v.Price(p)}}
		}
		d.outlooks = append(d.outlooks, o)
	}
	v.Future(&d.future, v.Now().Add(8*time.Hour), d.outlooks)
	v.Imagine(&d.world, &d.future, uint64(v.Now()), d.within())
	t := d.world.Run()
	x := dream{at: v.Now(), end: t.End, usd: t.Bill.Total(), calls: t.Decisions}
	for j := range t.Jobs {
		x.loss += t.Jobs[j].Done
	}
	d.dreams = append(d.dreams, x)
}

// KnowsFuture implements sim.Oracle: the policy within may be one.
func (*dreamer) KnowsFuture() {}

// watchfulDreamer is asked for prices.
type watchfulDreamer struct{ dreamer }

func (*watchfulDreamer) WatchPrices() {}

// dreaming returns a policy that imagines, and the dreamer in it.
func (x *trial) dreaming(m *sim.Market) (sim.Policy, *dreamer) {
	p := x.policy(m)
	d := dreamer{Policy: p, within: func() sim.Policy { return x.policy(m) }}
	if _, ok := p.(sim.PriceWatcher); ok {
		w := &watchfulDreamer{d}
		return w, &w.dreamer
	}
	return &d, &d
}

// imagination has the policy imagine futures: the run stays as it is, and what is
// imagined depends on nothing that comes later.
func (x *trial) imagination() error {
	if x.seed > 3 {
		return nil // slow
	}
	p, d := x.dreaming(x.market)
	calm, dreamt := *x.unrecorded(), x.run(func(*sim.Market) sim.Policy { return p }, nil)
	dreamt.Wakes, dreamt.Decisions, dreamt.Events = calm.Wakes, calm.Decisions, calm.Events // within another policy it looks more often (View.Asks)
	if err := same("to imagine a future changes the run", calm, dreamt); err != nil {
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
		if err := same(fmt.Sprintf("the future after %v changes what is imagined before", cut.Sub(0)), before(d.dreams, until), before(e.dreams, until)); err != nil {
			return err
		}
	}
	return nil
}

func before(dreams []dream, t sim.Time) (out []dream) {
	for _, d := range dreams {
		if d.at <= t {
			out = append(out, d)
		}
	}
	return out
}
