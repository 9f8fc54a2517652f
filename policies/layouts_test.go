package policies_test

import (
	"sync"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// inLayouts returns jobs in layouts for the suite's market.
func inLayouts(n int) []sim.Job {
	jobs := simtest.Jobs(n)
	for i := range jobs {
		jobs[i].Model, jobs[i].Objective.Loss, jobs[i].ParameterServers = trainsInLayouts(), 0, 0
	}
	return jobs
}

// trainsInLayouts is a model for two zones and on demand, of a small type and of a large one, with links and prices
// of traffic between zones.
var trainsInLayouts = sync.OnceValue(func() *layout.Training {
	sizes, times := map[int][]layout.Size{}, map[layout.Point][]layout.Time{}
	for range 3 {
		sizes[1] = append(sizes[1], layout.Size{Params: 2e8, Output: 1e7, Activations: 2e8})
		for gpu, s := range map[string]float64{"small-8": 0.5, "large-24": 0.3} {
			for micro := 1; micro <= 2; micro++ {
				at := layout.Point{GPU: gpu, Micro: micro, TP: 1}
				times[at] = append(times[at], layout.Time{Forward: s * float64(micro), Backward: 2 * s * float64(micro), Update: 0.1})
			}
		}
	}
	p, err := layout.NewProfile("small", sizes, times)
	if err != nil {
		panic(err)
	}
	var pools []layout.Pool
	curves, egress := map[[2]layout.End]layout.Curve{}, map[[2]string]float64{}
	for _, gpu := range []string{"small-8", "large-24"} {
		for _, zone := range []string{"a", "b", "a"} {
			pools = append(pools, layout.Pool{GPU: gpu, Zone: zone, Node: 1})
		}
	}
	for _, a := range pools {
		for _, b := range pools {
			gb, usd := 5.0, 0.0
			if a.Zone != b.Zone {
				gb, usd = 1, 0.001
			}
			curves[[2]layout.End{{Zone: a.Zone, GPU: a.GPU, GPUs: 1}, {Zone: b.Zone, GPU: b.GPU, GPUs: 1}}] = layout.Curve{0, 0, gb}
			egress[[2]string{a.Zone, b.Zone}] = usd
		}
	}
	m, err := layout.NewTraining(&layout.Model{Profile: p, Links: layout.NewLinks(curves, egress), Runtime: layout.Runtime{Compute: 1, Exposed: 1, Sync: 1,
		BaseGB: 1, State: 2, Kept: 1}}, layout.Job{Samples: 20000, Batch: 16, Max: 16, Restart: 2 * time.Minute, Reconfigure: 30 * time.Second,
		Save: 10 * time.Second, Persist: 20 * time.Second, Moved: 3, Replicated: true}, pools)
	if err != nil {
		panic(err)
	}
	return m
})

func TestSuiteLayouts(t *testing.T) {
	for _, name := range []string{"sailor", "spotdnn", "ondemand", "safe:sailor"} {
		info, err := policies.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			simtest.Suite(t, func(*sim.Market) sim.Policy { return quick(info) }, simtest.On(inLayouts), simtest.Seeds(1))
		})
	}
}

// A zone that is a tenth cheaper, and taken away every ten minutes, is left alone after some losses: another one that
// stays costs less.
func TestSailorCountsChanges(t *testing.T) {
	end := sim.Time(0).Add(200 * time.Hour)
	boot := sim.Boot{Median: 2 * time.Minute}
	flaps := sim.Trace{Pool: sim.Pool{Name: "a", Zone: "a", InstanceType: "small", Quota: 4, Boot: boot}, Prices: []sim.Price{{USD: 0.9}}}
	stays := sim.Trace{Pool: sim.Pool{Name: "b", Zone: "b", InstanceType: "small", Quota: 4, Boot: boot}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 4}}}
	for at, n := sim.Time(0), 4; at < end; at, n = at.Add(10*time.Minute), 4-n {
		flaps.Capacity = append(flaps.Capacity, sim.Capacity{At: at, N: n})
	}
	m, err := sim.NewMarket(end, []sim.Trace{flaps, stays})
	if err != nil {
		t.Fatal(err)
	}
	info, err := policies.Named("sailor")
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Seed: 1, Billing: sim.PerSecond(), Policy: info.Defaults(),
		Jobs: []sim.Job{{Model: trainsInLayouts(), Objective: sim.Objective{Within: 150 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	total := w.Run()
	if !total.Jobs[0].Finished || total.Grants < 8 || total.Preemptions > 4*12 {
		t.Errorf("%+v: expected a job that is done, and at most a dozen losses of the zone that flaps", *total)
	}
}
