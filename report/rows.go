package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/marigram/marigram/experiments/results"
)

// Options are what a page takes from elsewhere.
type Options struct {
	// Mean returns the ends of the 95 % interval of the mean of numbers, NaN where
	// there is none; Share those of a share of k in n.
	Mean  func(x []float64) (low, high float64)
	Share func(k, n int) (low, high float64)
	// Verdict says what k in n tell of a share that was asked for: proven, missed, or
	// in other words that they tell neither.
	Verdict func(k, n int, share float64) string
}

// objective is what was asked for, and what became of it.
type objective struct {
	Name     string
	LossGoal float64
	WithinS  float64
	Share    *float64 // of the runs, that is to meet it
	Rows     []*row
}

// Asked says in what share of the runs it is to be met; nothing if that was not stated.
func (o *objective) Asked() string {
	if o.Share == nil {
		return ""
	}
	return fmt.Sprintf(" in %.6g %% of the runs", 100**o.Share)
}

// row is one policy for one objective.
type row struct {
	Policy        string
	Swatch        template.HTML // how figures draw it
	Oracle        bool
	N             int
	Met, Finished int
	MetLow        float64
	MetHigh       float64
	Verdict       string   // on the share that is to meet the objective; empty if none was stated
	SpareS        estimate // of the runs that met it: before the objective's end
	LateS         estimate // of those that finished late: after it
	CostUSD       estimate
	FinishS       estimate // of those that finished
	Preemptions   float64
	InstanceH     float64
	Useful        float64 // share of the instance-hours
	Cheapest      bool    // of the policies that do not know the future and met the objective as often as any
	Hours, USD    ledger
}

// estimate is the mean of N numbers with its 95 % interval and the extremes.
type estimate struct {
	N                         int
	Mean, Low, High, Min, Max float64
}

func (o *Options) estimate(x []float64) estimate {
	if len(x) == 0 {
		return estimate{}
	}
	e := estimate{N: len(x), Mean: mean(x), Min: slices.Min(x), Max: slices.Max(x)}
	e.Low, e.High = o.Mean(x)
	return e
}

// Interval reports whether there is one.
func (e estimate) Interval() bool { return e.Low <= e.High }

// objectives sums the runs up, in their order.
func (o *Options) objectives(rows []results.Summary) []*objective {
	var out []*objective
	groups := map[*row][]results.Summary{}
	for _, s := range rows {
		i := slices.IndexFunc(out, func(x *objective) bool { return x.Name == s.Objective })
		if i < 0 {
			i = len(out)
			out = append(out, &objective{Name: s.Objective, LossGoal: s.ObjectiveLoss, WithinS: s.ObjectiveS, Share: s.ObjectiveShare})
		}
		k := slices.IndexFunc(out[i].Rows, func(x *row) bool { return x.Policy == s.Policy })
		if k < 0 {
			k = len(out[i].Rows)
			out[i].Rows = append(out[i].Rows, &row{Policy: s.Policy, Oracle: s.Oracle})
		}
		groups[out[i].Rows[k]] = append(groups[out[i].Rows[k]], s)
	}
	for _, x := range out {
		for _, r := range x.Rows {
			o.fill(r, groups[r])
			if x.Share != nil {
				r.Verdict = o.Verdict(r.Met, r.N, *x.Share)
			}
		}
		markCheapest(x.Rows)
	}
	return out
}

func (o *Options) fill(r *row, runs []results.Summary) {
	var cost, finish, late, spare []float64
	n := float64(len(runs))
	useful := 0.0
	for i := range runs {
		s := &runs[i]
		cost = append(cost, s.CostUSD)
		if s.Finished {
			r.Finished++
			finish = append(finish, *s.FinishS)
		}
		if s.Met {
			r.Met++
			spare = append(spare, s.ObjectiveS-*s.FinishS)
		}
		if s.MissedByS != nil {
			late = append(late, *s.MissedByS)
		}
		r.Preemptions += float64(s.Preemptions) / n
		r.InstanceH += s.InstanceH / n
		useful += s.UsefulH / n
	}
	r.N = len(runs)
	r.MetLow, r.MetHigh = o.Share(r.Met, r.N)
	r.CostUSD, r.FinishS, r.LateS, r.SpareS = o.estimate(cost), o.estimate(finish), o.estimate(late), o.estimate(spare)
	if r.InstanceH > 0 {
		r.Useful = useful / r.InstanceH
	}
	r.Hours, r.USD = ledgerOf(runs, activities), ledgerOf(runs, bill)
}

// markCheapest marks the cheapest of the policies that met the objective most
// often; those that know the future are no answer to anybody.
func markCheapest(rows []*row) {
	var best *row
	for _, r := range rows {
		switch {
		case r.Oracle, r.Met == 0:
		case best == nil, r.share() > best.share(), r.share() == best.share() && r.CostUSD.Mean < best.CostUSD.Mean:
			best = r
		}
	}
	if best != nil {
		best.Cheapest = true
	}
}

// MissedShare and Unfinished are of all the row's runs.
func (r *row) MissedShare() float64 { return 1 - r.share() }
func (r *row) Unfinished() int      { return r.N - r.Finished }

func (r *row) share() float64 { return float64(r.Met) / float64(r.N) }

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
