package experiments

import (
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const goalsText = `name: goals
seeds: 3
horizon_s: 86400
model:
  data_parallel:
    samples: 1000000
    batch: 64
    measured: [{type: p3.2xlarge, workers: 1, samples_per_s: 20}, {type: p3.2xlarge, workers: 4, samples_per_s: 80}]
    workers: {max: 4}
    restart_s: 120
    save_s: 20
objectives: [GOAL]
policies: [{name: ondemand}, {name: spotdnn}, {name: mixed}]
market:
  boot: {median_s: 100, sigma: 0}
  synthetic: {zones: 2}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3}]
`

func rowsOfGoal(t *testing.T, goal string) []results.Summary {
	t.Helper()
	return rowsOf(t, strings.Replace(goalsText, "GOAL", goal, 1))
}

// rowsOf runs a spec.
func rowsOf(t *testing.T, text string) []results.Summary {
	t.Helper()
	s, err := spec.Parse("goals.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	st, err := NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	return runStudy(t, st).Summaries
}

// On demand, 20 samples a second cost 3 USD an hour: 30 USD pay for ten hours, of which 100 s of a boot, 20 s of a
// save, and what two minutes cost are taken.
func TestMostWorkByArithmetic(t *testing.T) {
	check := near.Count(t)
	for _, r := range rowsOfGoal(t, "{most_work: true, budget_usd: 30}") {
		if !r.Met || r.Finished && r.Policy == "ondemand" || check.Above(r.CostUSD, 30) || r.Goal != "most_work" || *r.GoalValue != 30 {
			t.Errorf("%s: met %v, finished %v, %v USD, %s %v", r.Policy, r.Met, r.Finished, r.CostUSD, r.Goal, *r.GoalValue)
		}
		if r.Policy != "ondemand" {
			continue
		}
		// The save begins when at most 40 s beside the two minutes are left.
		if check.Below(r.CostUSD, 30-3*(120+42)/3600.0) {
			t.Errorf("%v USD of 30", r.CostUSD)
		}
		hours := (r.CostUSD-r.CostTopupUSD)/3 - r.StartingH - r.CheckpointingH
		if check.Off(r.Progress*1e6, 20*3600*hours, 1) || check.Above(r.StartingH, 4*100/3600.0) || check.Below(r.CheckpointingH, 20/3600.0) {
			t.Errorf("%v samples in %v hours, %v hours of boots, %v of saves", r.Progress*1e6, hours, r.StartingH, r.CheckpointingH)
		}
		if check.Off(r.Metric().Of(&r), 100*(1-r.Progress), 1e-9) || r.Metric().Unit != "%" {
			t.Errorf("compared by %v %s", r.Metric().Of(&r), r.Metric().Unit)
		}
	}
}

// A budget holds where instances are billed in whole hours, or for a long time at least: what is not yet paid of an
// hour that has begun counts, and what the budget does not pay for an hour is not requested.
func TestMostWorkInWholeHours(t *testing.T) {
	check := near.Count(t)
	worked := 0
	for _, billing := range []string{"{increment_s: 3600}", "{minimum_s: 7200}", "{increment_s: 5400, minimum_s: 10800}"} {
		for _, usd := range []float64{2, 3.5, 7, 13, 20, 30, 61} {
			text := strings.Replace(goalsText, "GOAL", fmt.Sprintf("{most_work: true, budget_usd: %v}", usd), 1)
			text = strings.Replace(text, "market:\n", "market:\n  billing: "+billing+"\n", 1)
			text = strings.Replace(text, "{name: mixed}", "{name: mixed}, {name: reactive}", 1)
			for _, r := range rowsOf(t, text) {
				if check.Above(r.CostUSD, usd*(1+0.02)) { // 2 %: prices on spot rise while an hour runs
					t.Errorf("%s of %v USD with %s: %v USD", r.Policy, usd, billing, r.CostUSD)
				}
				if r.Progress > 0 {
					worked++
				}
			}
		}
	}
	if worked < 120 {
		t.Errorf("%d runs did any work: too few", worked)
	}
}

// A mean rate is a deadline: a million samples at 40 a second are 25,000 s.
func TestMeanRateIsADeadline(t *testing.T) {
	rate, time := rowsOfGoal(t, "{cheapest: true, samples_per_s: 40}"), rowsOfGoal(t, "{time_s: 25000}")
	for i := range rate {
		if rate[i].Goal != "samples_per_s" || *rate[i].GoalValue != 40 || time[i].Goal != "deadline" {
			t.Errorf("%s %v, %s", rate[i].Goal, *rate[i].GoalValue, time[i].Goal)
		}
		if r, d := &rate[i], &time[i]; r.CostUSD != d.CostUSD || r.Met != d.Met || r.LastedS() != d.LastedS() || r.ObjectiveS != d.ObjectiveS {
			t.Errorf("%s: %v USD and %v, met %v and %v", r.Policy, r.CostUSD, d.CostUSD, r.Met, d.Met)
		}
	}
}

// A ratio is met where the useful hours are that share of those held, whether the job is done or not.
func TestEffectiveTime(t *testing.T) {
	for _, ratio := range []float64{0.5, 0.97, 1} {
		met := 0
		for _, r := range rowsOfGoal(t, fmt.Sprintf("{ettr: %v, share: 0.5}", ratio)) {
			if r.Met != (r.UsefulH >= ratio*r.InstanceH) {
				t.Errorf("%s: met %v with %v of %v hours and a ratio of %v", r.Policy, r.Met, r.UsefulH, r.InstanceH, ratio)
			}
			if r.Met {
				met++
			}
		}
		if (met == 0) != (ratio == 1) {
			t.Errorf("a ratio of %v is met by %d of 9 runs", ratio, met)
		}
	}
}

// A budget beside a deadline is met where both are kept: 1e6 samples at 80 a second are 3.472 h on four instances at 3
// USD, 41.7 USD with boots and saves, so that 60 USD suffice on demand and 30 do not.
func TestBudgetBesideADeadline(t *testing.T) {
	plain := rowsOfGoal(t, "{within: 4h}")
	check := near.Count(t)
	for usd, meets := range map[float64]bool{60: true, 30: false} {
		for i, r := range rowsOfGoal(t, fmt.Sprintf("{within: 4h, budget_usd: %v}", usd)) {
			if r.Goal != "within_budget" || *r.GoalValue != usd || check.Off(r.ObjectiveS, 14400, 0) {
				t.Errorf("goal %s %v within %v s", r.Goal, *r.GoalValue, r.ObjectiveS)
			}
			if check.Off(r.CostUSD, plain[i].CostUSD, 0) || r.LastedS() != plain[i].LastedS() {
				t.Errorf("%s: %v USD, expected that of the deadline alone, %v", r.Policy, r.CostUSD, plain[i].CostUSD)
			}
			if r.Met != (plain[i].Met && r.CostUSD <= usd) {
				t.Errorf("%s: met %v with %v of %v USD, in time %v", r.Policy, r.Met, r.CostUSD, usd, plain[i].Met)
			}
			if r.Policy == "ondemand" && r.Met != meets {
				t.Errorf("on demand with %v of %v USD: met %v", r.CostUSD, usd, r.Met)
			}
		}
	}
	name := rowsOfGoal(t, "{within: 4h, budget_usd: 60}")[0].Objective
	if name != "all-in-4h-for-60-usd" {
		t.Errorf("name %s", name)
	}
}

// An hour after a soft deadline costs what the objective says, as a part of the cost, and a run that is late meets it. On
// demand four instances need 3.5 h: within half an hour they are three hours late.
func TestSoftDeadline(t *testing.T) {
	check := near.Count(t)
	late := 0
	plain := rowsOfGoal(t, "{time_s: 1800}")
	for i, r := range rowsOfGoal(t, "{time_s: 1800, usd_per_h_late: 20}") {
		hours := max(0, r.LastedS()-1800) / 3600
		if check.Off(r.CostLateUSD, 20*hours, 1e-9) || check.Off(r.CostUSD, plain[i].CostUSD+20*hours, 1e-9) || r.Met != r.Finished {
			t.Errorf("%s: %v USD of %v for %v h late, met %v", r.Policy, r.CostLateUSD, r.CostUSD, hours, r.Met)
		}
		if r.Late() {
			late++
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
	if late == 0 {
		t.Error("no run was late: the test says nothing")
	}
	for _, r := range rowsOfGoal(t, "{within: 24h, usd_per_h_late: 20}") {
		if check.Off(r.CostLateUSD, 0, 0) && !r.Late() {
			t.Errorf("%s: %v USD for being late, in time", r.Policy, r.CostLateUSD)
		}
	}
}

// Both say in tables and warnings what there is beside the deadline.
func TestGoalsBesideADeadlineAreSaid(t *testing.T) {
	for goal, want := range map[string]struct{ warning, says string }{
		"{time_s: 1800, usd_per_h_late: 20}": {"no policy knows what being late costs", "late for being late"},
		"{within: 4h, budget_usd: 30}":       {"no policy knows the budget", "late above budget"},
	} {
		s, err := spec.Parse("goals.yaml", []byte(strings.Replace(goalsText, "GOAL", goal, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(s.Warnings(), "; "); !strings.Contains(said, want.warning) {
			t.Errorf("%s: %s, expected %s", goal, said, want.warning)
		}
		for _, a := range Aggregates(rowsOfGoal(t, goal)) {
			var names []string
			for _, said := range a.Says {
				names = append(names, said.Name)
				if !(said.Mean >= 0) || said.Share && said.Mean > 1 {
					t.Errorf("%s: %v", a.Policy, said)
				}
			}
			if strings.Join(names, " ") != want.says {
				t.Errorf("%s says %v", goal, names)
			}
		}
	}
}

func TestGoalsAreChecked(t *testing.T) {
	for goal, says := range map[string]string{
		"{most_work: true}":                              "objectives[0].most_work: expected only with budget_usd",
		"{budget_usd: 5}":                                "objectives[0]: expected one of",
		"{usd_per_h_late: 5}":                            "objectives[0]: expected one of",
		"{budget_usd: 5, samples_per_s: 4}":              "objectives[0].budget_usd: expected budget_usd or samples_per_s, not both",
		"{time_s: 50, budget_usd: 5, usd_per_h_late: 5}": "objectives[0].budget_usd: expected budget_usd or usd_per_h_late, not both",
		"{time_s: 50, usd_per_h_late: 5, share: 0.9}":    "objectives[0].usd_per_h_late: expected usd_per_h_late or share, not both",
		"{time_s: 50, usd_per_h_late: -5}":               "objectives[0].usd_per_h_late: -5, expected more than 0",
		"{cheapest: true, time_s: 50}":                   "expected only with samples_per_s",
		"{samples_per_s: 4, within: 1h}":                 "objectives[0]: expected one of",
		"{samples_per_s: 1e9}":                           "expected 1 second to 20 years",
		"{ettr: 1.5}":                                    "objectives[0].ettr: 1.5, expected more than 0 and at most 1",
		"{most_work: true, budget_usd: 5}, {ettr: 2}":    "objectives[1].ettr",
	} {
		if _, err := spec.Parse("goals.yaml", []byte(strings.Replace(goalsText, "GOAL", goal, 1))); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %s", goal, err, says)
		}
	}
	text := strings.Replace(strings.Replace(goalsText, "GOAL", "{most_work: true, budget_usd: 5}", 1), "spotdnn", "uniform-progress", 1)
	if _, err := spec.Parse("goals.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "plans by a deadline and cannot pursue") {
		t.Errorf("uniform-progress: %v", err)
	}
	text = strings.Replace(strings.Replace(goalsText, "GOAL", "{ettr: 0.9}", 1), "horizon_s: 86400\n", "", 1)
	if _, err := spec.Parse("goals.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "horizon_s is missing") {
		t.Errorf("without a horizon: %v", err)
	}
}

// What wait-or-buy takes to be in time includes its saves: one instance does the work in exactly the time that there
// is, but not with ten seconds now and then on top.
func TestWaitOrBuyCountsItsSaves(t *testing.T) {
	study, err := openCluster(t, `name: saves
model:
  data_parallel:
    steps: 18000
    batch: 256
    measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 1}, {type: p3.2xlarge, workers: 4, steps_per_s: 3}]
    workers: {max: 4}
    restart_s: 60
    save_s: 10
objectives: [{name: o, within: 5h}]
policies: [{name: wait-or-buy, settings: {spot: false}}]
market:
  boot: {median_s: 0, sigma: 0}
  synthetic: {regions: 1, zones: 1}
  pools: [{type: p3.2xlarge, quota: 1, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`, "")
	if err != nil {
		t.Fatal(err)
	}
	row, err := study.Worker().Run(Case{Seed: 1})
	if err != nil || !row.Met {
		t.Errorf("met: %v after %v s of 18000, error %v", row.Met, row.LastedS(), err)
	}
}
