package schedulers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

var gavelModels = []string{"v100", "p100", "k80"}

// recordedRun is the jobs of a recorded run of Gavel's simulator on servers of 4 GPUs, and what kinds of job keep beside others.
func recordedRun(t *testing.T, trace string, gpus int) ([]map[string]string, sim.Config) {
	rows := testutil.Rows(t, "papers/gavel/testdata/gavel_rounds_"+trace+"_jobs.csv")
	table, half := throughput.Gavel(), throughput.Need{Of: sim.Resources{0.5}, Runs: true}
	jobs, kinds := make([]sim.Job, len(rows)), map[string]int{}
	for k, name := range table.Kinds {
		kinds[name] = k
	}
	var pools []sim.Trace
	for _, m := range gavelModels {
		for range gpus / 4 {
			pools = append(pools, sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(m, "-", len(pools)), GPU: m, Quota: 4, Reserved: true, Full: sim.Resources{1}},
				Prices: []sim.Price{{USD: 1}}})
		}
	}
	for i, r := range rows {
		g := &throughput.Gang{GPUs: int(testutil.Number(t, r["scale_factor"])), Total: testutil.Number(t, r["total_steps"])}
		g.Task = &throughput.Task{Name: r["job_type"], Kind: kinds[r["job_type"]]*16 + g.GPUs}
		if w := r["priority_weight"]; w != "" {
			g.Share = testutil.Number(t, w)
		}
		for p := range pools {
			g.Speeds, g.Task.Needs = append(g.Speeds, table.Speed(r["job_type"], pools[p].GPU, g.GPUs)), append(g.Task.Needs, half)
		}
		jobs[i] = sim.Job{Model: g, Submit: sim.At(testutil.Number(t, r["arrival_s"])).Sub(0), Objective: sim.Objective{Within: 10000 * time.Hour}}
	}
	m, err := sim.NewMarket(sim.At(1e8), pools)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{"k80": 0, "p100": 1, "v100": 2}
	keeps := func(p *sim.Pool, of, other *sim.Job) float64 {
		a, b := of.Model.(*throughput.Gang), other.Model.(*throughput.Gang)
		x := throughput.GavelPairs().Together(kinds[a.Task.Name], kinds[b.Task.Name], a.GPUs)
		if alone := table.Speed(a.Task.Name, p.GPU, a.GPUs); a.GPUs == b.GPUs && x != nil && alone > 0 {
			return x[at[p.GPU]].Of / alone
		}
		return 0
	}
	return rows, sim.Config{Market: m, Jobs: jobs, Sharing: sim.Sharing{Keeps: keeps}}
}

// completion runs a policy, and returns the mean of the times to completion, s.
func completion(t *testing.T, c sim.Config) (mean float64) {
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for j, x := range w.Run().Jobs {
		if !x.Finished {
			t.Fatalf("job %d does not end", j)
		}
		mean += x.Elapsed.Seconds() / float64(len(c.Jobs))
	}
	return mean
}

// The world, in which GPUs that a job leaves are used at once, is about as fast as Gavel's own simulator, in which they wait for the
// end of the round, by the mean of all jobs.
func TestPairsRecordedRuns(t *testing.T) {
	check := near.Count(t)
	for _, x := range []struct {
		trace, name string
		policy      sim.Policy
	}{
		{"multi_s0", "fifo_packed", schedulers.NewFIFOPairs("fifo")},
		{"static_s0", "fifo_packed", schedulers.NewFIFOPairs("fifo")},
		{"multi_s0", "gandiva", schedulers.NewGandiva()},
	} {
		rows, c := recordedRun(t, x.trace, 8)
		want := 0.0
		for _, r := range rows {
			want += testutil.Number(t, r["jct_s__"+x.name]) / float64(len(rows))
		}
		c.Policy = x.policy
		if got := completion(t, c); check.Off(got/want, 1, 0.03) {
			t.Errorf("%s, %s: mean %.0f s, Gavel's simulator has %.0f (%+.1f %%)", x.trace, x.name, got, want, 100*(got/want-1))
		}
	}
}

// A fork goes on as its parent does, and a second run in the same world is as the first.
func TestPairsFork(t *testing.T) {
	for _, p := range []sim.Policy{schedulers.NewMaxMinPairs("max-min"), schedulers.NewGandiva()} {
		_, c := recordedRun(t, "multi_s0", 8)
		c.Jobs, c.Policy = c.Jobs[:20], p
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		w.RunUntil(sim.At(100_000))
		var fork sim.World
		w.Fork(&fork, c.Policy)
		a, b := outcomes(fork.Run()), outcomes(w.Run())
		if err := w.Reset(c); err != nil {
			t.Fatal(err)
		}
		if again := outcomes(w.Run()); !slices.Equal(a, b) || !slices.Equal(again, b) {
			t.Errorf("%s: a fork, its parent and a second run end otherwise", p.Name())
		}
	}
}

// outcome is when each job was done, and how often it was moved.
func outcomes(t *sim.Totals) (all []time.Duration) {
	for _, x := range t.Jobs {
		all = append(all, x.Elapsed, time.Duration(x.Moves))
	}
	return all
}
