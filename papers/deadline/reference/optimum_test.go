package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/deadline"
)

// script answers by a list.
type script []deadline.Machine

func (a script) Answer(s *deadline.State) deadline.Machine {
	i := int(math.Round(s.Now / s.Grain))
	if s.Work-s.Done <= 1e-3 || i >= len(a) || a[i] == deadline.SpotMachine && !s.Available {
		return deadline.NoMachine
	}
	return a[i]
}

// bruteForce tries all lists of answers.
func bruteForce(j *Job, available []bool) float64 {
	best := math.Inf(1)
	n := int(j.DeadlineS / j.TickS)
	for code := range int(math.Pow(3, float64(n))) {
		var a script
		for range n {
			a, code = append(a, deadline.Machine(code%3)), code/3
		}
		if r, err := j.Replay(a, available); err == nil && r.CompletionS <= j.DeadlineS {
			best = min(best, r.CostUSD)
		}
	}
	return best
}

func TestOptimumIsBest(t *testing.T) {
	check := near.Count(t)
	ticks := testutil.Size(6, 7)
	for seq := range 1 << ticks {
		available := make([]bool, 60) // long enough for a replay that is late
		for i := range ticks {
			available[i] = seq>>i&1 == 1
		}
		for _, changeover := range []float64{0, 60, 150} {
			j := Job{TickS: 100, WorkS: 240, DeadlineS: 100 * float64(ticks), ChangeoverS: changeover, SpotUSDPerH: 1, OnDemandUSDPerH: 3}
			got, err := j.Optimum(available)
			if err != nil {
				t.Fatal(err)
			}
			if want := bruteForce(&j, available); check.Off(got.CostUSD, want, 1e-12) || got.CompletionS > j.DeadlineS {
				t.Errorf("%07b, changeover %v: %+v, the best of all is %v", seq, changeover, got, want)
			}
		}
	}
	j := Job{TickS: 100, WorkS: 650, DeadlineS: 700, ChangeoverS: 60, SpotUSDPerH: 1, OnDemandUSDPerH: 3}
	if _, err := j.Optimum(make([]bool, 20)); err == nil {
		t.Error("650 s of work and a changeover of 60 s in 700 s")
	}
}

// On the recorded sequences no rule that meets the deadline beats the optimum,
// and what an oracle knows of the future is worth something on average. The end
// of a job is noticed a tick late.
func TestOptimumIsABound(t *testing.T) {
	rules := Rules()
	seen := map[string]bool{}
	mean := map[string]float64{}
	for i, r := range testutil.Table(t, "papers/deadline/testdata/deadline_policies.csv")[1:] {
		key := r[0] + r[1] + r[3] + r[4] + r[5]
		if seen[key] || i > testutil.Size(120, 200) {
			continue
		}
		seen[key] = true
		start, err := strconv.Atoi(r[1])
		if err != nil {
			t.Fatal(err)
		}
		job := Job{TickS: testutil.Number(t, r[2]), WorkS: 3600 * testutil.Number(t, r[3]), DeadlineS: 3600 * testutil.Number(t, r[4]),
			ChangeoverS: math.Round(3600 * testutil.Number(t, r[5])), SpotUSDPerH: 0.9731, OnDemandUSDPerH: 3.06}
		available := availabilities(t, r[0])[start:]
		best, err := job.Optimum(available)
		if err != nil {
			t.Fatal(err)
		}
		mean["optimum"] += best.CostUSD
		for k := range rules {
			got, err := job.Replay(&rules[k], available)
			late := err != nil || got.CompletionS > job.DeadlineS
			if !late && got.CostUSD < best.CostUSD-1e-9 {
				t.Errorf("%v: %s costs %v, the optimum %v", r[:6], rules[k].Name, got.CostUSD, best.CostUSD)
			}
			if (err != nil || got.CompletionS > job.DeadlineS+job.TickS) && !slices.Contains([]string{"spot_only"}, rules[k].Name) {
				t.Errorf("%v: %s ends after %v s: %v", r[:6], rules[k].Name, got.CompletionS, err)
			}
			mean[rules[k].Name] += got.CostUSD
		}
	}
	for name, usd := range mean {
		t.Logf("%-36s %.2f USD, mean of %d", name, usd/float64(len(seen)), len(seen))
	}
	if mean["uniform_progress_next_wait_and_spot"] > mean["uniform_progress"] {
		t.Error("knowledge of the next wait and spot costs more than none")
	}
}
