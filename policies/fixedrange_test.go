package policies_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Under every scheduler a job of n to n GPUs is a job of n GPUs: all that becomes of it is the same, on servers that
// fail, too.
func TestFixedRange(t *testing.T) {
	compared := 0
	for _, info := range policies.List() {
		if info.Needs != policies.Gangs {
			continue
		}
		if c, asks := info.Defaults().(interface{ CheckClaim(any, *sim.Market) error }); asks && c.CheckClaim(nil, nil) != nil {
			continue
		}
		for seed := range uint64(3) {
			rigid := runGangs(t, info.Defaults(), seed, false)
			ranged := runGangs(t, info.Defaults(), seed, true)
			if !reflect.DeepEqual(rigid, ranged) {
				t.Errorf("%s, seed %d: jobs of n to n GPUs end otherwise than jobs of n GPUs", info.Name, seed)
			}
			compared++
		}
	}
	if compared < 30 {
		t.Errorf("%d runs compared", compared)
	}
}

// runGangs runs a scheduler on jobs of up to 4 GPUs, whose number may change in name.
func runGangs(t *testing.T, p sim.Policy, seed uint64, ranged bool) sim.Totals {
	t.Helper()
	pools := simtest.Cluster(1, 4, 4)
	law := &sim.Failures{Whole: true, PerHour: 0.2, Repairs: []sim.Repair{{Mean: time.Hour}}}
	for k := range pools[:2] {
		pools[k].Reserved = false
		pools[k].Failures = law
	}
	m, err := sim.NewMarket(sim.Time(0).Add(30*24*time.Hour), pools)
	if err != nil {
		t.Fatal(err)
	}
	largest := 4
	if f, says := p.(interface{ Fits() schedulers.Fit }); says && f.Fits() == schedulers.OnGPU {
		largest = 1
	}
	jobs := simtest.Gangs(seed, 30, largest, 16, 0.7)
	for j := range jobs {
		drawn := jobs[j].Model.(simtest.Gang)
		g := &throughput.Gang{GPUs: drawn.GPUs, Total: drawn.Seconds, Restart: drawn.Restart, SaveEvery: time.Hour, Save: time.Minute}
		if ranged {
			g.Sizes = &throughput.Sizes{Least: g.GPUs, Most: g.GPUs, Resize: time.Hour, Loses: true}
		}
		jobs[j].Model = g
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	for j := range totals.Jobs {
		if !totals.Jobs[j].Finished {
			t.Fatalf("%s, seed %d: job %d does not end", p.Name(), seed, j)
		}
	}
	return totals
}
