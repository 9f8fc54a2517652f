package reference

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// Every end of every recorded run, to the second: 32 machines of 4 GPUs, rounds of 300 s, the released defaults.
func TestBlox(t *testing.T) {
	rows, inputs := testutil.Rows(t, "papers/blox/testdata/blox_results_jobs.csv"), testutil.Rows(t, "papers/blox/testdata/blox_trace_400.csv")
	c := Config{Machines: 32, PerNode: 4, Round: 300, Jobs: jobs(t, inputs)}
	if again := jobs(t, rows); !slices.Equal(again, c.Jobs) {
		t.Error("the inputs in the table of results are others than those of the trace")
	}
	for policy, name := range map[Policy]string{FIFO: "Fifo", LAS: "Las", SRTF: "Srtf"} {
		c.Policy = policy
		wrong := 0
		for i, end := range Run(c) {
			if want := int(testutil.Number(t, rows[i]["end_s__"+name])); end != want {
				if wrong++; wrong <= 3 {
					t.Errorf("%s, job %d: %d, the simulator has %d", name, i, end, want)
				}
			}
		}
		t.Logf("%s: %d of %d jobs", name, len(rows)-wrong, len(rows))
	}
}

func jobs(t *testing.T, rows []map[string]string) []Job {
	out := make([]Job, len(rows))
	for i, r := range rows {
		out[i] = Job{int(testutil.Number(t, r["arrival_s"])), int(testutil.Number(t, r["n_gpus"])), int(testutil.Number(t, r["duration_s"]))}
	}
	return out
}

// What the rules say, by arithmetic: two machines of two GPUs, rounds of 10 s.
func TestRules(t *testing.T) {
	tests := []struct {
		name   string
		policy Policy
		jobs   []Job
		want   []int
	}{
		{"an arrival within a round waits for its end, an end is seen at the end of one", FIFO, []Job{{0, 1, 10}, {1, 1, 11}}, []int{10, 30}},
		{"1 + 2 GPUs are free: a job of 2 is not placed, and holds up the next", FIFO, []Job{{0, 1, 20}, {1, 2, 10}, {2, 1, 10}}, []int{20, 30, 30}},
		{"3 = 1 + 2 meets the sum", FIFO, []Job{{0, 1, 20}, {1, 3, 10}}, []int{20, 20}},
		{"the shorter takes the GPUs of the longest that runs", SRTF, []Job{{0, 2, 100}, {0, 2, 50}, {1, 2, 10}}, []int{110, 50, 20}},
		{"the new job has run least", LAS, []Job{{0, 4, 30}, {5, 4, 10}}, []int{40, 20}},
		{"equal service: who is before stays before, and preempts", LAS, []Job{{0, 4, 20}, {5, 4, 20}}, []int{30, 40}},
	}
	for _, x := range tests {
		if got := Run(Config{Policy: x.policy, Machines: 2, PerNode: 2, Round: 10, Jobs: x.jobs}); !slices.Equal(got, x.want) {
			t.Errorf("%s: ends %v, expected %v", x.name, got, x.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a job of 5 GPUs on 4")
		}
	}()
	Run(Config{Machines: 2, PerNode: 2, Round: 10, Jobs: []Job{{0, 5, 1}}})
}
