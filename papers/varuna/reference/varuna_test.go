package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/nodes/nodestest"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func varunaModel(t testing.TB, name string) *Model {
	t.Helper()
	m := &Model{MinNodes: 15, StepMs: make([]int64, 16), RestartMs: make([]int64, 16), Idle: make([]float64, 16), SaveSteps: 10}
	for _, r := range testutil.Table(t, "papers/oobleck/testdata/oobleck_artifact_throughput_tables.csv")[1:] {
		if r[0] == "varuna" && r[1] == name {
			n := int(testutil.Number(t, r[2])) - 15
			m.StepMs[n], m.RestartMs[n], m.Idle[n] = int64(testutil.Number(t, r[4])), int64(testutil.Number(t, r[6])), testutil.Number(t, r[8])
			m.Samples, m.SaveMs = testutil.Number(t, r[5]), int64(testutil.Number(t, r[7]))
		}
	}
	m.FirstRestartMs = m.RestartMs[0]
	if name == "BERT-large" {
		m.FirstRestartMs = 76_000
	}
	return m
}

// The artifact's own runs, shares included.
func TestVarunaReplays(t *testing.T) {
	check := near.Count(t)
	var v Simulator
	for _, r := range testutil.Table(t, "papers/oobleck/testdata/oobleck_artifact_runs.csv")[1:] {
		if r[0] != "varuna" && r[0] != "varuna_nockpt" {
			continue
		}
		m := varunaModel(t, r[1])
		if r[0] == "varuna_nockpt" {
			m.FreeSaves, m.SaveSteps = true, 2
		}
		small := m.SaveMs < 20_000
		m.KeepsAll = small && r[2] == "scaled/scale_p3-trace.csv"
		got := v.Replay(m, nodestest.Published(t, "oobleck-sim-traces", r[2]))
		want := testutil.Number(t, r[3])
		if check.Off(got.Throughput, want, 1e-10*want) || got.Steps != int(testutil.Number(t, r[4])) {
			t.Errorf("%s of %s on %s: %d steps, %v samples/s, want %s, %v", r[0], r[1], r[2], got.Steps, got.Throughput, r[4], want)
		}
		for k, x := range []float64{got.Effective, got.Saving, got.Restart, got.Fallback, got.Idle} {
			column := []int{10, 11, 14, 15, 16}[k]
			if check.Off(x, testutil.Number(t, r[column]), 1e-9) {
				t.Errorf("%s of %s on %s: share %d is %v, want %s", r[0], r[1], r[2], k, x, r[column])
			}
		}
	}
}
