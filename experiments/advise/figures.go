package advise

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// FormatVersion is that of Advice as JSON.
const FormatVersion = 1

// central returns how much of an outcome x lies in the middle 90 % and 50 % of continuations, in ascending order: 0 or
// 1, and a part of 1 where it ends alike with continuations that lie on the edge. That is the probability with which
// the randomised probability integral transform of x, in which ties are spread evenly over what they take, lies there
// (Czado, Gneiting and Held, Biometrics 65(4), 2009). If x is drawn as the continuations are, its expectation is 0.9
// and 0.5, however many end alike.
func central(sorted []float64, x float64) (part [2]float64) {
	below, _ := slices.BinarySearch(sorted, x*(1-rounding))
	upto := sort.Search(len(sorted), func(i int) bool { return sorted[i] > x*(1+rounding) })
	n := float64(len(sorted) + 1)
	low, high := float64(below)/n, float64(upto+1)/n
	for i, share := range [...]float64{0.9, 0.5} {
		part[i] = max(min(high, (1+share)/2)-max(low, (1-share)/2), 0) / (high - low)
	}
	return part
}

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
		BlockS:        a.past.block.Seconds(),
		Continuations: a.options.Continuations,
		Seed:          a.spec.Seed,
		SpentUSD:      first.spent,
		Done:          first.done,
		ModelDone:     first.modelled,
		Share:         a.share(),
		Plan:          first.decision.Plan,
		Jobs:          []JobChange{},
		Warnings:      append([]string{}, a.warnings...),
		outcomes:      first.outcomes,
	}
	for i := range a.past.tracks {
		out.TraceS += a.past.tracks[i].until.Sub(a.past.tracks[i].from).Seconds()
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
	out.AtRisk = out.Policies[0].Met < out.Share
	a.work.complete(out, first)
	return out
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
