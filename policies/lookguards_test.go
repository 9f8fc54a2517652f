package policies_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// unlike is a model whose workers make n samples and mini-batches a second, by pool.
type unlike struct {
	simtest.Linear
	samples, batches [4]float64
}

func (m unlike) Rate(l *sim.Layout) sim.Rate {
	v, n := 0.0, int32(0)
	for p, k := range l.Workers {
		v += float64(k) * m.samples[p]
		n += k
	}
	return sim.Rate{Progress: v, Iterations: v, Samples: v, Working: n}
}

func (m unlike) Workers(_ int, _ float64, into []sim.Worker) {
	for p := range into {
		into[p] = sim.Worker{Rate: m.batches[p], Speed: m.samples[p]}
	}
}

// steps is a value that holds from 0 on, and others from their seconds on.
type steps [][2]float64

func (x steps) prices() (out []sim.Price) {
	for _, s := range x {
		out = append(out, sim.Price{At: sim.Time(0).After(s[0]), USD: s[1]})
	}
	return out
}

func (x steps) capacity() (out []sim.Capacity) {
	for _, s := range x {
		out = append(out, sim.Capacity{At: sim.Time(0).After(s[0]), N: int(s[1])})
	}
	return out
}

func onDemandPool(name string, quota int, usd, capacity steps) sim.Trace {
	return sim.Trace{Pool: sim.Pool{Name: name, InstanceType: "x", OnDemand: true, Quota: quota, OnDemandPrice: usd[0][1]}, Prices: usd.prices(),
		Capacity: capacity.capacity()}
}

func spotPool(quota int, capacity steps) sim.Trace {
	return sim.Trace{Pool: sim.Pool{Name: "spot", InstanceType: "x", Quota: quota}, Prices: []sim.Price{{USD: 1}}, Capacity: capacity.capacity()}
}

// polls runs the safe form of a spotdnn that looks each poll for jobs of n samples with deadlines some seconds apart:
// as it is, and so that it looks each time. The totals are the same, with fewer decisions; several jobs come to on
// demand.
func polls(t *testing.T, poll, reserve time.Duration, size int, model sim.Model, samples, from, until, apart float64, pools ...sim.Trace) {
	t.Helper()
	m, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), pools)
	if err != nil {
		t.Fatal(err)
	}
	form := func() sim.Policy {
		s := safe.New(&spotdnn.SpotDNN{Poll: poll})
		s.Reserve, s.Size, s.Regret = reserve, size, 100 // the deadline alone decides
		return s
	}
	decisions, polls, late := int64(0), int64(0), 0
	for within := from; within < until; within += apart {
		c := sim.Config{Market: m, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Loss: simtest.LossAt(samples), Within: sim.Time(0).After(within).Sub(0)}}}}
		some, n := totalsOf(t, c, form())
		all, every := totalsOf(t, c, asked{form()})
		if !reflect.DeepEqual(some, all) {
			t.Fatalf("within %v s: other numbers\n%+v\n%+v", within, some, all)
		}
		decisions, polls = decisions+n, polls+every
		if some.Bill.OnDemand > 0 {
			late++
		}
	}
	if decisions >= polls || late < 10 {
		t.Errorf("%d decisions of %d, %d runs came to on demand: the runs show nothing", decisions, polls, late)
	}
}

// A loss stops training for 100.7 s. The look at the end of the pause comes, although nothing has to be saved for
// long: the next ones are counted from there, and the one that finds that on demand has to come is at the same
// microsecond.
func TestPollsAfterAPause(t *testing.T) {
	polls(t, 7300*time.Millisecond, 61300*time.Millisecond, 0, simtest.Linear{PerWorker: 1, Stall: 100700 * time.Millisecond, Rollback: true,
		Save: 20 * time.Second},
		9000, 4000.1, 4900, 13.3,
		spotPool(2, steps{{0, 2}, {1234.567, 1}}), onDemandPool("dear", 4, steps{{0, 3}}, nil))
}

// On demand has to come while a save is under way, and its request waits. The save leaves time again; but after a
// minute the pool counts as full, and without it there is none: the look at which that shows is not left out.
func TestPollsWhileOnDemandWaits(t *testing.T) {
	polls(t, 7*time.Second, time.Minute, 1, unlike{simtest.Linear{PerWorker: 6, Save: time.Minute, Rollback: true}, [4]float64{6, 2, 1}, [4]float64{6, 2, 1}},
		40000, 23300, 23400, 5,
		spotPool(1, nil), onDemandPool("dear", 1, steps{{0, 3}}, steps{{0, 0}}), onDemandPool("slow", 1, steps{{0, 4}}, nil))
}

