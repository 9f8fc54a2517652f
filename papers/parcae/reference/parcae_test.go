package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/parcae"
)

var parcaeNetworks = []string{"bert", "resnet152", "gpt-1.5b"} // of which there are oracles

// parcaeOracle returns the rows of an oracle and the trace in it.
func parcaeOracle(t testing.TB, what, network string) (rows []map[string]string, trace []int) {
	rows = testutil.Rows(t, "papers/parcae/testdata/oracle_"+what+"_"+network+".csv")
	for _, row := range rows {
		trace = append(trace, int(testutil.Number(t, row["n_now"])))
	}
	return rows, trace
}

// asPublished returns the replay of the public code.
func asPublished(t testing.TB, network string, rule Rule) *Simulator {
	t.Helper()
	m, err := pipeline.LoadParcae(network)
	if err != nil {
		t.Fatal(err)
	}
	m.Quirks = pipeline.ParcaeAsPublished()
	return &Simulator{Model: m, Rule: rule, Planner: parcae.NewPlanner(m, 32, 60), Ahead: 12}
}

func TestParcaeBaselines(t *testing.T) {
	for _, network := range parcaeNetworks {
		for what, rule := range map[string]Rule{"reactive_checkpoint": Reactive, "ideal_no_overhead": Unhindered} {
			rows, trace := parcaeOracle(t, what, network)
			for i, got := range asPublished(t, network, rule).Replay(trace) {
				checkMinute(t, what+" "+network, i, rows[i], got, 1e-9)
			}
		}
	}
}

// checkMinute compares all that an oracle has of an interval.
func checkMinute(t *testing.T, what string, i int, want map[string]string, got Minute, tolerance float64) {
	t.Helper()
	check := near.Count(t)
	if got.Shape.Pipelines != int(testutil.Number(t, want["d"])) || got.Shape.Stages != int(testutil.Number(t, want["p"])) {
		t.Errorf("%s, interval %d: %v, want %s x %s", what, i, got.Shape, want["d"], want["p"])
	}
	for column, x := range map[string]float64{"overhead_charged_ms": got.OverheadMs, "committed_samples_total": got.Samples} {
		if y := testutil.Number(t, want[column]); check.Off(x, y, tolerance*math.Abs(y)+1e-6) {
			t.Errorf("%s, interval %d: %s %v, want %v", what, i, column, x, y)
		}
	}
}

// The oracle sampled losses of five instances and more.
const sampledTolerance = 0.001

func TestParcaeTruth(t *testing.T) {
	for _, network := range parcaeNetworks {
		rows, trace := parcaeOracle(t, "liveput_truth", network)
		compareProactive(t, network, rows, asPublished(t, network, Proactive).Replay(trace))
	}
}

// Forecasts are taken from the oracle.
func TestParcaePredict(t *testing.T) {
	for _, network := range parcaeNetworks {
		rows, trace := parcaeOracle(t, "liveput_predict_nopoisson", network)
		p := asPublished(t, network, Proactive)
		p.Forecast = func(trace []int, horizon int) []int {
			var out []int
			for _, n := range strings.Fields(rows[len(trace)]["predicted_n_next12"])[:horizon] {
				k, err := strconv.Atoi(n)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, k)
			}
			return out
		}
		compareProactive(t, network, rows, p.Replay(trace))
	}
}

func compareProactive(t *testing.T, network string, rows []map[string]string, got []Minute) {
	t.Helper()
	check, other, worst := near.Count(t), 0, 0.0
	for i, g := range got {
		if strconv.Itoa(g.Shape.Pipelines) != rows[i]["d"] || strconv.Itoa(g.Shape.Stages) != rows[i]["p"] {
			other++
			t.Logf("%s, interval %d: %v, want %s x %s", network, i, g.Shape, rows[i]["d"], rows[i]["p"])
		}
		want := testutil.Number(t, rows[i]["committed_samples_total"])
		worst = max(worst, math.Abs(g.Samples/want-1))
	}
	t.Logf("%s: %d of %d intervals differ, samples by at most %.2g", network, other, len(got), worst)
	if other > 0 || check.Above(worst, sampledTolerance) {
		t.Errorf("%s", network)
	}
}

// What a plan becomes when there are fewer instances than foreseen, or more.
func TestParcaeFit(t *testing.T) {
	type shape = parcae.Shape
	for _, c := range []struct {
		planned shape
		n       int
		grow    bool
		want    shape
	}{
		{shape{Pipelines: 4, Stages: 6}, 20, false, shape{Pipelines: 3, Stages: 6}},
		{shape{Pipelines: 1, Stages: 14}, 10, false, shape{Pipelines: 1, Stages: 10}},
		{shape{Pipelines: 1, Stages: 14}, 5, false, shape{}}, // fits no depth
		{shape{Pipelines: 2, Stages: 6}, 20, false, shape{Pipelines: 2, Stages: 6}},
		{shape{Pipelines: 2, Stages: 8}, 24, true, shape{Pipelines: 3, Stages: 8}},
		{shape{}, 24, true, shape{}},
	} {
		p := asPublished(t, "gpt-1.5b", Proactive)
		p.Grow = c.grow
		if got := p.fit(c.planned, c.n); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
