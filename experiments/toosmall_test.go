package experiments

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

var tooSmallFrom = flag.Uint64("too-small-from", 1, "first seed of the drawn jobs whose policies hold too few instances")

// No policy whose number of instances is called too small meets its objective in any run; with the number that is
// expected, nothing is called too small: 40 drawn jobs on drawn markets.
func TestTooSmallNumbersNeverMeetTheObjective(t *testing.T) {
	expected := regexp.MustCompile(`expected at least (\d+) `)
	names := []string{"reactive", "fixed", "skynomad", "uniform-progress", "dynamic-pricing", "wait-or-buy", "checkpoint", "greedy", "time-sliced"}
	tooSmall, fits := 0, 0
	for seed := *tooSmallFrom; seed < *tooSmallFrom+40; seed++ {
		draw := rand.New(rand.NewPCG(seed, 49))
		name := names[draw.IntN(len(names))]
		instances := 1 + draw.IntN(6)
		hours := 1 + draw.IntN(6)
		text := func(instances int) string {
			return fmt.Sprintf(`
name: small
seeds: 4
seed: %d
model:
  data_parallel:
    samples: %d
    batch: 64
    restart_s: %d
    workers: {min: %d}
    measured:
      - {type: p3.2xlarge, workers: 1, steps_per_s: 3}
      - {type: p3.2xlarge, workers: 8, steps_per_s: %d}
objectives: [{name: o, within: %dh}]
policies: [{name: %s, settings: {instances: %d}}]
market:
  synthetic: {zones: %d}
  pools: [{type: p3.2xlarge, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 3.06}]
`, seed, 64*3600*(4+int(seed*7%40)), 10+seed%100, 1+seed%3, 8+seed%12, hours, name, instances, 1+seed%3)
		}
		study, err := studyOf(text(instances))
		if err != nil {
			t.Fatal(err)
		}
		if len(study.TooSmall()) == 0 {
			fits++
			continue
		}
		tooSmall++
		for _, r := range runStudy(t, study).Summaries {
			if r.Met {
				t.Errorf("seed %d: %s met the objective: %s", seed, study.TooSmall()[0], text(instances))
			}
		}
		found := expected.FindStringSubmatch(study.TooSmall()[0])
		if found == nil {
			t.Fatalf("seed %d: no number that fits: %s", seed, study.TooSmall()[0])
		}
		least, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		better, err := studyOf(text(least))
		if err != nil {
			t.Fatal(err)
		}
		if len(better.TooSmall()) > 0 {
			t.Errorf("seed %d: %s, but then %s", seed, study.TooSmall()[0], better.TooSmall()[0])
		}
	}
	t.Logf("%d numbers too small, %d not", tooSmall, fits)
	if tooSmall < 5 || fits < 5 {
		t.Errorf("%d numbers too small, %d not: expected some of each", tooSmall, fits)
	}
}
