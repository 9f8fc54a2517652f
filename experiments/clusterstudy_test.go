package experiments_test

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// The first held-out week of a cluster of papers/ours/deadlines: every policy pays what it did when the document was
// written, and deadline-spot meets all deadlines.
func TestClusterStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	pulled.Dir(t, "skynomad-aws-v100")
	pulled.Dir(t, "muri-4")
	var settings []spec.Setting
	for _, text := range []string{`market.traces.0.from="2023-03-01T22:08:16Z"`, "jobs.trace=pulled:muri-4", "jobs.from_s=3024000",
		"jobs.until_s=3456000", "seeds=1"} {
		x, err := spec.ParseSetting(text)
		if err != nil {
			t.Fatal(err)
		}
		settings = append(settings, x)
	}
	s, err := spec.Open("../papers/ours/deadlines/base.yaml", settings...)
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	worker := study.Worker()
	for i, p := range s.Policies {
		r, err := worker.Run(experiments.Case{Policy: i, Seed: s.Seed})
		if err != nil {
			t.Fatal(err)
		}
		want, is := studyUSD[p.Name]
		if !is {
			t.Errorf("%s is not in the table", p.Name)
		}
		if got := fmt.Sprintf("%.2f", r.CostUSD); got != want {
			t.Errorf("%s pays %s USD, expected %s: papers/ours/deadlines/README.md and its figure are to be made again", p.Name, got, want)
		}
		if (p.Name == "deadline-spot" || p.Name == "deadline-edf") && (r.Deadlines == 0 || r.Punctual != r.Deadlines || *r.LateMeanS > 0) {
			t.Errorf("%d of %d deadlines are met", r.Punctual, r.Deadlines)
		}
	}
}

// studyUSD is what each policy of the study pays in that week.
var studyUSD = map[string]string{
	"fifo":              "323.25",
	"first-fit":         "323.25",
	"srtf":              "311.02",
	"tiresias":          "313.77",
	"starburst":         "402.58",
	"gavel":             "360.60",
	"gavel-ftf":         "339.15",
	"gavel-makespan":    "354.77",
	"gavel-cost":        "413.87",
	"gavel-cost-slo":    "390.37",
	"deadline-ondemand": "448.83",
	"deadline-greedy":   "339.19",
	"deadline-spot":     "269.90",
	"deadline-edf":      "163.11",
}
