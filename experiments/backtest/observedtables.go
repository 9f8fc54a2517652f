package backtest

import (
	"cmp"
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
		return results.Summary{}, nil, errors.New("the records of the run are all of one instant: " +
			"there is nothing to draw")
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
	progress := run.Progress()
	s := results.Summary{
		Scenario:      run.Name,
		Policy:        ObservedPolicy,
		Market:        "recorded",
		ObjectiveLoss: math.NaN(),
		LossReached:   math.NaN(),
		Finished:      done,
		Met:           done,
		HorizonS:      run.Since(end),
		Iterations:    progress.Steps,
		Progress:      share(progress.Steps, goal),
		Preemptions:   int64(progress.Interruptions),
	}
	if done {
		s.FinishS = &s.HorizonS
	}
	addDollars(&s, run.Dollars())
	for _, holding := range run.Holdings() {
		s.Grants++
		if holding.Noticed != ownruns.Missing {
			s.Notices++
		} else if holding.End == ownruns.Preempted {
			s.Unannounced++
		}
	}
	hours := t.Hours()
	s.UsefulH = hours[sim.Useful]
	s.RedundantH = hours[sim.Redundant]
	s.CheckpointingH = hours[sim.Checkpointing]
	s.RestoringH = hours[sim.Restoring]
	s.ReconfiguringH = hours[sim.Reconfiguring]
	s.LostH = hours[sim.Redone]
	s.WaitingH = hours[sim.Waiting]
	s.StartingH = hours[sim.Starting]
	for _, h := range hours {
		s.InstanceH += h
	}
	return s
}

// addDollars fills in what the run cost: its bill, which says nothing of markets, or else instance time at the recorded
// prices.
func addDollars(s *results.Summary, dollars ownruns.Dollars) {
	if dollars.Charges > 0 {
		s.CostUSD = dollars.BilledUSD
		s.CostOnDemandUSD = math.NaN()
		s.CostSpotUSD = math.NaN()
		return
	}
	s.CostUSD = dollars.PricedUSD
	for _, pool := range dollars.ByPool {
		if pool.OnDemand {
			s.CostOnDemandUSD += pool.USD
		} else {
			s.CostSpotUSD += pool.USD
		}
	}
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
	var rows []results.Span
	for _, stretch := range joinStretches(t.Stretches) {
		usd := cost.until(&stretch)
		for i, pool := range pools {
			row := results.Span{
				Policy:       ObservedPolicy,
				Scenario:     run.Name,
				StartS:       run.Since(stretch.From),
				EndS:         run.Since(stretch.To),
				Pool:         pool.Name,
				InstanceType: cmp.Or(pool.Type, "unknown type"),
				Market:       results.Spot,
				PriceUSDPerH: cost.prices[i].at(stretch.From),
				Activity:     stretch.As.String(),
				Progress:     share(stretch.Steps, goal),
				Loss:         math.NaN(),
				CostUSD:      usd,
			}
			if pool.OnDemand {
				row.Market = results.OnDemand
			}
			if len(stretch.Counts) > 0 {
				count := stretch.Counts[i]
				row.Ready = int32(count.Ready)
				row.Starting = int32(count.Starting)
				row.Noticed = int32(count.Noticed)
				row.Waiting = int32(count.Waiting)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// joinStretches joins short stretches in which the same went on, where there are more than a figure can show.
func joinStretches(stretches []ownruns.Stretch) []ownruns.Stretch {
	if len(stretches) <= maxSpans {
		return stretches
	}
	shortest := (stretches[len(stretches)-1].To - stretches[0].From) / maxSpans
	var joined []ownruns.Stretch
	for _, next := range stretches {
		if len(joined) > 0 {
			last := &joined[len(joined)-1]
			if last.As == next.As && last.To-last.From < shortest && slices.Equal(last.Counts, next.Counts) {
				last.To = next.To
				last.Steps = next.Steps
				continue
			}
		}
		joined = append(joined, next)
	}
	return joined
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
	p.from = append(p.from, at)
	p.usd = append(p.usd, usd)
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
		event := &run.Events[i]
		switch event.Kind {
		case ownruns.Price:
			own[key(event)] = true
		case ownruns.Charge:
			c.charges = append(c.charges, *event)
			c.billed = true
		}
	}
	for i, pool := range pools {
		pool.Name = ""
		if !own[pool] {
			pool.Zone = "" // prices without a zone are those of all zones that have none of their own
		}
		for k := range run.Events {
			event := &run.Events[k]
			if event.Kind == ownruns.Price && key(event) == pool {
				c.prices[i].add(event.T, event.Value)
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
