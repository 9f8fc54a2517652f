package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/testutil"
)

// manyJobs is two runs of three jobs on two servers of two GPUs: the second job waits for the first.
func manyJobs() *results.Set {
	s := &results.Set{Provenance: results.Provenance{SpecName: "cluster"}}
	at := func(x float64) *float64 { return &x }
	four := int32(4)
	for run, policy := range []string{"fifo", "las"} {
		id, stretch := int64(run), float64(run+1)
		s.Summaries = append(s.Summaries, results.Summary{Run: id, Policy: policy, Scenario: "cluster", Objective: "three jobs", Seed: 1,
			Market: "fixed cluster", Jobs: 3, JobsDone: 3, Finished: true, Met: true,
			FinishS: at(10800), JCTMeanS: at(7200 * stretch), QueueMeanS: at(1200), Utilisation: at(0.8), InstanceH: 9, UsefulH: 9})
		for j, submit := range []float64{0, 0, 600} {
			wait := 3600 * float64(j%2)
			start, finish := submit+wait, submit+wait+7200*stretch
			s.Jobs = append(s.Jobs, results.Job{Run: id, Policy: policy, Seed: 1, Number: int64(j), ID: fmt.Sprint("job-", j), GPUs: 2, SubmitS: submit,
				StartS: &start, FinishS: &finish, JCTS: at(finish - submit), QueueS: &wait, Done: 1, GPUH: at(4)})
			for range 2 {
				s.Instances = append(s.Instances, results.Instance{Run: id, Policy: policy, Job: int64(j), Pool: fmt.Sprint("v100-", j%2), GrantedS: start,
					ReadyS: &start, EndS: finish, End: results.Released})
			}
		}
		for k, held := range []int32{2, 4, 4, 2} {
			s.Spans = append(s.Spans, results.Span{Run: id, Policy: policy, Scenario: "cluster", Objective: "three jobs", Seed: 1, Market: results.Spot,
				StartS: 3600 * float64(k), EndS: 3600 * float64(k+1), Pool: "v100",
				Capacity: &four, Ready: held, GPUsWanted: 4 - held})
		}
		s.Decisions = append(s.Decisions, results.Decision{Run: id, Policy: policy, Plan: "job-0: 2 v100-0", Reason: "first come, first served"})
		s.Candidates = append(s.Candidates, results.Candidate{Run: id, Policy: policy, Name: "job-1", Score: 1, Unit: "jobs ahead of it", Note: "it needs 2 GPUs"})
	}
	return s
}

// The page about many jobs has the longest waits in the scheduler's own words, and is the same every time.
func TestPageOfJobs(t *testing.T) {
	page := pageOf(t, manyJobs())
	if pageOf(t, manyJobs()) != page {
		t.Error("the same results give another page")
	}
	for _, says := range []string{"the scheduler said: it needs 2 GPUs (1 jobs ahead of it)", `"first come, first served"`, `"3 of 3 jobs done"`, `"goal":0`} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %s", says)
		}
	}
}

// The page of many jobs in a browser: the answer is on the first screen, all figures are drawn, nothing is wider than
// the window, and the page says and asks nothing. MARIGRAM_PAGE is another page to test.
func TestBrowserJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	b := testutil.OpenBrowser(t)
	path := os.Getenv("MARIGRAM_PAGE")
	if path == "" {
		path = filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, []byte(pageOf(t, manyJobs())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range screens {
		b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": s.width, "height": s.height, "deviceScaleFactor": 1, "mobile": s.mobile}, nil)
		b.Visit("file://" + path)
		var seen struct {
			Verdict, Figures int
			Wide             bool
		}
		b.Eval(`({ verdict: Math.round(document.querySelector(".verdict").getBoundingClientRect().bottom), figures: document.querySelectorAll("#figures svg").length,
  wide: document.documentElement.scrollWidth > innerWidth })`, &seen)
		if seen.Verdict > s.height || seen.Figures < 5 || seen.Wide {
			t.Errorf("%s: %+v, expected the answer on the first screen, 5 figures or more, nothing beyond the window", s.name, seen)
		}
		b.Keep("jobs-"+s.name+".png", "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
	}
	silent(t, b, path)
}
