package stragglers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

const recorded = "papers/slow-workers/testdata/"

// All recorded values of the three published jobs: those of their authors' program, and of a second one.
func TestPublishedJobs(t *testing.T) {
	dir := pulled.Dir(t, "straggler-analysis")
	rows := slices.Concat(testutil.Rows(t, recorded+"steps_expected.csv"), testutil.Rows(t, recorded+"steps_own.csv"))
	for _, name := range []string{"AR", "SE", "ST"} {
		t.Run(name, func(t *testing.T) {
			trace := filepath.Join(dir, "data", "trace-"+name+".parquet")
			job, err := Read(t.Context(), trace, filepath.Join(dir, "data", "meta-"+name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, job, ofJob(rows, name))
		})
	}
}

// All recorded values of drawn jobs with chunks, overlapped reductions, one stage, no data parallelism, sequence
// parallelism, operations that never ran, and one worker.
func TestDrawnJobs(t *testing.T) {
	rows := testutil.Rows(t, recorded+"steps_cases.csv")
	for _, sizes := range testutil.Rows(t, recorded+"steps_cases_meta.csv") {
		name := sizes["job"]
		delete(sizes, "job")
		t.Run(name, func(t *testing.T) {
			var meta strings.Builder
			for key, size := range sizes {
				fmt.Fprintf(&meta, "%s: %s\n", key, size)
			}
			compare(t, caseNamed(t, name, meta.String()), ofJob(rows, name))
		})
	}
}

func caseNamed(t testing.TB, name, meta string) *Job {
	t.Helper()
	sizes, err := ParseMeta(name, []byte(meta))
	if err != nil {
		t.Fatal(err)
	}
	table := recorded + "steps/" + name + ".csv"
	testutil.Compared(t, table, 0) // it is what the compared rows were computed from
	operations, err := ReadOperations(t.Context(), filepath.Join(testutil.Root(t), table+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	job, err := New(sizes, operations)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func ofJob(rows []map[string]string, name string) []map[string]string {
	return slices.DeleteFunc(slices.Clone(rows), func(row map[string]string) bool { return row["job"] != name })
}

// Relative tolerance of times and ratios, absolute one of the metrics, which divide by a difference.
const (
	tolerance       = 1e-8
	metricTolerance = 1e-6
)

func compare(t *testing.T, job *Job, rows []map[string]string) {
	t.Helper()
	analysis, err := job.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, value := range analysis.Values() {
		step := ""
		if value.Step != nil {
			step = fmt.Sprint(*value.Step)
		}
		got[value.What+" "+step+" "+value.Key] = value.Value
	}
	numbers := near.Count(t)
	for _, row := range rows {
		name := row["what"] + " " + row["step"] + " " + row["key"]
		value, is := got[name]
		want := testutil.Number(t, row["value"])
		switch {
		case !is:
			t.Errorf("no value %s", name)
		case strings.HasPrefix(row["what"], "discrepancy"): // the recorded means were added up as float32
			numbers.Rel(name, value, want, 1e-6)
		case row["key"] != "rem" && row["key"] != "add":
			numbers.Rel(name, value, want, tolerance)
		case analysis.S > 1+1e-3: // else they divide by almost nothing: their parts are compared
			numbers.Abs(name, value, want, metricTolerance)
		}
	}
}
