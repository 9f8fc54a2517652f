// Package observed makes the tables of a simulated run of what a team recorded of a real
// one, so that figures and programs take both.
package observed

import (
	"errors"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// Policy is what the tables have for the policy of an observed run.
const Policy = "observed"

// mostSpans is about how many intervals a run has: shorter ones in which the same went on
// are one.
const mostSpans = 4000

// Tables returns an observed run as a row of the runs and the intervals of its timeline.
// goal is the number of steps that counts as the whole way; 0: the most that the run has
// done. There is no objective (its time is 0, its loss NaN), no capacity, no rate and no
// loss of intervals. The cost is the bill's, or by prices where there is no bill. A run
// without machines has one pool of which nothing is held. Errors: a run without time.
func Tables(run *ownruns.Run, goal float64) (results.Summary, []results.Span, error) {
	t := run.Timeline()
	if len(t.Stretches) == 0 {
		return results.Summary{}, nil, errors.New("the records of the run are all of one instant: there is nothing to draw")
	}
	if goal == 0 {
		for _, p := range run.Progress().Points {
			goal = max(goal, p.Steps)
		}
	}
	return summary(run, t, goal), spans(run, t, goal), nil
}

func summary(run *ownruns.Run, t *ownruns.Timeline, goal float64) results.Summary {
	end, done := run.Finish()
	p, d, h := run.Progress(), run.Dollars(), t.Hours()
	s := results.Summary{Scenario: run.Name, Policy: Policy, Market: "recorded", ObjectiveLoss: math.NaN(), LossReached: math.NaN(),
		Finished: done, Met: done, HorizonS: run.Since(end), Iterations: p.Steps, Progress: share(p.Steps, goal), Preemptions: int64(p.Interruptions),
		CostUSD: d.PricedUSD}
	if done {
		s.FinishS = &s.HorizonS
	}
	for _, x := range d.ByPool {
		if x.OnDemand {
			s.CostOnDemandUSD += x.USD
		} else {
			s.CostSpotUSD += x.USD
		}
	}
	if d.Charges > 0 {
		s.CostUSD, s.CostOnDemandUSD, s.CostSpotUSD = d.BilledUSD, math.NaN(), math.NaN()
	}
	held := run.Holdings()
	for i := range held {
		s.Grants++
		if held[i].Noticed != ownruns.Missing {
			s.Notices++
		} else if held[i].End == ownruns.Preempted {
			s.Unannounced++
		}
	}
	for a, into := range [sim.Activities]*float64{&s.UsefulH, &s.RedundantH, &s.CheckpointingH, &s.RestoringH, &s.ReconfiguringH, &s.LostH, &s.WaitingH, &s.StartingH} {
		*into = h[a]
		s.InstanceH += h[a]
	}
	return s
}

// share is steps as a part of the goal, 0 to 1.
func share(steps, goal float64) float64 {
	if goal <= 0 {
		return 0
	}
	return min(1, steps/goal)
}

func spans(run *ownruns.Run, t *ownruns.Timeline, goal float64) []results.Span {
	pools := t.Pools
	if len(pools) == 0 {
		pools = []ownruns.Pool{{Name: "not recorded", Type: "machines not recorded"}}
	}
	cost := costOf(run, pools)
	var out []results.Span
	for _, s := range coarser(t.Stretches) {
		usd := cost.until(&s)
		for i, p := range pools {
			row := results.Span{Policy: Policy, Scenario: run.Name, StartS: run.Since(s.From), EndS: run.Since(s.To), Pool: p.Name,
				InstanceType: p.Type, Market: results.Spot, PriceUSDPerH: cost.prices[i].at(s.From), Activity: s.As.String(),
				Progress: share(s.Steps, goal), Loss: math.NaN(), CostUSD: usd}
			if row.InstanceType == "" {
				row.InstanceType = "unknown type"
			}
			if p.OnDemand {
				row.Market = results.OnDemand
			}
			if len(s.Counts) > 0 {
				c := s.Counts[i]
				row.Ready, row.Starting, row.Noticed, row.Waiting = int32(c.Ready), int32(c.Starting), int32(c.Noticed), int32(c.Waiting)
			}
			out = append(out, row)
		}
	}
	return out
}

// coarser joins stretches in which the same went on, where there are many.
func coarser(s []ownruns.Stretch) []ownruns.Stretch {
	least := (s[len(s)-1].To - s[0].From) / mostSpans
	out := s[:0:0]
	for _, x := range s {
		if n := len(out); n > 0 && len(s) > mostSpans && out[n-1].As == x.As && out[n-1].To-out[n-1].From < least && slices.Equal(out[n-1].Counts, x.Counts) {
			out[n-1].To, out[n-1].Steps = x.To, x.Steps
			continue
		}
		out = append(out, x)
	}
	return out
}
