package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/nodes/nodestest"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func oobleckModel(t testing.TB, name string) *Model {
	t.Helper()
	m := &Model{MinNodes: 15, StepMs: make([]int64, 16)}
	for _, r := range testutil.Table(t, "papers/oobleck/testdata/oobleck_artifact_throughput_tables.csv")[1:] {
		if r[0] == "oobleck" && r[1] == name {
			m.StepMs[int(testutil.Number(t, r[2]))-15] = int64(testutil.Number(t, r[4]))
			m.Samples, m.PauseMs = int(testutil.Number(t, r[5])), int64(testutil.Number(t, r[6]))
		}
	}
	return m
}

// The artifact's own runs: equal but for two networks on the trace with many
// losses at one instant, whose order there depends on its heap.
func TestOobleckReplays(t *testing.T) {
	check := near.Count(t)
	var o Simulator
	for _, r := range testutil.Table(t, "papers/oobleck/testdata/oobleck_artifact_runs.csv")[1:] {
		if r[0] != "oobleck" || r[3] == "0" {
			continue
		}
		got := o.Replay(oobleckModel(t, r[1]), nodestest.Published(t, "oobleck-sim-traces", r[2]))
		want, steps := testutil.Number(t, r[3]), int(testutil.Number(t, r[4]))
		tolerance := 0.0
		if r[2] == "scaled/scale_p3-trace.csv" {
			tolerance = 0.004
		}
		if check.Off(got.Throughput, want, (tolerance+1e-12)*want) || tolerance == 0 && got.Steps != steps {
			t.Errorf("%s on %s: %d steps, %v samples/s, want %d, %v", r[1], r[2], got.Steps, got.Throughput, steps, want)
		}
		for k, x := range []float64{got.Effective, got.Rebalance, got.Fallback} {
			if share := testutil.Number(t, r[[]int{10, 13, 15}[k]]); tolerance == 0 && check.Off(x, share, 1e-9) {
				t.Errorf("%s on %s: share %d is %v, want %v", r[1], r[2], k, x, share)
			}
		}
	}
}

// Without the artifact's quirks: an independent count of the same.
func TestOobleckClean(t *testing.T) {
	check := near.Count(t)
	var o Simulator
	for _, r := range testutil.Table(t, "papers/oobleck/testdata/oobleck_clean_vs_artifact_vs_paper.csv")[1:] {
		if r[0] != "oobleck" {
			continue
		}
		m := oobleckModel(t, r[1])
		m.Clean = true
		got := o.Replay(m, nodestest.Published(t, "oobleck-sim-traces", r[2]))
		if got.Steps != int(testutil.Number(t, r[3])) || check.Off(got.Throughput, testutil.Number(t, r[4]), 1e-4) {
			t.Errorf("%s on %s: %d steps, %v samples/s, want %v", r[1], r[2], got.Steps, got.Throughput, r[3:5])
		}
	}
}
