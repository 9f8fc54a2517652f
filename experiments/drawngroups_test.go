package experiments

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// drawnJob is a spec of one job whose instance-hours of useful training are known: on any number of instances a sample
// takes the same share of an instance-hour.
type drawnJob struct {
	text    string
	usefulH float64 // that all of the job takes without saves, losses and waits
}

// drawJob draws a job of replica groups or a data-parallel one, its costs and its market.
func drawJob(seed uint64) drawnJob {
	draw := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high int) int { return low + draw.IntN(high-low+1) }
	stepS := between(5, 60)
	groups := between(1, 8)
	workers := between(1, 3)
	steps := between(2, 20) * 3600 / stepS
	costs := fmt.Sprintf("restart_s: %d", between(0, 900))
	saves := ""
	if draw.IntN(3) > 0 {
		saves = fmt.Sprintf(", save_s: %d, persist_s: %d, interval_s: %d", between(0, 120), between(0, 300), between(600, 7200))
	}
	batch := []string{"shrinks", "kept"}[draw.IntN(2)]
	usefulH := float64(steps*stepS*groups*workers) / 3600
	if batch == "shrinks" && draw.IntN(2) == 0 { // with kept, what a sample takes depends on how many groups share an outer step
		every := between(2, 100)
		syncS := between(1, 60)
		saves += fmt.Sprintf(", sync_every: %d, sync_s: %d", every, syncS)
		usefulH *= 1 + float64(syncS)/float64(every*stepS)
	}
	model := fmt.Sprintf("  replicas: {steps: %d, samples_per_step: %d, groups: %d, workers_per_group: %d, min_groups: %d, step_s: %d, "+
		"on_loss: drop_step, batch: %s, rejoin: {start_s: %d, stall_s: %d}, %s}",
		steps, between(1, 512), groups, workers, between(1, min(groups, 2)), stepS, batch,
		between(0, 120), between(0, 60), costs+saves)
	if draw.IntN(3) == 0 {
		samples := between(8, 512)
		costs += fmt.Sprintf(", save_s: %d, persist_s: %d, resize_s: %d", between(0, 120), between(0, 300), between(0, 300))
		model = fmt.Sprintf("  data_parallel: {samples: %d, batch: %d, workers: {max: 8}, %s, measured: "+
			"[{type: p3.2xlarge, workers: 1, steps_per_s: 0.25}, {type: p3.2xlarge, workers: 8, steps_per_s: 2}]}", steps*samples, samples, costs)
		usefulH = float64(steps) / 0.25 / 3600
	}
	policies := []string{"varuna", "reactive", "spotdnn", "spotdnn-safe", "ondemand", "checkpoint", "checkfreq", "skynomad",
		"uniform-progress", "dynamic-pricing", "wait-or-buy", "fixed", "mdp", "safe:reactive", "retry:varuna", "greedy"}
	draw.Shuffle(len(policies), func(i, k int) { policies[i], policies[k] = policies[k], policies[i] })
	notice := []int{0, 30, 120}[draw.IntN(3)]
	text := fmt.Sprintf(`name: drawn
seed: %d
seeds: 2
model:
%s
objectives: [{within: %dh}]
policies: [{name: "%s"}]
market:
  synthetic: {zones: %d}
  replay: {notice_s: %d}
  pools: [{type: p3.2xlarge, quota: %d, on_demand_quota: %d, on_demand_usd_per_h: 3.06}]
`, between(1, 1000000), model, between(4, 40), strings.Join(policies[:4], `"}, {name: "`), between(1, 3), notice,
		between(2*workers, 12), 8*3)
	return drawnJob{text, usefulH}
}

// activitiesOf adds up the hours of all activities of a run.
func activitiesOf(r *results.Summary) float64 {
	return r.UsefulH + r.RedundantH + r.CheckpointingH + r.RestoringH + r.ReconfiguringH + r.LostH + r.WaitingH + r.StartingH
}

// The hours of all activities add up to those of the instances, and useful are as many as what was done takes without
// saves, losses and waits: of drawn jobs of replica groups and data-parallel ones, under drawn policies.
func TestUsefulHoursAreThoseOfTheWorkDone(t *testing.T) {
	jobs := testutil.Size(24, 2000)
	if testing.Short() {
		jobs = 15
	}
	first := *firstDrawn
	runs, finished, lost, saved := 0, 0, 0, 0
	for seed := first; seed < first+uint64(jobs); seed++ {
		d := drawJob(seed)
		study, err := studyOf(d.text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.text)
		}
		for _, r := range runStudy(t, study).Summaries {
			runs++
			if r.Finished {
				finished++
			}
			if r.LostH > 0 {
				lost++
			}
			if r.CheckpointingH > 0 {
				saved++
			}
			if all := activitiesOf(&r); !near.Is(all, r.InstanceH, 1e-6*max(1, r.InstanceH)) {
				t.Errorf("seed %d, %s: activities of %v h, instances of %v h\n%s", seed, r.Policy, all, r.InstanceH, d.text)
			}
			if want := r.Progress * d.usefulH; !near.Is(r.UsefulH, want, 1e-6*max(1, want)) {
				t.Errorf("seed %d, %s: useful_h %v, what was done (%v) takes %v h\n%s", seed, r.Policy, r.UsefulH, r.Progress, want, d.text)
			}
		}
	}
	t.Logf("%d runs of %d jobs: %d finished, %d with losses, %d with saves", runs, jobs, finished, lost, saved)
	if finished < runs/4 || lost < runs/20 || saved < runs/20 {
		t.Errorf("%d runs of %d jobs: %d finished, %d with losses, %d with saves", runs, jobs, finished, lost, saved)
	}
}
