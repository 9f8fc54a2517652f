package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/nodes"
	"github.com/marigram/marigram/papers/internal/nodes/nodestest"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

var bertBamboo = Model{Stages: 12, StepMs: []int64{4310, 2390, 1805, 1450}, Samples: 264, Steps: 22194, LocalMs: 20_000, Capacity: 48}

// Traces without ties, whose expected integers are the public simulator's.
func TestBambooReplays(t *testing.T) {
	check := near.Count(t)
	rows := testutil.Table(t, "papers/bamboo/testdata/bamboo_replays.csv")
	var b Simulator
	for _, r := range rows[1:] {
		got := b.Replay(&bertBamboo, nodestest.Recorded(t, "papers/bamboo/testdata/"+r[0]), nodes.Never)
		for i, n := range []int64{int64(got.Rendezvous), got.LastStepEndMs, got.FirstStartMs, int64(got.Preemptions), int64(got.Fatal), int64(got.Steps)} {
			if strconv.FormatInt(n, 10) != r[5+i] {
				t.Errorf("%s: %s is %d, want %s", r[0], rows[0][5+i], n, r[5+i])
			}
		}
		for i, x := range []float64{got.Instances, got.Performance, got.CostUSDPerH, got.Value} {
			tolerance := []float64{1e-9, 1e-11, 1e-9, 1e-9}[i]
			if want := testutil.Number(t, r[11+i]); check.Off(x, want, tolerance*want) {
				t.Errorf("%s: %s is %v, want %v", r[0], rows[0][11+i], x, want)
			}
		}
	}
}

// The p3 trace for 12 hours: additions and removals fall on the same second, and
// the order of those of one kind is that of the public simulator's heap.
func TestBambooTies(t *testing.T) {
	check := near.Count(t)
	rows := testutil.Table(t, "papers/bamboo/testdata/bamboo_cases.csv")
	models := map[string]Model{
		"GPT-2":  {Stages: 12, StepMs: []int64{1200, 1085, 1046, 1008}, Samples: 32, Steps: 188828, LocalMs: 20_000, Capacity: 48},
		"BERT":   bertBamboo,
		"ResNet": {Stages: 8, StepMs: []int64{6100, 3200, 2400, 1600}, Samples: 384, LocalMs: 10_000},
	}
	var b Simulator
	seen := 0
	for _, r := range rows[1:] {
		name, _, found := strings.Cut(r[0], " trace=p3-trace")
		if !found {
			continue
		}
		seen++
		m := models[name]
		got := b.ReplayTies(&m, nodestest.Published(t, "bamboo-preemption-traces", "p3-trace.csv"), 12*msPerHour)
		for i, x := range []float64{float64(got.Steps), float64(got.Preemptions), float64(got.Fatal), got.Instances, got.Performance, got.CostUSDPerH,
			got.Value, float64(got.LastStepEndMs) / msPerHour} {
			if want := testutil.Number(t, r[1+i]); check.Off(x, want, 1e-9*want) {
				t.Errorf("%s: %s is %v, want %v", r[0], rows[0][1+i], x, want)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d replays of the p3 trace, want 3", seen)
	}
}
