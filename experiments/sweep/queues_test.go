package sweep

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// twoQueues is a study of so many jobs in two queues, one every 100 s; those of b wait as long as wait says.
func twoQueues(jobs int, wait func(i int) float64) *results.Set {
	set := &results.Set{Summaries: []results.Summary{{Policy: "kueue", Seed: 1}}}
	for i := range jobs {
		job := results.Job{Policy: "kueue", Seed: 1, ID: "j" + string(rune('a'+i%26)) + strings.Repeat("x", i/26), VC: "a",
			GPUs: 1, SubmitS: 100 * float64(i), QueueS: new(60.0), FinishS: new(1e6)}
		if i%2 == 1 {
			job.VC = "b"
			job.QueueS = new(wait(i))
		}
		set.Jobs = append(set.Jobs, job)
	}
	return set
}

// TestCompareQueues: jobs of queue a wait as before, every time; those of b two minutes longer and, every other one,
// four: the mean is known, and its interval covers it and has the batches as its units.
func TestCompareQueues(t *testing.T) {
	before := twoQueues(400, func(int) float64 { return 60 })
	after := twoQueues(400, func(i int) float64 { return 180 + 120*float64(i/2%2) })
	changes, warnings, err := CompareQueues(before, after)
	if err != nil || len(warnings) > 0 || len(changes) != 3 {
		t.Fatalf("%+v, warnings %v, error %v; expected two queues and all", changes, warnings, err)
	}
	a := changes[0]
	if a.Queue != "a" || a.Jobs != 200 || a.ChangeS != 0 || a.Longer != 0 || a.ChangeCI.Low != 0 || a.ChangeCI.High != 0 {
		t.Errorf("a: %+v, expected no change", a)
	}
	b := changes[1]
	if b.Queue != "b" || b.BeforeS != 60 || b.AfterS != 240 || b.ChangeS != 180 || b.Longer != 1 || b.Unit != "batch" {
		t.Errorf("b: %+v, expected 180 s more", b)
	}
	if b.ChangeCI.Units != queueBatches || b.ChangeCI.Low > 180 || b.ChangeCI.High < 180 || b.ChangeCI.High > 200 {
		t.Errorf("b: interval %+v", *b.ChangeCI)
	}
	if all := changes[2]; all.Queue != "" || all.Jobs != 400 || all.ChangeS != 90 || all.Longer != 0.5 {
		t.Errorf("all: %+v", all)
	}
}

func TestCompareQueuesOfOtherJobs(t *testing.T) {
	before := twoQueues(10, func(int) float64 { return 60 })
	after := twoQueues(10, func(int) float64 { return 60 })
	after.Jobs[3].GPUs = 2
	if _, _, err := CompareQueues(before, after); err == nil || !strings.Contains(err.Error(), "job jd is not in the other study") {
		t.Errorf("error %v, expected the job that differs", err)
	}
	after = twoQueues(10, func(int) float64 { return 60 })
	after.Jobs[1].VC = "c"
	if _, warnings, err := CompareQueues(before, after); err != nil || len(warnings) != 1 {
		t.Errorf("warnings %v, error %v, expected one of a job in another queue", warnings, err)
	}
}
