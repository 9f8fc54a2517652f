package rules

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// models are those of the recorded inputs, sorted by name.
var models = []string{"k80", "p100", "v100"}

// allocation is a recorded input of the policies.
type allocation struct {
	share.Input
	isolated []float64 // by job: cumulative_isolated_s
}

func allocations(t *testing.T) map[string]*allocation {
	out := map[string]*allocation{}
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_inputs.csv") {
		c := out[r["case"]]
		if c == nil {
			c = &allocation{}
			for _, m := range models {
				c.GPUs = append(c.GPUs, int(number(t, r["n_"+m])))
				c.Price = append(c.Price, number(t, r["price_"+m]))
			}
			out[r["case"]] = c
		}
		j := share.Job{ID: len(c.Jobs), GPUs: int(number(t, r["scale_factor"])), Weight: number(t, r["priority_weight"]), Left: number(t, r["steps_remaining"]),
			Age: number(t, r["age_s"]), Time: number(t, r["time_to_deadline_s"])}
		for _, m := range models {
			j.Speed = append(j.Speed, number(t, r["steps_per_s_"+m]))
		}
		c.Jobs, c.isolated = append(c.Jobs, j), append(c.isolated, number(t, r["cumulative_isolated_s"]))
	}
	return out
}

// number reads a cell, 0 for an empty one.
func number(t *testing.T, cell string) float64 {
	if cell == "" {
		return 0
	}
	return testutil.Number(t, cell)
}

// rule is a policy by its name in the tables.
func (c *allocation) rule(policy string) share.Rule {
	switch policy {
	case "isolated":
		return Isolated{}
	case "fifo_perf":
		return &FastestFIFO{}
	case "allox":
		return &AlloX{}
	case "max_min_fairness", "max_min_fairness_perf":
		return &share.MaxMin{Agnostic: policy == "max_min_fairness"}
	case "lexicographic_max_min_fairness", "lexicographic_max_min_fairness_perf":
		return &share.MaxMin{Agnostic: policy == "lexicographic_max_min_fairness", Levels: true}
	case "finish_time_fairness_perf":
		f := &FinishTime{known: map[int]alone{}}
		for i := range c.Jobs {
			f.known[i] = alone{since: c.isolated[i], left: c.Jobs[i].Left, speed: 1}
		}
		return f
	case "min_total_duration":
		return &MinDuration{}
	case "max_sum_throughput_perf":
		return &MaxSum{}
	case "max_sum_throughput_normalized_by_cost_perf":
		return &MaxSum{PerDollar: true}
	case "max_sum_throughput_normalized_by_cost_perf_SLOs":
		return &MaxSum{PerDollar: true, Deadlines: true}
	}
	return nil
}

// objective is what a policy makes best, of shares; NaN where it has none.
func (c *allocation) objective(policy string, x *share.Shares) float64 {
	in := &c.Input
	speed, smallest, sum, ratio := in.Speeds(), math.Inf(1), 0.0, 0.0
	if policy == "max_min_fairness" || policy == "lexicographic_max_min_fairness" {
		speed = in.Alike(-1)
	}
	scale := in.Normal(speed)
	even := make([]float64, len(in.GPUs))
	for i := range in.Jobs {
		j := &in.Jobs[i]
		has := Speed(speed[i], x.X[i])
		switch policy {
		case "finish_time_fairness_perf":
			isolate(in, i, even)
			ratio = max(ratio, (j.Age+j.Left/has)/(c.isolated[i]+j.Left/Speed(speed[i], even)))
		case "min_total_duration":
			ratio = max(ratio, j.Left/has)
		case "max_sum_throughput_perf":
			sum += has
		case "max_sum_throughput_normalized_by_cost_perf", "max_sum_throughput_normalized_by_cost_perf_SLOs":
			for m, v := range x.X[i] {
				if in.GPUs[m] > 0 { // else the tables have no price
					sum += v * speed[i][m] / in.Price[m]
				}
			}
		default:
			smallest = min(smallest, scale[i]*has)
		}
	}
	return map[bool]float64{true: smallest, false: max(sum, ratio)}[!math.IsInf(smallest, 1)]
}

