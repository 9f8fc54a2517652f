package reference

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// speeds are those of the recorded runs: on one machine, one rack, several.
var speeds = map[string][SeveralRacks + 1]float64{
	"A": {1, .95, .85, .55}, "B": {1, .99, .60, .20}, "C": {1, .90, .88, .80}, "ResNet50": {1, .92, .90, .70},
}

// Every job of every recorded run: its start, end, time without GPUs and time with them, to 1e-6 s; the sets of GPUs
// that it had.
func TestRules(t *testing.T) {
	files := testutil.Files(t, "papers/dally/testdata/dally_rules_*.csv")
	variants := map[string]func(*Config){
		"dally_auto":   func(c *Config) { c.Rack, c.Network = -1, -1 },
		"dally_2_4":    func(c *Config) { c.Rack, c.Network = 2, 4 },
		"dally_nowait": func(c *Config) {},
		"tiresias":     func(c *Config) { c.Tiresias = true },
	}
	compared := 0
	for _, path := range files {
		rows := testutil.Rows(t, path)
		for name, set := range variants {
			c := Config{Cluster: Cluster{4, 2, 2, 4}, Lease: 600, Chunk: 100, History: 24, Jobs: jobs(t, rows)}
			set(&c)
			compared += compare(t, filepath.Base(path)+" "+name, name, rows, Run(c))
		}
	}
	t.Logf("%d jobs compared", compared)
}

func jobs(t *testing.T, rows []map[string]string) []Job {
	out := make([]Job, len(rows))
	for i, r := range rows {
		speed, known := speeds[r["model"]]
		if !known {
			t.Fatalf("no speeds of %s", r["model"])
		}
		out[i] = Job{Arrival: testutil.Number(t, r["arrival_s"]), GPUs: int(testutil.Number(t, r["gpus"])), Speed: speed,
			Iterations: int(testutil.Number(t, r["total_iterations"])), Seconds: testutil.Number(t, r["time_per_iteration_s"]),
			Spread: strings.Contains("ResNet50 ResNet18 BERT", r["model"]) && len(r["model"]) > 1}
	}
	return out
}

func compare(t *testing.T, what, name string, rows []map[string]string, got []Result) int {
	check := near.Count(t)
	wrong := 0
	for i, r := range rows {
		j, g := testutil.Number(t, r["total_iterations"])*testutil.Number(t, r["time_per_iteration_s"])/testutil.Number(t, r["gpus"]), &got[i]
		want := []float64{testutil.Number(t, r["start_s__"+name]), testutil.Number(t, r["end_s__"+name]), testutil.Number(t, r["queue_s__"+name]),
			j + testutil.Number(t, r["comm_s__"+name])}
		if sets, want := fmt.Sprintf("%d;%d;%d", g.Sets[SeveralRacks], g.Sets[OneRack], g.Sets[OneMachine]),
			r["placements_network_rack_machine__"+name]; sets != want {
			t.Errorf("%s, job %d: %s sets of GPUs, expected %s", what, i, sets, want)
		}
		for k, x := range []float64{g.Start, g.End, g.Queue, g.Run} {
			if check.Off(x, want[k], 1e-6) {
				if wrong++; wrong <= 3 {
					t.Errorf("%s, job %d: %+v, expected %v", what, i, *g, want)
				}
				break
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d jobs are wrong", what, wrong, len(rows))
	}
	return len(rows)
}
