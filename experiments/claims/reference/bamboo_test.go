package reference

import (
	"math"
	"strconv"
	"testing"
)

var bertBamboo = BambooModel{Stages: 12, StepMs: []int64{4310, 2390, 1805, 1450}, Samples: 264, Steps: 22194, LocalMs: 20_000, Capacity: 48}

func oracle(t testing.TB, name string) [][]string {
	t.Helper()
	return sharedRows(t, "oracles", "reactive", name)
}

func nodeEvents(t testing.TB, name string) []NodeEvent {
	t.Helper()
	ids := map[string]int32{}
	var out []NodeEvent
	for _, r := range oracle(t, name) {
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

// Traces without ties, whose expected integers are the public simulator's. The
// floating-point figures differ in the ninth digit: it counts one node for a
// millisecond more.
func TestBambooReplays(t *testing.T) {
	rows := oracle(t, "bamboo_replays.csv")
	var b Bamboo
	for _, r := range rows[1:] {
		got := b.Replay(&bertBamboo, nodeEvents(t, "bamboo_traces/"+r[0]), never)
		for i, n := range []int64{int64(got.Rendezvous), got.LastStepEndMs, got.FirstStartMs, int64(got.Preemptions), int64(got.Fatal), int64(got.Steps)} {
			if strconv.FormatInt(n, 10) != r[5+i] {
				t.Errorf("%s: %s is %d, want %s", r[0], rows[0][5+i], n, r[5+i])
			}
		}
		for i, x := range []float64{got.Instances, got.Performance, got.CostUSDPerH, got.Value} {
			tolerance := []float64{1e-9, 1e-11, 1e-9, 7e-5}[i]
			if want := number(t, r[11+i]); math.Abs(x-want) > tolerance*want {
				t.Errorf("%s: %s is %v, want %v", r[0], rows[0][11+i], x, want)
			}
		}
	}
}
