package plots

import (
	"math"
	"math/rand/v2"

	"github.com/marigram/marigram/experiments/results"
)

func ptr[T any](v T) *T { return &v }

// walk makes the spans of a run of about hours on three pools of two types
// whose prices and capacities wander, and its summary.
func walk(number int64, policy string, seed uint64, hours float64) (results.Summary, []results.Span) {
	dice := rand.New(rand.NewPCG(seed, 7))
	pools := []results.Span{
		{Pool: "us-east-1a p3.2xlarge", InstanceType: "p3.2xlarge", Market: results.Spot, PriceUSDPerH: 0.92},
		{Pool: "us-east-1b p3.2xlarge", InstanceType: "p3.2xlarge", Market: results.Spot, PriceUSDPerH: 1.05},
		{Pool: "us-east-1a g4dn.xlarge", InstanceType: "g4dn.xlarge", Market: results.Spot, PriceUSDPerH: 0.16},
		{Pool: "p3.2xlarge on demand", InstanceType: "p3.2xlarge", Market: results.OnDemand, PriceUSDPerH: 3.06},
	}
	capacity := []int32{8, 4, 16, 0}
	var spans []results.Span
	at, cost, progress := 0.0, 0.0, 0.0
	for at < hours*3600 {
		end := at + 200 + 3000*dice.Float64()
		held := int32(0)
		for i := range pools {
			p := &pools[i]
			p.Run, p.Policy, p.Scenario, p.Objective = number, policy, "two zones", "loss 0.5 in 12 h"
			p.StartS, p.EndS = at, end
			if p.Market == results.Spot {
				p.PriceUSDPerH = math.Round(1e4*p.PriceUSDPerH*(0.97+0.06*dice.Float64())) / 1e4
				capacity[i] = max(0, capacity[i]+dice.Int32N(5)-2)
				p.Capacity = ptr(capacity[i])
				p.Ready = min(capacity[i], 6)
				p.Noticed = min(p.Ready, dice.Int32N(2))
				p.Ready -= p.Noticed
			} else if at > 0.6*hours*3600 {
				p.Ready, p.Starting = 3, 1
			}
			held += p.Held()
			cost += float64(p.Held()) * p.PriceUSDPerH * (end - at) / 3600
		}
		progress = min(1, progress+float64(held)*(end-at)/(20*hours*3600))
		for i := range pools {
			pools[i].Progress, pools[i].CostUSD = progress, cost
		}
		spans = append(spans, pools...)
		at = end
	}
	return results.Summary{Run: number, Scenario: "two zones", Objective: "loss 0.5 in 12 h", Policy: policy, Seed: int64(seed),
		Market: "two-zones (synthetic)", ObjectiveS: 43200, Finished: true, FinishS: ptr(at), Met: at <= 43200, CostUSD: cost}, spans
}

// study makes runs of some policies for two objectives.
func study(runs int) (rows []results.Summary) {
	dice := rand.New(rand.NewPCG(1, 7))
	for k, objective := range []string{"loss 0.5 in 12 h", "loss 0.4 in 24 h"} {
		for i, policy := range []string{"ondemand", "reactive", "spotdnn", "parcae"} {
			for seed := range runs {
				s := results.Summary{Run: int64(len(rows)), Scenario: "two zones", Objective: objective, Policy: policy, Seed: int64(seed),
					Market: "two-zones (synthetic)", ObjectiveS: 43200 * float64(k+1), CostUSD: 90 * float64(k+1)}
				finish := s.ObjectiveS * (0.93 + 0.02*float64(i))
				if policy != "ondemand" {
					finish *= 1 + 0.08*dice.NormFloat64()
					s.CostUSD = s.CostUSD * (0.5 - 0.07*float64(i)) * (1 + 0.12*dice.NormFloat64())
				}
				if policy == "reactive" && seed%7 == 3 {
					rows = append(rows, s)
					continue
				}
				s.Finished, s.FinishS, s.Met = true, &finish, finish <= s.ObjectiveS
				rows = append(rows, s)
			}
		}
	}
	return rows
}
