package ondemand_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// hired runs the policy ondemand in pools on demand, with the number of instances
// that it is told, and a job of n samples at these speeds by instance.
func hired(t *testing.T, instances int, pools []sim.Pool, samples float64, speeds map[int]float64, within time.Duration,
	seed uint64) *sim.Totals {
	t.Helper()
	var hs []sim.Trace
	for i, p := range pools {
		p.Name, p.OnDemand = fmt.Sprint("pool ", i), true
		hs = append(hs, sim.Trace{Pool: p, Prices: []sim.Price{{USD: p.OnDemandPrice}}})
	}
	market, err := sim.NewMarket(sim.At(1e7), hs)
	if err != nil {
		t.Fatal(err)
	}
	var layouts []pipeline.LayoutSpeed
	for n, v := range speeds {
		layouts = append(layouts, pipeline.LayoutSpeed{Pipelines: n, Stages: 1, SamplesPerS: v})
	}
	model, err := pipeline.New(samples, 1, layouts, pipeline.Recovery{Save: 20 * time.Second, Restart: 100 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: &ondemand.OnDemand{Clusters: ondemand.OneCluster, Instances: instances}, Seed: seed,
		Billing: sim.PerSecond(),
		Jobs:    []sim.Job{{Model: model, Objective: sim.Objective{Within: within}}}})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	return &totals
}

// 3600 samples on instances of 1 USD/h that boot for 60 s: two train 2 a second and
// end after 1860 s, four 3 (1260 s), eight 4 (960 s).
func TestCheapestPipelinesInTime(t *testing.T) {
	check := near.Count(t)
	pool := []sim.Pool{{Quota: 20, OnDemandPrice: 1, Boot: sim.Boot{Median: time.Minute}}}
	slow := map[int]float64{2: 2, 4: 3, 8: 4}
	for _, c := range []struct {
		speeds    map[int]float64
		instances int
		within    float64
		n         float64
		ends      float64
	}{
		{slow, 0, 9999, 2, 1860},
		{slow, 0, 1860, 2, 1860},
		{slow, 0, 1859, 4, 1260},
		{slow, 0, 1259, 8, 960},
		{slow, 0, 959, 8, 960},                             // none is in time: the fastest
		{slow, 8, 9999, 8, 960},                            // as it is told
		{map[int]float64{2: 1, 4: 3}, 0, 9999, 4, 1260},    // 4 x 1260 s cost less than 2 x 3660 s
		{map[int]float64{2: 2, 40: 9}, 0, 400, 2, 1860},    // there are no 40
		{map[int]float64{2: 2, 3: 2, 4: 3}, 3, 1, 2, 1860}, // three are of no more use than two
	} {
		got := hired(t, c.instances, pool, 3600, c.speeds, time.Duration(c.within*1e9), 1)
		if j := got.Jobs[0]; check.Off(j.Elapsed.Seconds(), c.ends, 1e-5) ||
			check.Off(got.Bill.OnDemand, c.n*c.ends/3600, 1e-6) {
			t.Errorf("%+v: ends after %v, %v USD", c, j.Elapsed, got.Bill.OnDemand)
		}
	}
}

// Whatever the speeds, prices and boots are: with the number that it takes the job
// is in time in the world, and no number with which it is in time costs less.
func TestCheapestPipelinesInTheWorld(t *testing.T) {
	check := near.Count(t)
	inTime := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var pools []sim.Pool
		for range 1 + r.IntN(3) {
			pools = append(pools, sim.Pool{Quota: 1 + r.IntN(6), OnDemandPrice: 1 + r.Float64(),
				Boot: sim.Boot{Median: time.Duration(r.IntN(600)) * time.Second}})
		}
		speeds, v := map[int]float64{}, 1.0
		for n := 1; n < 12; n += 1 + r.IntN(3) {
			speeds[n] = v
			v *= 1 + r.Float64()
		}
		within := time.Duration(2000+10000*r.Float64()) * time.Second
		got := hired(t, 0, pools, 9000, speeds, within, seed)
		met := got.Jobs[0].Elapsed <= within
		if met {
			inTime++
		}
		for n := range speeds {
			other := hired(t, n, pools, 9000, speeds, within, seed)
			if j := other.Jobs[0]; j.Elapsed <= within && (!met || check.Below(other.Bill.OnDemand, got.Bill.OnDemand-1e-6)) || !met &&
				j.Elapsed < got.Jobs[0].Elapsed {
				t.Errorf("seed %d: takes %v for %v USD, of %v; %d instances take %v for %v USD", seed, got.Jobs[0].Elapsed,
					got.Bill.OnDemand, within, n, j.Elapsed, other.Bill.OnDemand)
			}
		}
	}
	if inTime < 100 || inTime == 200 {
		t.Errorf("%d of 200 were in time", inTime)
	}
}

// Boot times by luck: ten instances with a median of 60 s and a spread of 0.5 are
// all ready after 60 exp(0.5 x 3.09) = 281 s with a probability of 0.999^10 = 99 %,
// and train 10000 samples in 1000 s. With less time than that twelve are taken.
func TestBootsOnDemand(t *testing.T) {
	pool := []sim.Pool{{Quota: 20, OnDemandPrice: 1, Boot: sim.Boot{Median: time.Minute, Sigma: 0.5}}}
	late := 0
	for seed := range uint64(500) {
		got := hired(t, 0, pool, 10000, map[int]float64{10: 10, 12: 11}, 1282*time.Second, seed)
		if got.Grants != 10 {
			t.Fatalf("%d instances", got.Grants)
		}
		if got.Jobs[0].Elapsed > 1282*time.Second {
			late++
		}
	}
	if late < 1 || late > 12 {
		t.Errorf("%d of 500 are late, expected about 5", late)
	}
	if got := hired(t, 0, pool, 10000, map[int]float64{10: 10, 12: 11}, 1281*time.Second, 1); got.Grants != 12 {
		t.Errorf("%d instances", got.Grants)
	}
}

// A machine that comes while the arrival of another one stops training is waited for: its own stop begins at once, and
// does not wait for the end of the other. Three machines train for 400 s from 300 s after the last of them came on; two
// train for 600 s.
func TestArrivalInPause(t *testing.T) {
	pool := sim.Pool{Name: "od", InstanceType: "t", OnDemand: true, Quota: 3, OnDemandPrice: 1, Boot: sim.Boot{Median: 2 * time.Minute, Sigma: 0.1}}
	m, err := sim.NewMarket(sim.At(20*3600), []sim.Trace{{Pool: pool, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := parallel.New(parallel.Job{Samples: 1200, Batch: 12, Min: 1, Max: 3, Restart: time.Minute, Resize: 5 * time.Minute},
		[]parallel.Law{{Scaling: parallel.Strong, Alone: 12}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		job := sim.Job{Model: model, Objective: sim.Objective{Within: time.Second}} // as soon as it can
		w, err := sim.New(sim.Config{Market: m, Policy: ondemand.New(), Jobs: []sim.Job{job}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if r := w.Run().Jobs[0]; !r.Finished || r.Elapsed > 3*time.Minute+700*time.Second {
			t.Errorf("seed %d: ends after %v (finished %v), expected 700 s after the last of three machines came", seed, r.Elapsed, r.Finished)
		}
	}
}
