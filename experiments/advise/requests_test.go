package advise

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
)

const threeZones = `
name: three-zones
model:
  data_parallel:
    steps: 20000
    batch: 256
    measured:
      - {type: p3.2xlarge, workers: 1, steps_per_s: 0.5}
      - {type: p3.2xlarge, workers: 2, steps_per_s: 0.9}
      - {type: p3.2xlarge, workers: 4, steps_per_s: 1.7}
    workers: {max: 4}
    restart_s: 60
    save_s: 10
objectives: [{name: o, within: 15500s}]
policies: [{name: uniform-progress}]
market:
  synthetic: {regions: 1, zones: 3}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`

// heldState is a state in which n instances of a pool are ready.
func heldState(pool string, n int, done float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{now: 3600, started: 0, done: %v, instances: [", done)
	for k := range n {
		fmt.Fprintf(&b, "{id: i%d, pool: %s, since: 0, ready: 100}, ", k, pool)
	}
	b.WriteString("]}")
	return b.String()
}

// A plan that requests in every zone what the job needs once says how many that is, and where first; a job of which a
// policy's own layout never trained is answered, too.
func TestRequestsAtMost(t *testing.T) {
	bounded := 0
	for _, name := range []string{"uniform-progress", "greedy", "time-sliced", "reactive", "spotdnn", "spotdnn-safe", "mdp"} {
		for ready := range 5 {
			s := openSpec(t, strings.Replace(threeZones, "uniform-progress", name, 1), "")
			s.Seeds = 1
			a := advisedOn(t, s, heldState("synthetic-1a/p3.2xlarge", ready, 0.3))
			requests := 0
			for _, c := range a.Plan.Changes {
				requests += c.Request + c.Wait
			}
			most := requests
			if a.Plan.AtMost != nil {
				most = *a.Plan.AtMost
				bounded++
				if most >= requests || len(a.Plan.Order) == 0 {
					t.Errorf("%s with %d ready: at most %d of %d requests, in the order %v", name, ready, most, requests, a.Plan.Order)
				}
			}
			if name == "uniform-progress" && ready < 4 && most != 4-ready {
				t.Errorf("%s with %d ready: at most %v of %d requests, expected %d", name, ready, a.Plan.AtMost, requests, 4-ready)
			}
			if most > 4 {
				t.Errorf("%s with %d ready: %d instances are requested, at most %d in all, but the job can use 4", name, ready, requests, most)
			}
		}
	}
	if bounded == 0 {
		t.Error("no plan requests more than it needs")
	}
}

// On demand that spot takes over from is said to be handed over, and is not released before.
func TestHandOver(t *testing.T) {
	s := openSpec(t, threeZones, "")
	s.Seeds = 1
	a := advisedOn(t, s, heldState("on-demand/p3.2xlarge", 2, 0.3))
	kept := 0
	for _, c := range a.Plan.Changes {
		if c.Market == "on-demand" {
			kept += c.Keep
		}
	}
	over := 0
	for _, x := range a.Plan.HandOver {
		over += x.N
	}
	if over == 0 || over > kept {
		t.Errorf("%d on demand are handed over of %d that are kept: %+v", over, kept, a.Plan)
	}
}

var advisedFrom = flag.Uint64("advised-from", 0, "seed of the drawn specs of TestAdviseOnDrawnSpecs; 0: one that nobody has looked at")

// Every kind of spec that can be run can be advised on, at any instant, or is refused in words: drawn cases.
func TestAdviseOnDrawnSpecs(t *testing.T) {
	seed := cmp.Or(*advisedFrom, uint64(time.Now().UnixNano()))
	t.Logf("-advised-from %d", seed)
	draw := rand.New(rand.NewPCG(seed, 1))
	one := func(options ...string) string { return options[draw.IntN(len(options))] }
	answered := 0
	refused := 0 // as a spec: by run as well
	cases := testutil.Size(24, 120)
	if testing.Short() {
		cases = 12
	}
	for k := range cases {
		failures := one("", "", ", failures: {per_1000_node_days: 3000, repair: [{mean_h: 2}]}",
			", failures: {per_1000_node_days: 900, law: weibull, shape: 0.7, detect_s: 300, bad: {share: 0.4, times: 5}, "+
				"repair: [{mean_h: 1, share: 0.5, works: 0.5}, {median_h: 3, sigma: 1}]}",
			", failures: {per_1000_node_days: 3000, misdiagnosed: 0.2, undiagnosed: 0.1, retire: {after: 3, within_h: 200}, repair: [{mean_h: 2}]}")
		text, state := drawnJob(one, failures)
		if k%2 == 1 {
			text, state = drawnCluster(one, failures)
		}
		s, err := readSpec(t, text, failingJobs)
		if err != nil {
			if !strings.Contains(err.Error(), "expected") {
				t.Errorf("case %d, %s: %v", k, text, err)
			}
			refused++
			continue
		}
		s.Seeds = 1
		s.Seed = int64(k + 1)
		parsed, err := Parse("state.yaml", []byte(state))
		if err != nil {
			t.Fatal(err)
		}
		a, err := Advise(t.Context(), s, parsed, Options{Continuations: 3})
		if err != nil {
			if !slices.ContainsFunc([]string{"expected", "is over", "were over"}, func(x string) bool { return strings.Contains(err.Error(), x) }) {
				t.Errorf("case %d, %s, state %s: %v", k, text, state, err)
			}
			continue
		}
		answered++
		if len(a.Policies) == 0 || a.Policies[0].Met < 0 || a.Policies[0].Met > 1 {
			t.Errorf("case %d, %s: %+v", k, text, a)
		}
	}
	t.Logf("%d of %d cases were answered, %d are no specs", answered, cases, refused)
	if answered < (cases-refused)*2/3 || refused > cases/3 {
		t.Errorf("%d of %d cases were answered, %d are no specs", answered, cases, refused)
	}
}

// drawnJob draws a spec of one job, and a state of it.
func drawnJob(one func(...string) string, failures string) (text, state string) {
	model := one(
		"{data_parallel: {steps: 20000, batch: 256, measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 0.5}, {type: p3.2xlarge, workers: 4, steps_per_s: 1.7}], "+
			"workers: {max: 4}, restart_s: 60, save_s: 10}}",
		"{published: spotdnn-resnet110, begin_loss: 4.605}")
	goal := one("within: 5h", "within: 9h", "within: 30h")
	if strings.Contains(model, "published") {
		goal = "loss: 0.6, " + goal
	}
	text = fmt.Sprintf("name: drawn\nmodel: %s\nobjectives: [{name: o, %s}]\npolicies: [{name: %s}, {name: %s}]\nmarket:\n  synthetic: {regions: 1, zones: %s}\n"+
		"  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: %s, on_demand_usd_per_h: 3.06%s}]\n", model, goal,
		one("reactive", "spotdnn-safe", "mdp", "skynomad", "wait-or-buy", "safe:reactive"),
		one("ondemand", "uniform-progress", "greedy", "mixed", "dynamic-pricing", "spotdnn"), one("1", "3"), one("4", "6"), failures)
	now := one("60", "3600", "9000")
	held := one("", "{id: a, pool: synthetic-1a/p3.2xlarge, since: 1}",
		"{id: a, pool: on-demand/p3.2xlarge, since: 1, ready: 50}, {id: b, pool: synthetic-1a/p3.2xlarge, since: 2, ready: 59}",
		"{id: a, pool: synthetic-1a/p3.2xlarge, since: 1, ready: 40, gone: 55}")
	return text, fmt.Sprintf("{now: %s, started: 0, done: %s, instances: [%s]}", now, one("0", "0.01", "0.3", "0.9"), held)
}

// drawnCluster draws a spec of many jobs, and a state of them.
func drawnCluster(one func(...string) string, failures string) (text, state string) {
	pools := one("", "  synthetic: {}\n  pools: [{type: p3.2xlarge, gpu: v100, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 3.06}]\n")
	rented := one("", "    - {gpu: v100, gpus: 16, on_demand: true, usd_per_gpu_h: 3.06}\n")
	horizon := one("", "horizon_s: 3000000\n")
	if pools == "" {
		horizon = "horizon_s: 3000000\n"
	}
	text = fmt.Sprintf("name: drawn\n%smarket:\n%s  servers:\n    - {gpu: v100, gpus: 8, count: %s%s}\n%sjobs: {trace: jobs.csv}\n"+
		"model: {gang: {restart_s: 600, save_every_s: 1800, save_s: 30}}\npolicies: [{name: %s}, {name: %s}]\n", horizon, pools, one("2", "3"), failures, rented,
		one("fifo", "gavel", "deadline-edf", "srtf", "tiresias", "las", "deadline-spot", "gavel-agnostic", "dally"),
		one("srsf", "smallest-first", "deadline-greedy", "starburst"))
	state = one("{now: 20000, started: 0, jobs: [{id: a}, {id: b}, {id: c, done: 0.3}]}",
		"{now: 4000, started: 0, jobs: [{id: a}, {id: b, done: 0.1, on: {v100-0: 8}}, {id: c}]}",
		"{now: 4000, started: 0, jobs: [{id: a, done: 0.2, on: {v100-0: 8, v100-1: 8}}, {id: c}]}", "{now: 3000, started: 0}", "{now: 15000, started: 0}")
	return text, state
}
