package reference

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// replayed gives out the shares that a policy of the simulator gave out.
type replayed struct {
	calls [][]recordedShare
	next  int
}

// recordedShare is a share of one model.
type recordedShare struct {
	a, b, model int
	x           float64
}

// Share implements share.Rule, where no jobs share GPUs.
func (r *replayed) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	var pairs PairShares
	r.SharePairs(&PairInput{Input: *in}, &pairs)
	for k, u := range pairs.Units {
		copy(x.Add(u.A, len(in.GPUs)), pairs.X[k])
	}
}

// SharePairs implements PairRule.
func (r *replayed) SharePairs(in *PairInput, x *PairShares) {
	x.reset()
	at := map[int]int{}
	for i := range in.Jobs {
		at[in.Jobs[i].ID] = i
	}
	var now []recordedShare
	if r.next < len(r.calls) {
		now = r.calls[r.next]
	}
	r.next++
	units := map[Unit]int{}
	for _, s := range now {
		u := Unit{A: at[s.a], B: Alone}
		if s.b != Alone {
			u.B = at[s.b]
		}
		k, known := units[u]
		if !known {
			k = len(x.Units)
			units[u] = k
			x.add(u, len(in.GPUs))
		}
		x.X[k][s.model] = s.x
	}
}

// allocations returns the recorded shares of a trace by policy; nil where none are.
func allocations(t *testing.T, trace string) map[string]*replayed {
	file := oracles + "gavel_rounds_" + trace + "_allocations.csv"
	if !testutil.Has(t, file) {
		return nil
	}
	model := map[string]int{"k80": 0, "p100": 1, "v100": 2}
	out := map[string]*replayed{}
	for _, row := range testutil.Rows(t, file) {
		r := out[row["policy"]]
		if r == nil {
			r = &replayed{}
			out[row["policy"]] = r
		}
		k := int(testutil.Number(t, row["recompute"]))
		for len(r.calls) <= k {
			r.calls = append(r.calls, nil)
		}
		first, second, pair := strings.Cut(row["job_id"], "+")
		s := recordedShare{b: Alone, model: model[row["gpu_type"]], x: testutil.Number(t, row["fraction"])}
		s.a, _ = strconv.Atoi(first)
		if pair {
			s.b, _ = strconv.Atoi(second)
		}
		r.calls[k] = append(r.calls[k], s)
	}
	return out
}

// gcpPrices are the prices of Gavel's simulator, USD per GPU-hour: K80, P100, V100.
var gcpPrices = []float64{0.135, 0.43, 0.74}

// The policies with a linear program, whose optima are not unique: with the recorded shares,
// every job's completion time and cost, to 1e-9.
func TestReplayedShares(t *testing.T) {
	check := near.Count(t)
	compared, costs := map[string]int{}, 0
	for _, tr := range traces(t) {
		for policy, rule := range allocations(t, tr.name) {
			c := Config{Jobs: tr.jobs, GPUs: tr.gpus, Order: fastestFirst, Seed: tr.seed, Pairs: rule, Price: gcpPrices}
			c.Shuffle = policy == "max_min_fairness" || policy == "finish_time_fairness"
			if strings.HasSuffix(policy, "_packed") {
				c.Together = tr.together(t)
			}
			got := Run(c)
			compared[policy] += tr.compare(t, policy, got)
			if tr.total(t, policy, got) {
				compared["means of runs"]++
			}
			if tr.rows[0]["usd__"+policy] == "" {
				continue
			}
			for i, r := range tr.rows {
				if want := testutil.Number(t, r["usd__"+policy]); check.Off(got[i].USD, want, 1e-9*want) {
					t.Errorf("%s, %s, job %d: %v USD, the simulator has %v", tr.name, policy, i, got[i].USD, want)
				}
				costs++
			}
		}
	}
	t.Logf("jobs compared: %v; costs: %d", compared, costs)
}

// Who runs where in the first rounds, of every recorded simulation and policy.
func TestFirstRounds(t *testing.T) {
	compared := map[string]int{}
	for _, tr := range traces(t) {
		file := oracles + "gavel_rounds_" + tr.name + "_first_rounds.csv"
		if !testutil.Has(t, file) {
			continue
		}
		want, last := map[string]map[string]bool{}, map[string]float64{}
		for _, r := range testutil.Rows(t, file) {
			if want[r["policy"]] == nil {
				want[r["policy"]] = map[string]bool{}
			}
			at := testutil.Number(t, r["start_s"])
			want[r["policy"]][fmt.Sprintf("%.6f %s %s", at, r["job_id"], r["gpu_type"])] = true
			last[r["policy"]] = max(last[r["policy"]], at)
		}
		for policy, rows := range want {
			c, exact := tr.config(t, policy)
			if rule := allocations(t, tr.name)[policy]; !exact && rule != nil {
				c.Pairs = rule
				c.Shuffle = policy == "max_min_fairness" || policy == "finish_time_fairness"
			} else if !exact {
				t.Errorf("%s: no rule and no shares for %s", tr.name, policy)
				continue
			}
			got := 0
			c.Watch = func(start float64, a, b, model int) {
				if start > last[policy]+1e-6 {
					return
				}
				job := strconv.Itoa(a)
				if b != Alone {
					job += "+" + strconv.Itoa(b)
				}
				if got++; !rows[fmt.Sprintf("%.6f %s %s", start, job, []string{"k80", "p100", "v100"}[model])] {
					t.Errorf("%s, %s: job %s runs on model %d at %v s; the simulator does not do that", tr.name, policy, job, model, start)
				}
			}
			Run(c)
			if got != len(rows) {
				t.Errorf("%s, %s: %d units in the first rounds, recorded %d", tr.name, policy, got, len(rows))
			}
			compared[policy] += got
		}
	}
	t.Logf("compared: %v", compared)
}
