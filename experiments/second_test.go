package experiments_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// What docs/model.md says of saves and losses is enough to write it again: a second implementation in Python gives the
// same ends, costs, losses and lost hours from 650 starts in recorded machines, all of them.
func TestSecondImplementation(t *testing.T) {
	python := testutil.Python(t)
	check, r, dir := near.Count(t), rand.New(rand.NewPCG(1, 2)), t.TempDir()
	var machines [][2]int
	var events strings.Builder
	for at := 0; at < 3_000_000; {
		until := at + 30 + int(r.ExpFloat64()*9000)
		machines = append(machines, [2]int{at, until})
		fmt.Fprintf(&events, "%d,add,m%d\n%d,remove,m%[2]d\n", at, len(machines), until)
		at = until + 1 + int(r.ExpFloat64()*2000)
	}
	for name, text := range map[string]string{"events.csv": events.String(), "spec.yaml": `
name: second
horizon_s: 86400
starts: {random: 650}
model: {data_parallel: {steps: 20000, batch: 1, measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 1}], workers: {max: 1}, restart_s: 120, save_s: 20}}
objectives: [{name: o, within: 8h}]
policies: [{name: checkpoint, settings: {prior_mtbf_s: 7200}}]
market:
  traces: [{name: fleet, path: events.csv, format: node-events, unit: 1s}]
  boot: {median_s: 90, sigma: 0}
  replay: {adapter: per_event, notice_s: 0}
  pools: [{type: p3.2xlarge, quota: 1, prices: {usd_per_h: 0.9}, capacity: {trace: fleet}}]
`} {
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
	study.Timelines = 0
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var starts []float64
	for _, at := range study.Starts {
		starts = append(starts, at.Seconds())
	}
	in, err := json.Marshal(map[string]any{"machines": machines, "starts": starts, "steps": 20000, "save_s": 20, "restart_s": 120, "boot_s": 90,
		"prior_s": 7200, "horizon_s": 86400, "usd_per_h": 0.9})
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("testdata/second/model.py")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", string(program))
	c.Stdin = bytes.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want [][4]*float64
	if err := json.Unmarshal(out, &want); err != nil || len(want) != len(set.Summaries) || len(want) != 650 {
		t.Fatalf("%d results for %d runs: %v", len(want), len(set.Summaries), err)
	}
	differ := 0
	for i := range set.Summaries {
		x, w := &set.Summaries[i], want[i]
		off := (x.FinishS == nil) != (w[0] == nil) || x.FinishS != nil && check.Off(*x.FinishS, *w[0], 1e-9)
		if off || check.Off(x.CostUSD, *w[1], 1e-9) || check.Off(x.LostH, *w[2], 1e-9) || x.Preemptions != int64(*w[3]) {
			if differ++; differ <= 5 {
				text, _ := json.Marshal(w)
				finish, _ := json.Marshal(x.FinishS)
				t.Errorf("start %v s: done at %s, %v USD, %v h lost, %d taken; the second implementation has %s", x.StartS, finish, x.CostUSD, x.LostH,
					x.Preemptions, text)
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d traces differ", differ, len(set.Summaries))
	}
}
