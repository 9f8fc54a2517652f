package advise

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// FormatVersion is that of Advice as JSON.
const FormatVersion = 1

// quantilesOf is the band of 90 %, that of 50 % and the median.
func quantilesOf(x []float64) Quantiles {
	sorted := slices.Sorted(slices.Values(x))
	at := func(share float64) *float64 { return stats.FiniteOrNil(stats.OuterRank(sorted, share)) }
	return Quantiles{at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)}
}

// advice puts the figures together.
func (a *adviser) advice(trials []trial) *Advice {
	now, started := a.record.now, a.record.started
	first := &trials[0]
	out := &Advice{
		Version:       FormatVersion,
		Spec:          a.spec.Name,
		Objective:     a.spec.Objectives[a.goal].Name,
		Now:           a.state.Now,
		ElapsedS:      now.Sub(started).Seconds(),
		DeadlineS:     a.work.nextDeadlineS(),
		TraceAgeS:     now.Sub(a.lastChange()).Seconds(),
		Continuations: a.options.Continuations,
		Seed:          a.spec.Seed,
		SpentUSD:      first.spent,
		Done:          first.done,
		ModelDone:     first.modelled,
		Share:         a.share(),
		Plan:          first.decision.Plan,
		Jobs:          []JobChange{},
		Warnings:      append([]string{}, a.warnings...),
	}
	if a.changes() {
		out.BlockS = a.past.block.Seconds()
		for i := range a.past.tracks {
			out.TraceS += a.past.tracks[i].until.Sub(a.past.tracks[i].from).Seconds()
		}
	}
	out.Plan.Policy = a.spec.Policies[0].Name
	if next := first.decision.next; next != sim.Never && next > now {
		out.Plan.NextS = new(next.Sub(started).Seconds())
	}
	for i := range trials {
		if err := trials[i].err(); err != nil {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s is left out of the comparison: %v", a.name(i), err))
			continue
		}
		r := row(a.name(i), trials[i].outcomes, first.outcomes)
		r.MeanJCTS = a.work.meanCompletionS(trials[i].outcomes)
		out.Policies = append(out.Policies, r)
	}
	a.expect(out, first.outcomes)
	out.AtRisk = out.Policies[0].Met < out.Share
	a.work.complete(out, first)
	return out
}

// expect keeps the forecasts of the policy that decides, and widens its intervals by the scores if there are any.
func (a *adviser) expect(out *Advice, first []outcome) {
	var costs, finishes []float64
	for i := range first {
		costs = append(costs, first[i].usd)
		finishes = append(finishes, first[i].finish)
	}
	out.cost = newForecast(costs, out.Done, out.SpentUSD, math.Inf(1))
	out.finish = newForecast(finishes, out.Done, out.ElapsedS, a.end.Sub(a.record.started).Seconds())
	if a.options.Scores == nil {
		return
	}
	known := a.options.Scores.issueAt(a.record.now.Sub(0).Seconds())
	if !known.adapts() {
		out.Warnings = append(out.Warnings, fmt.Sprintf("of the scores %d are of runs that were over by now: "+
			"from %d on they widen intervals, which stay as the continuations say", known.known, fewOutcomes))
		return
	}
	row := &out.Policies[0]
	row.USD, row.FinishS, row.Calibration = calibrate(out.cost, out.finish, known)
}

// name is that of a policy in the table.
func (a *adviser) name(i int) string {
	name := a.spec.Policies[i].Name
	if i > 0 && name == OnDemand {
		name += " from now"
	}
	return name
}

// row sums a policy's continuations up.
func row(name string, all, first []outcome) Row {
	var usd, finish []float64
	var met, more intervals.Tally
	sum := 0.0
	for k := range all {
		x := &all[k]
		unit := intervals.Unit{Seed: int64(k)}
		met.AddHit(unit, x.met)
		more.Add(unit, x.usd-first[k].usd)
		usd = append(usd, x.usd)
		finish = append(finish, x.finish)
		sum += x.usd
	}
	share := met.Share()
	r := Row{
		Policy:  name,
		Met:     met.Mean(),
		MetLow:  share.Low,
		MetHigh: share.High,
		MeanUSD: sum / float64(len(all)),
		USD:     quantilesOf(usd),
		FinishS: quantilesOf(finish),
		MoreUSD: more.Mean(),
	}
	r.MoreUSDLow = r.MoreUSD
	r.MoreUSDHigh = r.MoreUSD
	if i := more.MeanInterval(); i != nil {
		r.MoreUSDLow = i.Low
		r.MoreUSDHigh = i.High
	}
	return r
}

// Elapsed is a time for people, such as 1h23m45s.
func Elapsed(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
