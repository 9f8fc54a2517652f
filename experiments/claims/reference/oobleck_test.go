package reference

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func sharedRows(t testing.TB, parts ...string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{"..", "..", "..", "..", "shared"}, parts...)...))
	if err != nil {
		t.Skipf("the material is not here: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func oobleckModel(t testing.TB, name string) *OobleckModel {
	t.Helper()
	m := &OobleckModel{LeastNodes: 15, StepMs: make([]int64, 16)}
	for _, r := range sharedRows(t, "facts", "reactive", "oobleck_artifact_throughput_tables.csv")[1:] {
		if r[0] == "oobleck" && r[1] == name {
			m.StepMs[int(number(t, r[2]))-15] = int64(number(t, r[4]))
			m.Samples, m.PauseMs = int(number(t, r[5])), int64(number(t, r[6]))
		}
	}
	return m
}

// The artifact's own runs: equal but for two networks on the history with many
// losses at one instant, whose order there depends on its heap.
func TestOobleckReplays(t *testing.T) {
	check := near.Count(t)
	var o Oobleck
	for _, r := range sharedRows(t, "oracles", "reactive", "oobleck_artifact_runs.csv")[1:] {
		if r[0] != "oobleck" || r[3] == "0" {
			continue
		}
		got := o.Replay(oobleckModel(t, r[1]), traceEvents(t, r[2]))
		want, steps := number(t, r[3]), int(number(t, r[4]))
		tolerance := 0.0
		if r[2] == "scaled/scale_p3-trace.csv" {
			tolerance = 0.004
		}
		if check.Off(got.Throughput, want, (tolerance+1e-12)*want) || tolerance == 0 && got.Steps != steps {
			t.Errorf("%s on %s: %d steps, %v samples/s, want %d, %v", r[1], r[2], got.Steps, got.Throughput, steps, want)
		}
		for k, x := range []float64{got.Effective, got.Rebalance, got.Fallback} {
			if share := number(t, r[[]int{10, 13, 15}[k]]); tolerance == 0 && check.Off(x, share, 1e-9) {
				t.Errorf("%s on %s: share %d is %v, want %v", r[1], r[2], k, x, share)
			}
		}
	}
}

func traceEvents(t testing.TB, name string) []NodeEvent {
	t.Helper()
	ids := map[string]int32{}
	var out []NodeEvent
	for _, r := range sharedRows(t, "traces", "oobleck-sim-traces", name) {
		ms, err := strconv.ParseInt(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ids[r[2]]; !ok {
			ids[r[2]] = int32(len(ids))
		}
		out = append(out, NodeEvent{ms, ids[r[2]], r[1] == "add"})
	}
	return out
}

// Without the artifact's quirks: an independent count of the same.
func TestOobleckClean(t *testing.T) {
	check := near.Count(t)
	var o Oobleck
	for _, r := range sharedRows(t, "oracles", "reactive", "oobleck_clean_vs_artifact_vs_paper.csv")[1:] {
		if r[0] != "oobleck" {
			continue
		}
		m := oobleckModel(t, r[1])
		m.Clean = true
		got := o.Replay(m, traceEvents(t, r[2]))
		if got.Steps != int(number(t, r[3])) || check.Off(got.Throughput, number(t, r[4]), 1e-4) {
			t.Errorf("%s on %s: %d steps, %v samples/s, want %v", r[1], r[2], got.Steps, got.Throughput, r[3:5])
		}
	}
}
