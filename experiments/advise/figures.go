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

// Advice is what a policy would do now, and what that is expected to lead to. Times are seconds from the start of
// the job.
type Advice struct {
	Version       int         `json:"version" jsonschema:"version of this form"`
	Spec          string      `json:"spec" jsonschema:"name of the spec"`
	Objective     string      `json:"objective" jsonschema:"name of the objective"`
	Now           string      `json:"now" jsonschema:"the present, as the state has it"`
	ElapsedS      float64     `json:"elapsed_s" jsonschema:"seconds from the start until now"`
	DeadlineS     float64     `json:"deadline_s" jsonschema:"seconds from the start until the deadline; of many jobs until the next one, 0 if none has one"`
	TraceAgeS     float64     `json:"trace_age_s" jsonschema:"seconds from the last change that the traces have until now"`
	TraceS        float64     `json:"trace_s" jsonschema:"seconds of traces of which continuations are made"`
	BlockS        float64     `json:"block_s" jsonschema:"mean length of the blocks of trace that continuations are made of"`
	Continuations int         `json:"continuations" jsonschema:"number of continuations that were simulated for each policy"`
	Seed          int64       `json:"seed" jsonschema:"seed of the random numbers"`
	SpentUSD      float64     `json:"spent_usd" jsonschema:"what was paid until now"`
	Done          float64     `json:"done" jsonschema:"share of the training that is done; of many jobs the mean"`
	ModelDone     float64     `json:"model_done" jsonschema:"the share that the model says for what was held until now"`
	Share         float64     `json:"share" jsonschema:"share of the continuations in which the objective has to be met"`
	AtRisk        bool        `json:"at_risk" jsonschema:"whether the policy meets the objective in a smaller share; of many jobs whether a deadline is at risk"`
	Plan          Plan        `json:"plan" jsonschema:"what the policy would do now"`
	Jobs          []JobChange `json:"jobs" jsonschema:"of many jobs: what is to become of each, and what is expected of it"`
	Policies      []Row       `json:"policies" jsonschema:"what is expected of the policy, which is the first, and of the others in its place"`
	Warnings      []string    `json:"warnings" jsonschema:"why the figures may mislead"`

	outcomes []outcome // of the first policy's continuations
}

// Plan is a decision.
type Plan struct {
	Policy     string      `json:"policy" jsonschema:"name of the policy"`
	Changes    []Change    `json:"pools" jsonschema:"what to do, by pool; pools of which nothing is held and asked for are left out"`
	Save       bool        `json:"save" jsonschema:"save a checkpoint now"`
	Servers    int         `json:"parameter_servers" jsonschema:"parameter servers to hold"`
	Pipelines  int         `json:"pipelines" jsonschema:"pipelines of a pipelined job; 0 trains data-parallel"`
	Stages     int         `json:"stages" jsonschema:"stages of each"`
	NextS      *float64    `json:"next_s" jsonschema:"seconds from the start until the policy decides again at the latest; null: when something happens"`
	Reason     string      `json:"reason" jsonschema:"why, in the policy's words; may be empty"`
	Inputs     []Input     `json:"inputs" jsonschema:"numbers that the decision rests on"`
	Candidates []Candidate `json:"candidates" jsonschema:"what was weighed up"`
}

// Input is a number that a decision rests on.
type Input struct {
	Name  string   `json:"name" jsonschema:"its name"`
	Value *float64 `json:"value" jsonschema:"its value; null: not finite"`
	Unit  string   `json:"unit" jsonschema:"its unit; empty for a count or a share"`
}

// Candidate is an option that was weighed up.
type Candidate struct {
	Name   string   `json:"name" jsonschema:"a cluster, a layout or an action"`
	Score  *float64 `json:"score" jsonschema:"what candidates were compared by; null: not finite"`
	Unit   string   `json:"unit" jsonschema:"unit of the score"`
	Note   string   `json:"note" jsonschema:"another reason"`
	Chosen bool     `json:"chosen" jsonschema:"whether it was chosen"`
}

// Row is what is expected of a policy from now on.
type Row struct {
	Policy      string    `json:"policy" jsonschema:"name of the policy"`
	Met         float64   `json:"met" jsonschema:"share of the continuations in which it meets the objective; of many jobs all deadlines"`
	MetLow      float64   `json:"met_low" jsonschema:"lower end of the 95 % interval of that share, of as many draws"`
	MetHigh     float64   `json:"met_high" jsonschema:"upper end"`
	MeanUSD     float64   `json:"mean_usd" jsonschema:"mean cost in all, what was spent included"`
	USD         Quantiles `json:"usd" jsonschema:"quantiles of the cost in all"`
	FinishS     Quantiles `json:"finish_s" jsonschema:"quantiles of the finish, of many jobs of the last one, seconds from the start; null: not by the horizon"`
	MeanJCTS    *float64  `json:"mean_jct_s" jsonschema:"of many jobs: mean seconds from submission to the end of those that are there, over all continuations; null: of one job, or not all end"`
	MoreUSD     float64   `json:"more_usd" jsonschema:"mean of how much more it costs than the first policy, on the same continuations"`
	MoreUSDLow  float64   `json:"more_usd_low" jsonschema:"lower end of the 95 % interval of that mean"`
	MoreUSDHigh float64   `json:"more_usd_high" jsonschema:"upper end"`
}

// Quantiles are those of the continuations: between P05 and P95 lie 90 % of them, between P25 and P75 one half. Nil
// is more than what was simulated.
type Quantiles struct {
	P05 *float64 `json:"p05" jsonschema:"5 % are below"`
	P25 *float64 `json:"p25" jsonschema:"25 % are below"`
	P50 *float64 `json:"p50" jsonschema:"the median"`
	P75 *float64 `json:"p75" jsonschema:"75 % are below"`
	P95 *float64 `json:"p95" jsonschema:"95 % are below"`
}

// rounding is the difference of two outcomes that are alike, a share of them.
const rounding = 1e-9

// Covers reports whether x, +Inf for an end that did not come, lies in the interval of 90 % or of 50 %.
func (q *Quantiles) Covers(x float64) (ninety, fifty bool) {
	in := func(low, high *float64) bool {
		return x >= orInf(low)*(1-rounding) && x <= orInf(high)*(1+rounding)
	}
	return in(q.P05, q.P95), in(q.P25, q.P75)
}

func orInf(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}

// central returns how much of an outcome x lies in the middle 90 % and 50 % of continuations, in ascending order: 0 or 1, and a part of 1
// where it ends alike with continuations that lie on the edge. That is the probability with which the randomised probability integral
// transform of x, in which ties are spread evenly over what they take, lies there (Czado, Gneiting and Held, Biometrics 65(4), 2009).
// If x is drawn as the continuations are, its expectation is 0.9 and 0.5, however many end alike.
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
		r := row(a.name(i), trials[i].outcomes, first.outcomes)
		r.MeanJCTS = a.meanJCT(trials[i].outcomes)
		out.Policies = append(out.Policies, r)
	}
	out.AtRisk, out.Jobs = out.Policies[0].Met < out.Share, []JobChange{}
	if next := first.decision.next; next != sim.Never && next > now {
		at := next.Sub(a.record.started).Seconds()
		out.Plan.NextS = &at
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
	out := Plan{Policy: policy, Changes: append([]Change{}, d.Changes...), Save: d.Save, Servers: d.Servers, Pipelines: d.Pipelines, Stages: d.Stages,
		Reason: d.Reason, Inputs: []Input{}, Candidates: []Candidate{}}
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