// Pools on demand of as many mini-batches a second are ordered by price, and two that follow one another are the
// fastest cluster of two: when the slow one gets cheaper than a fast one, at 2400 s, it is slower, without an event.
// So no look is left out at all.
func TestPollsWherePricesOrderPools(t *testing.T) {
	model := unlike{simtest.Linear{PerWorker: 4}, [4]float64{1, 4, 1, 4}, [4]float64{1, 1, 1, 1}}
	m, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), []sim.Trace{spotPool(1, nil), onDemandPool("a", 1, steps{{0, 3}}, nil),
		onDemandPool("b", 1, steps{{0, 9}, {2400, 4}}, nil), onDemandPool("c", 1, steps{{0, 5}}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	for within := 7200 * time.Second; within < 8000*time.Second; within += time.Minute {
		c := sim.Config{Market: m, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Loss: simtest.LossAt(40000), Within: within}}}}
		form := func() sim.Policy {
			s := safe.New(&spotdnn.SpotDNN{Poll: 7 * time.Second})
			s.Size = 2
			return s
		}
		some, _ := totalsOf(t, c, form())
		if all, _ := totalsOf(t, c, asked{form()}); !reflect.DeepEqual(some, all) || some.Bill.OnDemand == 0 {
			t.Fatalf("within %v: other numbers, or none on demand\n%+v\n%+v", within, some, all)
		}
	}
}

// Jobs that share quotas wait for prices, too: a job whose plan changes has all looked at again.
func TestMixedWaitsForPricesOfSeveralJobs(t *testing.T) {
	decisions, polls := int64(0), int64(0)
	for k := range uint64(100) {
		dice := sim.Rand{Seed: k}
		draw := func(n uint64, low, high float64) float64 { return low + (high-low)*dice.Uniform(sim.PurposeUser, 7, n) }
		span := func(n uint64, low, high float64) time.Duration { return sim.Time(0).After(draw(n, low, high)).Sub(0) }
		pools := []sim.Trace{onDemandPool("dear", 1+int(draw(1, 0, 5)), steps{{0, 1}}, steps{{0, draw(2, 0, 5)}, {draw(3, 1, 7000), draw(4, 0, 5)}})}
		for p := range uint64(2 + k%2) {
			usd, capacity, at := steps{{0, draw(100*p+9, .2, .4)}}, steps{{0, draw(100*p+10, 0, 5)}}, 0.0
			for i := range uint64(6) {
				at += draw(100*p+20+i, 60, 2400)
				usd, capacity = append(usd, [2]float64{at, draw(100*p+30+i, .2, .4)}), append(capacity, [2]float64{at, draw(100*p+40+i, 0, 5)})
			}
			pools = append(pools, sim.Trace{Pool: sim.Pool{Name: fmt.Sprint("spot-", p), Zone: fmt.Sprint(p), InstanceType: "x", Quota: 1 + int(draw(100*p+11, 0, 5)),
				Boot: sim.Boot{Median: span(100*p+12, 1, 200)}, Notice: span(100*p+13, 0, 120)}, Prices: usd.prices(), Capacity: capacity.capacity()})
		}
		m, err := sim.NewMarket(sim.Time(0).Add(5*time.Hour), pools)
		if err != nil {
			t.Fatal(err)
		}
		c := sim.Config{Market: m, Seed: k, Billing: sim.PerSecond()}
		for j := range 2 + k%2 {
			c.Jobs = append(c.Jobs, sim.Job{Submit: span(950+j, 0, 5000), Model: simtest.Linear{PerWorker: 1},
				Objective: sim.Objective{Loss: simtest.LossAt(draw(960+j, 3000, 30000)), Within: span(970+j, 3000, 12000)}})
		}
		form := func() sim.Policy {
			return &policies.Mixed{Instances: int(k % 5), Base: int(draw(980, 0, 3)), Share: draw(981, 0.3, 1), PriceCap: draw(982, .22, .38),
				Fallback: time.Duration(k%3) * span(983, 20, 600), Return: time.Duration(k%4) * span(984, 60, 1200)}
		}
		some, n := totalsOf(t, c, form())
		all, every := totalsOf(t, c, asked{form()})
		if !reflect.DeepEqual(some, all) {
			t.Fatalf("%d: other numbers\n%+v\n%+v", k, some, all)
		}
		decisions, polls = decisions+n, polls+every
	}
	if decisions*2 > polls {
		t.Errorf("%d decisions of %d: the runs show nothing", decisions, polls)
	}
}
