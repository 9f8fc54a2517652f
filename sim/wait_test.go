package sim_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// waiter holds two instances, and two of each pool on demand once what it waits for has come.
type waiter struct {
	holds func(v sim.View) bool
	until sim.Condition
	how   how
	every time.Duration
	acted sim.Time
	asked int
}

type how int

const (
	polls  how = iota // looks at every poll, at events only at that instant of the grid
	looks             // has the world look as often
	wakes             // is woken when the condition holds
	unlike            // as polls, and is asked for no events
)

func (*waiter) Name() string { return "waiter" }

func (x *waiter) Decide(v sim.View, plan *sim.Plan) {
	hold := plan.Jobs[0].Hold
	x.asked++
	own := v.Trigger()&(sim.TriggerWake|sim.TriggerMet) != 0
	switch {
	case v.Trigger()&sim.TriggerStart != 0:
		hold[0] = 2
		x.acted = sim.Never
	case x.acted == sim.Never && own && x.holds(v):
		x.acted = v.Now()
		for p := range hold {
			if v.Pool(p).OnDemand {
				hold[p] = 2
			}
		}
	}
	if x.acted != sim.Never {
		return
	}
	since := v.Now().Sub(v.Start()) % x.every
	switch x.how {
	case polls, unlike:
		plan.WakeIn(x.every - since)
	case looks:
		plan.WakeWhen(x.until.Every(x.every))
	case wakes:
		plan.WakeWhen(x.until)
	}
	if x.how != polls {
		plan.WaitFor(0)
	}
}

// runWaiter returns the totals without what counts decisions, and when the waiter acted.
func runWaiter(t *testing.T, x *waiter, seed uint64) (sim.Totals, sim.Time) {
	t.Helper()
	job := sim.Job{Model: simtest.Linear{PerWorker: 1, Stall: time.Minute, Rollback: true, Save: time.Second},
		Objective: sim.Objective{Loss: simtest.LossAt(4 * 3600), Within: 4 * time.Hour}}
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 6*time.Hour, sim.Never), Jobs: []sim.Job{job}, Policy: x, Seed: seed, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	total := *w.Run()
	total.Events, total.Decisions, total.Wakes = 0, 0, 0
	return total, x.acted
}

// What a waiter of the test waits for, as a condition and as it sees it.
var waitsFor = map[string]struct {
	until sim.Condition
	holds func(v sim.View) bool
}{
	"price": {sim.PriceOutside(1, 0.25, 0.33), func(v sim.View) bool { return v.Price(1) < 0.25 || v.Price(1) > 0.33 }},
	"done":  {sim.Reached(0, 0.3), func(v sim.View) bool { return v.Job(0).Done() >= 0.3 }},
	"no return": {sim.OutOfTime(0, 3*time.Hour, 20*time.Minute), func(v sim.View) bool {
		left := v.Job(0).Deadline().Sub(v.Now()) - 20*time.Minute
		return (1-v.Job(0).Done())*(3*time.Hour).Seconds() > left.Seconds()
	}},
	"request": {sim.Waited(0, 7*time.Minute), func(v sim.View) bool {
		return v.Job(0).Waiting() > 0 && v.Now().Sub(v.Job(0).WaitingSince()) >= 7*time.Minute
	}},
}

// A run with polls and one with conditions that are looked at as often have the same numbers to
// the last bit; an exact condition wakes at the first microsecond, within one poll before them.
func TestConditionsAndPolls(t *testing.T) {
	acted := 0
	for name, c := range waitsFor {
		for seed := range uint64(12) {
			for _, every := range []time.Duration{time.Second, 77 * time.Second} {
				t.Run(fmt.Sprintf("%s/%d/%v", name, seed, every), func(t *testing.T) {
					as := func(how how) (*waiter, sim.Totals, sim.Time) {
						x := &waiter{holds: c.holds, until: c.until, how: how, every: every}
						total, at := runWaiter(t, x, seed)
						return x, total, at
					}
					p, polled, atPoll := as(polls)
					l, looked, atLook := as(looks)
					_, _, atUnlike := as(unlike)
					e, _, exact := as(wakes)
					if atPoll != atLook || atPoll != atUnlike || !reflect.DeepEqual(polled, looked) {
						t.Fatalf("polls act at %v, conditions at %v\n%+v\n%+v", atPoll, atLook, polled, looked)
					}
					if l.asked > p.asked || e.asked > 400 {
						t.Errorf("asked %d times with polls, %d with conditions, %d with exact ones", p.asked, l.asked, e.asked)
					}
					late := sim.Time(every / time.Microsecond)
					if atPoll != sim.Never && (exact > atPoll || name != "price" && exact <= atPoll-late) {
						t.Errorf("exact at %v, polled at %v", exact, atPoll)
					}
					if atPoll != sim.Never {
						acted++
					}
				})
			}
		}
	}
	if acted < 40 {
		t.Errorf("only %d of the runs came to what was waited for", acted)
	}
}

// outside waits for nothing but a price outside of 1 to 2 USD.
type outside struct{ at []sim.Time }

func (*outside) Name() string { return "outside" }

func (g *outside) Decide(v sim.View, plan *sim.Plan) {
	g.at = append(g.at, v.Now())
	plan.Jobs[0].Hold[0] = 1
	plan.WaitFor(0)
	plan.WakeWhen(sim.PriceOutside(0, 1, 2))
}

// A condition that holds when it is named is waited for once it has ceased to hold.
func TestConditionThatHolds(t *testing.T) {
	minute := func(n int) sim.Time { return sim.Time(0).Add(time.Duration(n) * time.Minute) }
	m, err := sim.NewMarket(minute(60), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 1}, Prices: []sim.Price{
		{At: 0, USD: 0.5}, {At: minute(10), USD: 0.6}, {At: minute(20), USD: 1.5}, {At: minute(30), USD: 3}, {At: minute(40), USD: 2}, {At: minute(50), USD: 0.5}}}})
	if err != nil {
		t.Fatal(err)
	}
	g := &outside{}
	job := sim.Job{Model: simtest.Linear{PerWorker: 1}, Objective: sim.Objective{Loss: simtest.LossAt(1e6), Within: time.Hour}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: g})
	if err != nil {
		t.Fatal(err)
	}
	var fork sim.World
	w.RunUntil(minute(25))
	other := &outside{}
	w.Fork(&fork, other)
	fork.Run()
	w.Run()
	if want := []sim.Time{0, minute(30), minute(50)}; !reflect.DeepEqual(g.at, want) || !reflect.DeepEqual(other.at, want[1:]) {
		t.Errorf("asked at %v, in the fork at %v, expected %v", g.at, other.at, want)
	}
}
