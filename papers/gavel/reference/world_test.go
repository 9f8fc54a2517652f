package reference

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// inWorld is a recorded simulation as the world has it, on servers of 4 GPUs.
func (tr *trace) inWorld(t *testing.T) sim.Config {
	table := throughput.Gavel()
	var pools []sim.Trace
	for _, m := range fastestFirst {
		for range tr.gpus[m] / 4 {
			pools = append(pools, sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(m, "-", len(pools)), GPU: table.GPUs[m], Quota: 4, Reserved: true},
				Prices: []sim.Price{{USD: 1}}})
		}
	}
	market, err := sim.NewMarket(sim.At(1e8), pools)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]sim.Job, len(tr.jobs))
	for i, j := range tr.jobs {
		name := tr.rows[i]["job_type"]
		g := &throughput.Gang{GPUs: j.GPUs, Total: j.Steps}
		if w := tr.rows[i]["priority_weight"]; w != "" {
			g.Share = testutil.Number(t, w)
		}
		for p := range pools {
			g.Speeds = append(g.Speeds, table.Speed(name, pools[p].GPU, g.GPUs))
		}
		jobs[i] = sim.Job{Model: g, Submit: sim.At(j.Arrival).Sub(0), Objective: sim.Objective{Within: 10000 * time.Hour}}
	}
	return sim.Config{Market: market, Jobs: jobs}
}

// kind is the place of a job's kind in Gavel's table.
func (tr *trace) kind(job int) int {
	return slices.Index(throughput.Gavel().Kinds, tr.rows[job]["job_type"])
}

// The world, in which GPUs that a job leaves are used at once, is about as fast as Gavel's own simulator, in which they
// wait for the end of the round: under max-min fairness with either optimum. Which of them is taken changes the mean by
// more than a third.
func TestWorldAndReplay(t *testing.T) {
	check := near.Count(t)
	all := traces(t)
	tr := all[slices.IndexFunc(all, func(tr trace) bool { return tr.name == "multi_s1" })]
	tr.jobs = tr.jobs[:40]
	for optimum, rule := range map[string]func() share.Rule{
		"largest sum": func() share.Rule { return &share.MaxMin{} }, "ECOS": func() share.Rule { return &MaxMin{} },
	} {
		const within = 0.03
		c := tr.inWorld(t)
		p := &schedulers.NewMaxMin("max-min", false).Rounds
		p.Rule = rule
		c.Policy = p
		replay := Config{GPUs: tr.gpus, Order: fastestFirst, Rule: rule(), Jobs: slices.Clone(tr.jobs)}
		for i := range replay.Jobs {
			replay.Jobs[i].Kind = 1 + tr.kind(i)*16 + replay.Jobs[i].GPUs
		}
		want, lastWanted := 0.0, 0.0
		for j, r := range Run(replay) {
			want += r.JCT / float64(len(replay.Jobs))
			lastWanted = max(lastWanted, replay.Jobs[j].Arrival+r.JCT)
		}
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		got, last := 0.0, 0.0
		for j, x := range w.Run().Jobs {
			if !x.Finished {
				t.Fatalf("%s: job %d does not end", optimum, j)
			}
			got += x.Elapsed.Seconds() / float64(len(c.Jobs))
			last = max(last, (c.Jobs[j].Submit + x.Elapsed).Seconds())
		}
		t.Logf("%s: mean %.0f s, %.0f replayed (%+.2f %%); last end %+.2f %%", optimum, got, want, 100*(got/want-1), 100*(last/lastWanted-1))
		if check.Off(got/want, 1, within) || check.Off(last/lastWanted, 1, within) {
			t.Errorf("%s: mean %.0f s, last end %.0f s; replayed %.0f s and %.0f s", optimum, got, last, want, lastWanted)
		}
	}
}
