package backtest

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// ObservedPolicy is what the tables have for the policy of an observed run.
const ObservedPolicy = "observed"

// maxSpans is about how many intervals a run has: shorter ones in which the same went on
// are one.
const maxSpans = 4000

// ObservedTables returns an observed run as a row of the runs and the intervals of its timeline.
// goal is the number of steps that counts as the whole way; 0: the most that the run has
// done. There is no objective (its time is 0, its loss NaN), no capacity, no rate and no
// loss of intervals. The cost is the bill's, or by prices where there is no bill. A run
// without machines has one pool of which nothing is held. Errors: a run without time.
func ObservedTables(run *ownruns.Run, goal float64) (results.Summary, []results.Span, error) {
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
	s := results.Summary{Scenario: run.Name, Policy: ObservedPolicy, Market: "recorded", ObjectiveLoss: math.NaN(), LossReached: math.NaN(),
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
	for a, into := range [sim.Activities]*float64{&s.UsefulH, &s.RedundantH, &s.CheckpointingH, &s.RestoringH, &s.ReconfiguringH, &s.LostH, &s.WaitingH,
		&s.StartingH} {
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
			row := results.Span{Policy: ObservedPolicy, Scenario: run.Name, StartS: run.Since(s.From), EndS: run.Since(s.To), Pool: p.Name,
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
	smallest := (s[len(s)-1].To - s[0].From) / maxSpans
	out := s[:0:0]
	for _, x := range s {
		if n := len(out); n > 0 && len(s) > maxSpans && out[n-1].As == x.As && out[n-1].To-out[n-1].From < smallest && slices.Equal(out[n-1].Counts, x.Counts) {
			out[n-1].To, out[n-1].Steps = x.To, x.Steps
			continue
		}
		out = append(out, x)
	}
	return out
}

// priceLine is the price of a pool over time, with its integral.
type priceLine struct {
	from []int64   // us
	usd  []float64 // per hour, from each of them on
	paid []float64 // by one machine until then, since the first
}

// place is the last price at or before an instant, -1 before the first.
func (p *priceLine) place(at int64) int {
	return sort.Search(len(p.from), func(i int) bool { return p.from[i] > at }) - 1
}

// at is the price at an instant, 0 where it is not known.
func (p *priceLine) at(us int64) float64 {
	if i := p.place(us); i >= 0 {
		return p.usd[i]
	}
	return 0
}

// until is what one machine pays until an instant.
func (p *priceLine) until(us int64) float64 {
	i := p.place(us)
	if i < 0 {
		return 0
	}
	return p.paid[i] + p.usd[i]*float64(us-p.from[i])/3600e6
}

func (p *priceLine) add(at int64, usd float64) {
	p.paid = append(p.paid, p.until(at))
	p.from, p.usd = append(p.from, at), append(p.usd, usd)
}

// cost is what the run has cost over time: by its bill, or by prices where there is none.
type cost struct {
	prices  []priceLine // by pool
	charges []ownruns.Event
	billed  bool
	usd     float64
}

func costOf(run *ownruns.Run, pools []ownruns.Pool) *cost {
	c := &cost{prices: make([]priceLine, len(pools))}
	own := map[ownruns.Pool]bool{} // prices of a zone
	key := func(e *ownruns.Event) ownruns.Pool {
		return ownruns.Pool{Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand}
	}
	for i := range run.Events {
		switch e := &run.Events[i]; e.Kind {
		case ownruns.Price:
			own[key(e)] = true
		case ownruns.Charge:
			c.charges, c.billed = append(c.charges, *e), true
		}
	}
	for i, p := range pools {
		p.Name = ""
		if !own[p] {
			p.Zone = ""
		}
		for k := range run.Events {
			if e := &run.Events[k]; e.Kind == ownruns.Price && key(e) == p {
				c.prices[i].add(e.T, e.Value)
			}
		}
	}
	return c
}

// until is what the run has cost until the end of a stretch. Stretches come in order.
func (c *cost) until(s *ownruns.Stretch) float64 {
	if c.billed {
		for len(c.charges) > 0 && c.charges[0].T < s.To {
			c.usd += c.charges[0].Value
			c.charges = c.charges[1:]
		}
		return c.usd
	}
	for i, n := range s.Counts {
		c.usd += float64(n.Held()) * (c.prices[i].until(s.To) - c.prices[i].until(s.From))
	}
	return c.usd
}
