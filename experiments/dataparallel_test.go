package experiments

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
)

// ddp is a spec of a data-parallel job; %s is lines of data_parallel and of the pools.
const ddp = `name: ddp
seeds: 3
model:
  data_parallel:
%s
objectives: [{within: 10h}]
policies: [%s]
market:
  synthetic: {zones: 2, machines: 4}
  pools:
%s
`

const (
	twoSizes = `    steps: 30000
    batch: 512
    measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 0.484}, {type: p3.2xlarge, workers: 4, steps_per_s: 1.499}]
    workers: {max: 4}
    restart_s: 120
    resize_s: 60
    save_s: 20`
	onePool = "    - {type: p3.2xlarge, quota: 4, on_demand_quota: 8, on_demand_usd_per_h: 3.06}"
)

// Every policy that makes sense for a data-parallel job runs it. On demand, nobody
// is interrupted: 30,000 steps on the two workers that suffice.
func TestDataParallel(t *testing.T) {
	names := "ondemand, reactive, spotdnn, srifty+, fixed, checkpoint, checkfreq, varuna, greedy, time-sliced, uniform-progress"
	var list []string
	for name := range strings.SplitSeq(names, ", ") {
		list = append(list, "{name: "+name+"}")
	}
	study, err := studyOf(fmt.Sprintf(ddp, twoSizes, strings.Join(list, ", "), onePool))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runStudy(t, study).Summaries {
		if share := r.UsefulH / r.InstanceH; !(share > 0.5) {
			t.Errorf("%s: %.0f %% of the instance-hours were useful: it saves too seldom or too often", r.Policy, 100*share)
		}
		if r.Policy == "ondemand" && (!r.Met || *r.FinishS < 33000 || r.Preemptions != 0) {
			t.Errorf("on demand: %v s and %v preemptions", *r.FinishS, r.Preemptions)
		}
	}
}

func studyOf(text string) (*Study, error) {
	s, err := spec.Parse("ddp.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return NewStudy(s)
}

func TestDataParallelRefusesAndWarns(t *testing.T) {
	change := func(old, with string) string { return strings.Replace(twoSizes, old, with, 1) }
	for _, c := range []struct{ model, policy, pools, want string }{
		{change("    batch: 512\n", ""), "ondemand", onePool, "expected one of batch and batch_per_worker; none is given"},
		{change("batch: 512", "batch_per_worker: 64"), "ondemand", onePool, "expected steps or batch_per_worker, not both"},
		{change("    batch: 512", "    batch: 512\n    samples: 1"), "ondemand", onePool, "expected one of samples and steps, not both"},
		{change("workers: 1,", "workers: 0,"), "ondemand", onePool, "0 workers, expected 1 to"},
		{change("    workers: {max: 4}", "    workers: {max: 4}\n    sizes: [2]"), "ondemand", onePool, "expected workers or sizes"},
		{change("{max: 4}", "{min: 30}"), "ondemand", onePool, "expected from 1 to"},
		{twoSizes, "bamboo", onePool, "but the model is data-parallel"},
		{twoSizes, "cmdare", onePool, "but the model is data-parallel"},
		{twoSizes, "ondemand", strings.Replace(onePool, "p3.2xlarge", "g5.xlarge", 1),
			`no measured speed of instance type "g5.xlarge" in model.data_parallel; there are p3.2xlarge`},
		{change("{max: 4}", "{max: 8}"), "ondemand", onePool, "measured on 1 to 4 workers, and up to 8 may train: larger sizes are extrapolated"},
		{change("    restart_s: 120\n", ""), "ondemand", onePool, "no restart_s: restarts after the loss of a worker take no time"},
		{change(", {type: p3.2xlarge, workers: 4, steps_per_s: 1.499}", ""), "ondemand", onePool, "measured on 1 workers only"},
		{change("{type: p3.2xlarge, workers: 4", "{type: p3.2xlarge, workers: 2, steps_per_s: 0.7}, {type: p3.2xlarge, workers: 4"), "ondemand", onePool,
			"is off by up to"},
	} {
		said := ""
		if study, err := studyOf(fmt.Sprintf(ddp, c.model, "{name: "+c.policy+"}", c.pools)); err != nil {
			said = err.Error()
		} else {
			said = strings.Join(study.Warnings, "; ")
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s under %s: %q, want %q", c.model, c.policy, said, c.want)
		}
	}
}

// A policy that promises the deadline warns, once each, where machines on demand fail or any become slow; one that
// promises nothing does not.
func TestWarnsOutsidePromises(t *testing.T) {
	const fail, slow = "machines on demand fail (market.pools[0].failures)", "machines become slow (market.pools[0].slow)"
	failing := strings.Replace(onePool, "3.06", "3.06, failures: {per_1000_node_days: 5000, repair: [{mean_h: 2}]}", 1)
	slowing := strings.Replace(onePool, "3.06", "3.06, slow: {bad: {share: 0.5, times: 2}}", 1)
	for _, c := range []struct {
		policies, pools, what string
		warned                []string
	}{
		{"{name: ondemand}, {name: reactive}", failing, fail, nil},
		{"{name: ondemand}, {name: reactive}, {name: \"safe:reactive\"}, {name: spotdnn-safe}, {name: mdp}", failing, fail,
			[]string{"safe:reactive", "spotdnn-safe", "mdp"}},
		{"{name: \"safe:reactive\"}, {name: mdp}", onePool, fail, nil},
		{"{name: reactive}, {name: \"safe:reactive\"}, {name: mdp}", slowing, slow, []string{"safe:reactive", "mdp"}},
		{"{name: \"safe:reactive\"}, {name: mdp}", failing, slow, nil},
	} {
		study, err := studyOf(fmt.Sprintf(ddp, twoSizes, c.policies, c.pools))
		if err != nil {
			t.Fatal(err)
		}
		var warned []string
		for _, w := range study.Warnings {
			if name, _, found := strings.Cut(w, ": "+c.what); found {
				warned = append(warned, strings.TrimPrefix(name, "policy "))
			}
		}
		if !slices.Equal(warned, c.warned) {
			t.Errorf("%s: warnings of %q, expected %q", c.policies, warned, c.warned)
		}
	}
}
