package policies_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// dense trains on n instances n^0.8 times as fast as on one.
type dense struct{ simtest.Linear }

func (m dense) Rate(l *sim.Layout) sim.Rate {
	r, n := m.Linear.Rate(l), int32(0)
	for _, k := range l.Workers {
		n += k
	}
	if n > 0 {
		r.Progress = m.PerWorker * math.Pow(float64(n), 0.8)
	}
	return r
}

// queued is a run of wait-or-buy of five hours of work on up to four instances, on demand for 3 USD or from a queue.
func queued(t *testing.T, usd float64, wait, length, within time.Duration, sigma float64, seed uint64) *sim.Totals {
	t.Helper()
	pools := []sim.Trace{
		{Pool: sim.Pool{Name: "queue", InstanceType: "a", Quota: 4, Wait: wait, WaitSigma: sigma, Length: length}, Prices: []sim.Price{{USD: usd}}},
		{Pool: sim.Pool{Name: "on-demand/a", InstanceType: "a", OnDemand: true, OnDemandPrice: 3, Quota: 4}, Prices: []sim.Price{{USD: 3}}},
	}
	m, err := sim.NewMarket(sim.At(100*3600), pools)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New("wait-or-buy")
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: p, Billing: sim.PerSecond(), Seed: seed, Jobs: []sim.Job{{Name: "job",
		Model: dense{simtest.Linear{PerWorker: 1}}, Objective: sim.Objective{Loss: simtest.LossAt(5 * 3600), Within: within}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// On every combination of a queue's wait, length and price and a deadline, it costs what the cheapest number of
// instances of one pool does, of those in time, and is in time where one is.
func TestWaitOrBuyCostsTheCheapest(t *testing.T) {
	check := near.Count(t)
	counts := map[string]int{}
	for _, wait := range []float64{1, 2, 3.5, 8} {
		for _, length := range []float64{0, 2, 4} {
			for _, usd := range []float64{1, 2, 2.9, 3.1, 6} {
				for _, within := range []float64{1.5, 1.8, 2.6, 4.2, 5.2, 9.3, 20} {
					smallest, kind := math.Inf(1), "late"
					for n := 1.0; n <= 4; n++ {
						h := 5 / math.Pow(n, 0.8)
						if h <= within && 3*n*h < smallest {
							smallest, kind = 3*n*h, "on demand"
						}
						if wait+h <= within && (length == 0 || h <= length) && usd*n*h < smallest {
							smallest, kind = usd*n*h, "queue"
						}
					}
					counts[kind]++
					hours := func(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
					x := queued(t, usd, hours(wait), hours(length), hours(within), 0, 1)
					met := x.Jobs[0].Finished && x.Jobs[0].Elapsed <= hours(within)
					if met != (kind != "late") || met && check.Off(x.Bill.Total(), smallest, 2e-3) {
						t.Errorf("queue of %v USD after %v h for %v h, deadline %v h: met %v for %v USD, expected %v, %s",
							usd, wait, length, within, met, x.Bill.Total(), smallest, kind)
					}
				}
			}
		}
	}
	if counts["queue"] < 50 || counts["on demand"] < 50 || counts["late"] < 10 {
		t.Errorf("%v: expected some of each", counts)
	}
}

// A wait that is drawn is announced when it is asked for: where it is too long, on demand is rented, and nothing is
// late.
func TestAnnouncedWaits(t *testing.T) {
	counts := map[bool]int{}
	for seed := range uint64(60) {
		x := queued(t, 1, 2*time.Hour, 0, 6*time.Hour, 1, seed)
		if !x.Jobs[0].Finished || x.Jobs[0].Elapsed > 6*time.Hour {
			t.Errorf("seed %d: done %v after %v", seed, x.Jobs[0].Finished, x.Jobs[0].Elapsed)
		}
		counts[x.Bill.OnDemand > 0]++
	}
	if counts[true] < 5 || counts[false] < 20 {
		t.Errorf("%v: expected both", counts)
	}
}

// withBlock is a run of wait-or-buy of five hours of work: on demand for 3 USD, or on a capacity block of four that
// begins after a time.
func withBlock(t *testing.T, from, length, within time.Duration) *sim.Totals {
	t.Helper()
	begin := sim.Time(0).Add(from)
	end := begin.Add(length)
	pools := []sim.Trace{
		{Pool: sim.Pool{Name: "on-demand/a", InstanceType: "a", OnDemand: true, OnDemandPrice: 3, Quota: 4}, Prices: []sim.Price{{USD: 3}}},
		{Pool: sim.Pool{Name: "block", InstanceType: "a", Quota: 4, From: begin, Until: end}, Prices: []sim.Price{{}},
			Capacity: []sim.Capacity{{At: begin, N: 4}, {At: end}}, Commitments: []sim.Commitment{{Instances: 4, USDPerHour: 1, From: begin, Until: end}}},
	}
	m, err := sim.NewMarket(sim.At(100*3600), pools)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New("wait-or-buy")
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: p, Billing: sim.PerSecond(), Seed: 1, Jobs: []sim.Job{{Name: "job",
		Model: dense{simtest.Linear{PerWorker: 1}}, Objective: sim.Objective{Loss: simtest.LossAt(5 * 3600), Within: within}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// A capacity block that is yet to begin is taken where it does the job in time after its beginning and before its end,
// and on demand is bought at once where it does not: whenever one of the two is in time, the run is.
func TestWaitOrBuyKnowsWhenABlockBegins(t *testing.T) {
	onBlock := 0
	const fastest = 5 / 3.0314331330207964 // hours on four instances, 4^0.8 times as fast as on one
	hours := func(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
	for _, from := range []float64{0, 0.5, 1, 2, 4} {
		for _, length := range []float64{1.5, 1.7, 3} {
			for _, within := range []float64{1.7, 1.9, 2.2, 2.7, 3.7, 5, 5.7, 8} {
				x := withBlock(t, hours(from), hours(length), hours(within))
				if job := &x.Jobs[0]; !job.Finished || job.Elapsed > hours(within) {
					t.Errorf("block from %v h for %v h, deadline %v h: finished %v after %v", from, length, within, job.Finished, job.Elapsed)
				}
				blocks := length >= fastest && from+fastest <= within
				if onDemand := x.Bill.OnDemand > 0; onDemand == blocks {
					t.Errorf("block from %v h for %v h, deadline %v h: on demand %v", from, length, within, onDemand)
				}
				if blocks {
					onBlock++
				}
			}
		}
	}
	if onBlock < 20 {
		t.Errorf("%d runs on a block: too few", onBlock)
	}
}
