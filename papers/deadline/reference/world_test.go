package reference

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// tickWorld runs a policy on one spot instance that is there in the ticks in
// which it is available, or one on demand. A machine that takes over boots for a
// changeover.
func tickWorld(t *testing.T, j *Job, available []bool, p sim.Policy) *sim.Totals {
	t.Helper()
	boot := sim.Boot{Median: time.Duration(j.ChangeoverS * 1e9)}
	spot := sim.Trace{Pool: sim.Pool{Name: "spot", InstanceType: "x", Quota: 1, Boot: boot}, Prices: []sim.Price{{USD: j.SpotUSDPerH}}}
	for i, there := range available {
		if i == 0 || there != available[i-1] {
			n := map[bool]int{true: 1}[there]
			spot.Capacity = append(spot.Capacity, sim.Capacity{At: sim.At(float64(i) * j.TickS), N: n})
		}
	}
	expensive := sim.Trace{Pool: sim.Pool{Name: "on-demand", InstanceType: "x", Quota: 1, Boot: boot, OnDemand: true},
		Prices: []sim.Price{{USD: j.OnDemandUSDPerH}}}
	m, err := sim.NewMarket(sim.At(float64(len(available))*j.TickS), []sim.Trace{spot, expensive})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: p, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1},
		Objective: sim.Objective{Loss: simtest.LossAt(j.WorkS), Within: time.Duration(j.DeadlineS * 1e9)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// Where availability and changeover are whole ticks, the world and the tick model
// take the same decisions. The job ends in the middle of its last tick, which the
// tick model pays whole and notices at the end of the next.
func TestWorldAgainstTicks(t *testing.T) {
	check := near.Count(t)
	rules := Rules()
	names := map[string]string{"greedy": "greedy", "uniform-progress": "uniform_progress", "time-sliced": "time_sliced"}
	j := Job{TickS: 600, WorkS: 23.5 * 600, DeadlineS: 40 * 600, ChangeoverS: 600, SpotUSDPerH: 1, OnDemandUSDPerH: 3}
	dice := sim.Rand{Seed: 7}
	for k := range uint64(40) {
		available := make([]bool, 80)
		for i, at := 0, uint64(0); i < len(available); at++ {
			for n := 1 + dice.Intn(sim.PurposeUser, k, at, 12); n > 0 && i < len(available); n-- {
				available[i] = at%2 == k%2
				i++
			}
		}
		for name, rule := range names {
			p, err := policies.New(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := policies.Configure(p, map[string]any{"changeover_s": j.ChangeoverS, "instances": 1}); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(rules, func(r PublishedRule) bool { return r.Name == rule })
			want, err := j.Replay(&rules[i], available)
			if err != nil {
				t.Fatal(err)
			}
			got := tickWorld(t, &j, available, p)
			job := got.Jobs[0]
			early, saved := want.CompletionS-job.Elapsed.Seconds(), want.CostUSD-got.Bill.Total()
			onSpot, onDemand := j.SpotUSDPerH*j.TickS/2/3600, j.OnDemandUSDPerH*j.TickS/2/3600
			if check.Off(early, 1.5*j.TickS, 1) || check.Off(saved, onSpot, 1e-3) && check.Off(saved, onDemand, 1e-3) {
				t.Errorf("%s, sequence %d: %v USD, ends after %v s, ticks: %+v", name, k, got.Bill.Total(), job.Elapsed.Seconds(), want)
			}
		}
	}
}
