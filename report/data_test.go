package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

func ptr[T any](x T) *T { return &x }

// hostile is text that ends whatever it is written into, unless it is escaped.
const hostile = `</script><script>alert("x")</script>'"><img src=//example.org/x onerror=alert(1)>&amp;`

// synthetic returns a set of two policies and two objectives under some seeds, each
// run with n stretches, two pools and a decision every fifth stretch.
func synthetic(seeds, stretches int) *results.Set {
	luck := rand.New(rand.NewPCG(1, 2))
	set := &results.Set{Provenance: results.Provenance{Version: "1.0", Commit: "abc", SpecName: "made " + hostile, SpecSHA256: "00ff",
		Inputs: []results.Input{{Name: "prices " + hostile, SHA256: "01"}}, Seed: 1, CommandLine: []string{"marigram", "run", "it's.yaml"}, GOARCH: "amd64",
		SchemaVersion: results.SchemaVersion}}
	for _, objective := range []string{"2 h", "9 h " + hostile} {
		for _, policy := range []string{"spotdnn", "mine " + hostile} {
			for seed := range seeds {
				addRun(set, luck, policy, objective, int64(seed), stretches)
			}
		}
	}
	return set
}

func addRun(set *results.Set, luck *rand.Rand, policy, objective string, seed int64, stretches int) {
	n := int64(len(set.Summaries))
	usd, held := 0.0, 0.0
	for k := range stretches {
		from, to := float64(k)*7.25, float64(k+1)*7.25
		ready, price := int32(1+luck.IntN(5)), 1+luck.Float64()
		if k > 0 && k%4 != 0 { // between changes prices alone move
			ready = set.Spans[len(set.Spans)-2].Ready
		}
		usd += (float64(ready)*price + 3) * (to - from) / 3600
		held += float64(ready+1) * (to - from) / 3600
		row := results.Span{Run: n, Policy: policy, Scenario: "made", Objective: objective, Seed: seed, StartS: from, EndS: to,
			Activity: "useful", Progress: float64(k+1) / float64(stretches), CostUSD: usd}
		row.Pool, row.InstanceType, row.Market, row.PriceUSDPerH, row.Ready = "a "+hostile, "p3", results.Spot, price, ready
		set.Spans = append(set.Spans, row)
		row.Pool, row.InstanceType, row.Market, row.PriceUSDPerH, row.Ready = "b", "p3", results.OnDemand, 3, 1
		set.Spans = append(set.Spans, row)
		if k%5 == 0 {
			addDecision(set, n, policy, int64(k/5), from, stretches-k)
		}
	}
	end := float64(stretches) * 7.25
	set.Instances = append(set.Instances,
		results.Instance{Run: n, Policy: policy, Pool: "b", InstanceType: "p3", Market: results.OnDemand, GrantedS: 0, ReadyS: ptr(0.0), EndS: end,
			End: results.Held},
		results.Instance{Run: n, Policy: policy, Pool: "a " + hostile, InstanceType: "p3", Market: results.Spot, GrantedS: 1, ReadyS: ptr(5.0),
			NoticedS: ptr(20.5), EndS: 36.25, End: results.Revoked},
		results.Instance{Run: n, Policy: policy, Pool: "a " + hostile, InstanceType: "p3", Market: results.Spot, Number: 1, GrantedS: 2, EndS: 9,
			End: results.Released})
	s := results.Summary{Run: n, Scenario: "made", Objective: objective, Policy: policy, Seed: seed, Market: "two zones (synthetic) " + hostile,
		Replay: "count_cap", Unit: results.BySeed,
		ObjectiveLoss: 0, ObjectiveS: end * (0.9 + 0.02*float64(seed)), Finished: true, FinishS: &end, Progress: 1, Samples: 1e6,
		CostUSD: usd, CostSpotUSD: usd - 0.3, CostOnDemandUSD: 0.4, RefundUSD: 0.1, Preemptions: 1, InstanceH: held, UsefulH: held * 2 / 3,
		WaitingH: held / 3, HorizonS: 1e6,
		Warnings: "numbers are made; " + hostile}
	if s.Met = end <= s.ObjectiveS; !s.Met {
		s.MissedByS = ptr(end - s.ObjectiveS)
	}
	set.Summaries = append(set.Summaries, s)
}

func addDecision(set *results.Set, run int64, policy string, number int64, at float64, left int) {
	set.Decisions = append(set.Decisions, results.Decision{Run: run, Policy: policy, Number: number, AtS: at, Trigger: "gone", State: "1 b",
		Inputs: fmt.Sprintf("time for training %d s", left), Plan: fmt.Sprintf("%d a", number%7), Reason: "planned again " + hostile, Changed: number%2 == 0,
		RemainingS: float64(left)})
	for k := range 12 {
		c := results.Candidate{Run: run, Policy: policy, Decision: number, AtS: at, Name: fmt.Sprintf("%d a", k), Score: float64(k) + 1/float64(number+3),
			Unit: "USD", Note: hostile, Chosen: int64(k) == number%7}
		if k == 11 {
			c.Score = math.Inf(1)
		}
		set.Candidates = append(set.Candidates, c)
	}
}

// seven are policies of which the last three miss their objective.
var seven = []string{"uniform-progress", "time-sliced", "greedy", "ondemand", "checkpoint", "checkfreq", "varuna"}

// swept is a study of a sweep with two cells, from 40 starts for seven policies, and the
// timelines of one start.
func swept() *Study {
	luck := rand.New(rand.NewPCG(5, 6))
	cell := func(factor float64) *Study {
		s := NewStudy(results.Provenance{Version: "1.0", SpecName: "starts", SpecSHA256: strings.Repeat("0123456789abcdef", 4),
			CommandLine: []string{"marigram", "sweep", "starts.yaml"},
			Inputs:      []results.Input{{Name: "prices.json", SHA256: strings.Repeat("fedcba9876543210", 4)}}})
		for k, policy := range seven {
			late := 0
			if k > 3 {
				late = 9 * (k - 3)
			}
			rows := runsOfPolicy(policy, 40, late, factor*(40+7*float64(k%4)), nil)
			for i := range rows {
				rows[i].StartS = float64(i/2) * 21600
				rows[i].Run, rows[i].Warnings = int64(k*len(rows)+i), "the seeds of one start replay one window of the traces"
				s.Add(&rows[i])
			}
		}
		return s
	}
	s, other := cell(1), cell(1.2)
	s.Sweep = &Sweep{Dir: "starts", Parameters: "market.replay.notice_s 30",
		Cells: []Cell{{Name: "market.replay.notice_s 30", Shown: true, Study: s}, {Name: "market.replay.notice_s 120", Study: other}}}
	typical, _, _ := s.Typical(0)
	set := &results.Set{}
	for k, policy := range seven {
		addRun(set, luck, policy, "1 h", typical%2, 300)
		x := &set.Summaries[k]
		x.Policy, x.Warnings = policy, ""
		x.StartS = float64(typical%80/2) * 21600
	}
	s.Timelines(set)
	return s
}
