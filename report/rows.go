package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

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
	MetCI         intervals.Interval
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

// estimate is N numbers of at least 0: their mean with its interval, and the largest.
type estimate struct {
	intervals.Tally
	N   int
	Max float64
}

func (e *estimate) add(u intervals.Unit, x float64) {
	e.Add(u, x)
	e.N++
	e.Max = max(e.Max, x)
}

// objectives sums the runs up, in their order.
func objectives(rows []results.Summary) []*objective {
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
			r.fill(groups[r])
			if x.Share != nil {
				r.Verdict = r.MetCI.Verdict(*x.Share)
			}
		}
		markCheapest(x.Rows)
	}
	return out
}

func (r *row) fill(runs []results.Summary) {
	var met intervals.Tally
	n := float64(len(runs))
	useful := 0.0
	for i := range runs {
		s := &runs[i]
		unit := intervals.Of(s, 0)
		r.CostUSD.add(unit, s.CostUSD)
		met.AddHit(unit, s.Met)
		if s.Finished {
			r.Finished++
			r.FinishS.add(unit, *s.FinishS)
		}
		if s.Met {
			r.Met++
			r.SpareS.add(unit, s.ObjectiveS-*s.FinishS)
		}
		if s.MissedByS != nil {
			r.LateS.add(unit, *s.MissedByS)
		}
		r.Preemptions += float64(s.Preemptions) / n
		r.InstanceH += s.InstanceH / n
		useful += s.UsefulH / n
	}
	r.N, r.MetCI = len(runs), met.Share()
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
		case best == nil, r.share() > best.share(), r.share() == best.share() && r.CostUSD.Mean() < best.CostUSD.Mean():
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