// Every recorded decision of Gavel's policies: the value of the optimum; each job's speed
// where it is the same in all optima, and within its limits where it is not; and the shares
// themselves where there is no program.
func TestAllocations(t *testing.T) {
	cases := allocations(t)
	jobs := map[[2]string][]map[string]string{}
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_jobs.csv") {
		key := [2]string{r["case"], r["policy"]}
		jobs[key] = append(jobs[key], r)
	}
	objectives, others := near.Count(t), near.Count(t)
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_objectives.csv") {
		c, policy := cases[r["case"]], r["policy"]
		rule := c.rule(policy)
		if rule == nil {
			t.Errorf("a policy named %s", policy)
			continue
		}
		var x share.Shares
		rule.Share(&c.Input, &x)
		c.feasible(t, r["case"]+" "+policy, &x)
		if want := r["objective"]; want != "" {
			tolerance := 1e-6
			if policy == "finish_time_fairness_perf" {
				tolerance = 1e-5
			}
			if got, want := c.objective(policy, &x), testutil.Number(t, want); objectives.Off(got, want, tolerance*math.Abs(want)) {
				t.Errorf("case %s, %s: objective %v, recorded %v", r["case"], policy, got, want)
			}
		}
		for _, j := range jobs[[2]string{r["case"], policy}] {
			c.compare(t, others, policy, j, &x)
		}
	}
	t.Logf("%d objectives, %d speeds and shares", objectives.N(), others.N())
}

// feasible checks that shares are possible.
func (c *allocation) feasible(t *testing.T, name string, x *share.Shares) {
	check := near.Count(t)
	used := make([]float64, len(c.GPUs))
	for i, j := range x.Jobs {
		sum := 0.0
		for m, v := range x.X[i] {
			sum += v
			used[m] += v * float64(c.Jobs[j].GPUs)
			if check.Below(v, -1e-9) {
				t.Errorf("%s: a share of %v", name, v)
			}
		}
		if check.Above(sum, 1+1e-7) {
			t.Errorf("%s: job %d has %v of the time", name, i, sum)
		}
	}
	for m, v := range used {
		if check.Above(v, float64(c.GPUs[m])+1e-6) {
			t.Errorf("%s: %v of %d GPUs", name, v, c.GPUs[m])
		}
	}
}

// compare compares what a job has with what it had.
func (c *allocation) compare(t *testing.T, check *near.Counter, policy string, r map[string]string, x *share.Shares) {
	i := int(testutil.Number(t, r["job"]))
	has := Speed(c.Jobs[i].Speed, x.X[i])
	if policy == "lexicographic_max_min_fairness" || policy == "lexicographic_max_min_fairness_perf" {
		speed := c.Speeds()
		if policy == "lexicographic_max_min_fairness" {
			speed = c.Alike(-1)
		}
		has = c.Normal(speed)[i] * Speed(speed[i], x.X[i])
	}
	want := testutil.Number(t, r["effective_throughput"])
	smallest, largest := want, want
	if r["unique"] != "1" {
		if r["least_at_optimum"] == "" {
			return
		}
		smallest, largest = testutil.Number(t, r["least_at_optimum"]), testutil.Number(t, r["most_at_optimum"])
	}
	if check.Outside(has, smallest-1e-6*math.Abs(smallest)-1e-9, largest+1e-6*math.Abs(largest)+1e-9) {
		t.Errorf("case %s, %s, job %d: %v, recorded %v to %v", r["case"], policy, i, has, smallest, largest)
	}
	if policy != "isolated" && policy != "fifo_perf" && policy != "allox" {
		return
	}
	for m, name := range models {
		if want := number(t, r["x_"+name]); check.Off(x.X[i][m], want, 1e-9) {
			t.Errorf("case %s, %s, job %d: %v of %s, recorded %v", r["case"], policy, i, x.X[i][m], name, want)
		}
	}
}

// The bisection of the least duration ends where the public code's does.
func TestBisection(t *testing.T) {
	cases := allocations(t)
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_allocation_objectives.csv") {
		if r["policy"] != "min_total_duration" {
			continue
		}
		_, smallest := (&MinDuration{}).solve(&cases[r["case"]].Input)
		want := testutil.Number(t, r["note"][len("bisection result T_s="):])
		if got := bisected(smallest); got != want {
			t.Errorf("case %s: %v s, recorded %v", r["case"], got, want)
		}
	}
}

// bisected returns the time at which the public code's bisection ends, for the least time.
func bisected(smallest float64) float64 {
	for lo, hi := 100.0, 1e6; ; lo, hi = hi, 10*hi {
		found := 0.0
		for low, high := lo, hi; 1.05*low < high; {
			t := (low + high) / 2
			if t >= smallest {
				high, found = t, t
			} else {
				low = t
			}
		}
		if found > 0 {
			return found
		}
	}
}
