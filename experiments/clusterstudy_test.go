package experiments_test

import (
	"context"
	"math"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// The first held-out week of a cluster of docs/cluster-study.md: deadline-spot meets all deadlines, at the dollars that the document
// counts, and less than what others pay that meet them.
func TestClusterStudy(t *testing.T) {
	from := tracetest.Recorded(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, name := range []string{"skynomad-aws-v100", "muri-4"} {
		e, err := catalogue.EntryNamed(name)
		if err == nil {
			_, err = catalogue.Pull(context.Background(), e, catalogue.PullOptions{From: from})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var settings []spec.Setting
	for _, text := range []string{`market.histories.0.from="2023-03-01T22:08:16Z"`, "jobs.trace=pulled:muri-4", "jobs.from_s=3024000", "jobs.until_s=3456000", "seeds=1"} {
		x, err := spec.ParseSetting(text)
		if err != nil {
			t.Fatal(err)
		}
		settings = append(settings, x)
	}
	s, err := spec.Open("specs/cluster/study/base.yaml", settings...)
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	worker, paid := study.Worker(), map[string]float64{}
	for i, p := range s.Policies {
		switch p.Name {
		case "deadline-spot", "deadline-greedy", "no-packing", "eva-like":
			r, err := worker.Run(experiments.Case{Policy: i, Seed: s.Seed})
			if err != nil {
				t.Fatal(err)
			}
			if paid[p.Name] = r.CostUSD; p.Name == "deadline-spot" && (r.Deadlines == 0 || r.Punctual != r.Deadlines || *r.LateMeanS > 0) {
				t.Errorf("%d of %d deadlines are met", r.Punctual, r.Deadlines)
			}
		}
	}
	for name, usd := range paid {
		if name != "deadline-spot" && usd <= paid["deadline-spot"] {
			t.Errorf("%s pays %.2f USD, deadline-spot %.2f", name, usd, paid["deadline-spot"])
		}
	}
	if usd := paid["deadline-spot"]; math.Abs(usd-269.90) > 0.005 {
		t.Errorf("deadline-spot pays %.2f USD, expected 269.90: docs/cluster-study.md and its figure are to be made again", usd)
	}
}
