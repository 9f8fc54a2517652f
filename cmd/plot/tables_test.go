package plot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/plots"
)

// Without timelines completion times are drawn, and what is drawn from timelines says that there are none.
func TestJobsWithoutTimelines(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"jobs.csv": "job_id,submit_s,gpus,duration_s\na,0,1,100\nb,5,1,200\n",
		"spec.yaml": "name: x\ntimelines: 0\nmarket: {servers: [{gpu: v100, gpus: 1}]}\njobs: {trace: jobs.csv}\npolicies: [{name: fifo}]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	var rows []results.Job
	study.JobRows, study.JobRow = 1, func(r *results.Job) error { rows = append(rows, *r); return nil }
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set.Jobs = rows
	if err := results.WriteAll(dir, *set); err != nil {
		t.Fatal(err)
	}
	for _, d := range plots.Drawers() {
		_, err := drawTables(d, dir, "", "")
		switch d.Name {
		case "completion", "cost-completion":
			if err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		default:
			if err == nil || !strings.Contains(err.Error(), "timelines: 1") {
				t.Errorf("%s: got %v", d.Name, err)
			}
		}
	}
	if _, err := drawTables(plots.Drawers()[0], dir, "nobody", ""); err == nil || !strings.Contains(err.Error(), `no run of policy "nobody"`) {
		t.Errorf("got %v", err)
	}
}
