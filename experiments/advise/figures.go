package advise

import (
	"fmt"
	"math"
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
	now := a.record.now
	first := &trials[0]
	out := &Advice{Version: FormatVersion, Spec: a.spec.Name, Objective: a.spec.Objectives[a.goal].Name, Now: a.state.Now,
		ElapsedS: now.Sub(a.record.started).Seconds(), DeadlineS: a.deadlineS(), TraceAgeS: now.Sub(a.lastChange()).Seconds(),
		BlockS: a.past.block.Seconds(), Continuations: a.options.Continuations, Seed: a.spec.Seed,
		SpentUSD: first.spent, Done: first.done, ModelDone: first.modelled, Share: a.share(), Warnings: append([]string{}, a.warnings...), outcomes: first.outcomes}
	for i := range a.past.tracks {
		out.TraceS += a.past.tracks[i].until.Sub(a.past.tracks[i].from).Seconds()
	}
	out.Plan = first.decision.plan(a.spec.Policies[0].Name)
	for i := range trials {
		if err := trials[i].err(); err != nil {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s is left out of the comparison: %v", a.name(i), err))
			continue
		}
		r := row(a.name(i), trials[i].outcomes, first.outcomes)
		r.MeanJCTS = a.meanJCT(trials[i].outcomes)
		out.Policies = append(out.Policies, r)
	}
	out.AtRisk, out.Jobs = out.Policies[0].Met < out.Share, []JobChange{}
	if next := first.decision.next; next != sim.Never && next > now {
		out.Plan.NextS = new(next.Sub(a.record.started).Seconds())
	}
	if a.many != nil {
		out.Jobs = a.expected(&first.decision, first.outcomes)
		out.AtRisk = slices.ContainsFunc(out.Jobs, func(j JobChange) bool { return j.AtRisk })
		return out
	}
	if off := first.done - first.modelled; math.Abs(off) > 0.05*max(first.done, first.modelled) && math.Abs(off) > 0.01 {
		said := fmt.Sprintf("%.1f %% of the training is done, but the model says %.1f %% for the instances of the state", 100*first.done, 100*first.modelled)
		const slowest, fastest = 0.01, 100 // as State.Speed can be
		if speed := first.done / first.modelled * speedOr(a.state.Speed); speed >= slowest && speed <= fastest {
			said += fmt.Sprintf(": if these are all that it ever had, speed: %.3g in the state, or a model that is calibrated, agrees with it", speed)
		}
		out.Warnings = append(out.Warnings, said)
	}
	return out
}

func speedOr(x float64) float64 {
	if x > 0 {
		return x
	}
	return 1
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
	mean := 0.0
	for k := range all {
		x := &all[k]
		u := intervals.Unit{Seed: int64(k)}
		met.AddHit(u, x.met)
		more.Add(u, x.usd-first[k].usd)
		usd, finish = append(usd, x.usd), append(finish, x.finish)
		mean += x.usd
	}
	share := met.Share()
	r := Row{Policy: name, Met: met.Mean(), MetLow: share.Low, MetHigh: share.High, MeanUSD: mean / float64(len(all)),
		USD: quantilesOf(usd), FinishS: quantilesOf(finish), MoreUSD: more.Mean()}
	r.MoreUSDLow, r.MoreUSDHigh = r.MoreUSD, r.MoreUSD
	if i := more.MeanInterval(); i != nil {
		r.MoreUSDLow, r.MoreUSDHigh = i.Low, i.High
	}
	return r
}

// plan puts a decision into the form of Advice.
func (d *decision) plan(policy string) Plan {
	out := Plan{
		Policy:     policy,
		AtMost:     d.atMost,
		Order:      append([]string{}, d.order...),
		HandOver:   append([]Where{}, d.handOver...),
		Changes:    append([]Change{}, d.Changes...),
		Save:       d.Save,
		Servers:    d.Servers,
		Pipelines:  d.Pipelines,
		Stages:     d.Stages,
		Reason:     d.Reason,
		Inputs:     []Input{},
		Candidates: []Candidate{},
	}
	for _, x := range d.Inputs {
		out.Inputs = append(out.Inputs, Input{x.Name, stats.FiniteOrNil(x.Value), x.Unit})
	}
	for _, x := range d.Candidates {
		out.Candidates = append(out.Candidates, Candidate{x.Name, stats.FiniteOrNil(x.Score), x.Unit, x.Note, x.Chosen})
	}
	return out
}

// Elapsed is a time for people, such as 1h23m45s.
func Elapsed(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

var _ sim.Recorder = (*decisionRecorder)(nil)

// expected adds to what is to become of the jobs what is expected of them.
func (a *adviser) expected(d *decision, all []outcome) []JobChange {
	out := append([]JobChange{}, d.jobs...)
	for i := range out {
		j := a.many.of(out[i].Job)
		of, met := &a.many.jobs[j], 0
		var finish []float64
		for k := range all {
			finish = append(finish, all[k].jobs[j])
			if inTime(of, all[k].jobs[j]) {
				met++
			}
		}
		if of.Objective.Within != sim.NoDeadline {
			out[i].DeadlineS = new((of.Submit + of.Objective.Within).Seconds())
		}
		out[i].FinishS, out[i].Met = quantilesOf(finish), float64(met)/float64(len(all))
		out[i].AtRisk = out[i].Met < a.share()
	}
	return out
}

// deadlineS is the deadline, of many jobs the next; 0: there is none.
func (a *adviser) deadlineS() float64 {
	if a.many == nil {
		return a.objective().Within.Seconds()
	}
	next := math.Inf(1)
	for j := range a.many.jobs {
		x := &a.many.jobs[j]
		at := (x.Submit + x.Objective.Within).Seconds()
		if x.Objective.Within != sim.NoDeadline && at > a.record.now.Sub(a.record.started).Seconds() {
			next = min(next, at)
		}
	}
	if math.IsInf(next, 1) {
		return 0
	}
	return next
}

// meanJCT is the mean time from submission to the end of the jobs, s, over all continuations; nil where one does not
// end.
func (a *adviser) meanJCT(all []outcome) *float64 {
	if a.many == nil {
		return nil
	}
	sum := 0.0
	for k := range all {
		for j, at := range all[k].jobs {
			sum += at - a.many.jobs[j].Submit.Seconds()
		}
	}
	return stats.FiniteOrNil(sum / float64(len(all)*len(a.many.jobs)))
}
