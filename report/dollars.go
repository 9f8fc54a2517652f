package report

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
)

// Dollars says where every dollar of some runs went: the parts of their bill, as a mean. To
// the microdollar, they add up to TotalUSD.
type Dollars struct {
	Policy    string   `json:"policy"`
	Objective string   `json:"objective"`
	Runs      int      `json:"runs"` // of which the mean is
	Parts     []Dollar `json:"parts"`
	TotalUSD  float64  `json:"total_usd"`
}

// Dollar is one part of a bill.
type Dollar struct {
	Part string  `json:"part"` // "spot" is "servers and spot" in runs of many jobs
	USD  float64 `json:"usd"`
	// Own is which part of a cloud's bill it is (package charges); empty of what being late costs.
	Own charges.Part `json:"own"`
}

// ownParts are the parts of a cloud's bill, by the names of those of a simulated one. What
// rounding adds is, on a cloud's bill, within the instances.
var ownParts = map[string]charges.Part{
	"spot":                     charges.Spot,
	"on demand":                charges.OnDemand,
	"parameter servers":        charges.OnDemand,
	"storage":                  charges.Storage,
	"moves of the job's state": charges.Transfers,
	"disks of instances":       charges.Disks,
	"checkpoints kept":         charges.Storage,
	"commitments, used or not": charges.Commitments,
	"tax":                      charges.Tax,
	"minimum and rounding":     charges.OnDemand,
	"refund":                   charges.Credits,
}

// micro is a microdollar's part of a dollar.
const micro = 1e6

// DollarsOf says where the dollars of the runs went that are wanted: of those of the policy and
// objective of the first.
func DollarsOf(rows []results.Summary, wanted func(*results.Summary) bool) (*Dollars, error) {
	var dollars *Dollars
	many := false
	sums := make([]float64, len(bill))
	for i := range rows {
		run := &rows[i]
		if !wanted(run) {
			continue
		}
		if dollars == nil {
			dollars = &Dollars{Policy: run.Policy, Objective: run.Objective}
			many = run.ManyJobs()
		}
		if run.Policy == dollars.Policy && run.Objective == dollars.Objective {
			dollars.Runs++
			addBill(sums, run)
		}
	}
	if dollars == nil {
		return nil, fmt.Errorf("no such run among %d runs", len(rows))
	}
	for i := range sums {
		sums[i] /= float64(dollars.Runs)
	}
	whole, total := apportion(sums, micro)
	for i, parts := range whole {
		if ownParts[bill[i].Name] == "" && parts == 0 {
			continue // no part of any cloud's bill, and nothing
		}
		dollars.Parts = append(dollars.Parts,
			Dollar{bill[i].named(many), float64(parts) / micro, ownParts[bill[i].Name]})
	}
	dollars.TotalUSD = float64(total) / micro
	return dollars, nil
}

// ByOwnPart adds up the dollars by the parts of a cloud's bill.
func (d *Dollars) ByOwnPart() map[charges.Part]float64 {
	sums := map[charges.Part]float64{}
	for _, part := range d.Parts {
		sums[part.Own] += part.USD
	}
	return sums
}

// spends reports whether instances were held, or anything was paid.
func (p *page) spends() bool {
	return slices.ContainsFunc(p.objectives, func(o *objective) bool {
		return slices.ContainsFunc(o.Rows, func(r *row) bool { return r.instanceH > 0 || r.CostUSD.Mean() > 0 })
	})
}

// writeSpent writes the section that says where the hours and the dollars went.
func (p *page) writeSpent(w *webPage) error {
	w.Text("Means over the runs; parts of the bill that are nothing in all of them are left out. " +
		"The parts add up to the totals as they are printed: they are rounded by largest remainders.")
	shown := p.billed()
	hours := func(r *row) ledger { return ledgerOf(r.hours, r.N, 3) }
	dollars := func(r *row) ledger { return ledgerOf(only(r.dollars, shown), r.N, 2) }
	return p.eachObjective(w, func(o *objective) {
		w.Table(ledgerTable(o, "instance-hours", plots.ActivityNames(), noNote, hours))
		if !slices.ContainsFunc(o.Rows, func(r *row) bool { return r.CostUSD.Mean() != 0 }) {
			return
		}
		met := func(r *row) string {
			if o.many() || !r.Misses() {
				return ""
			}
			return "met " + units.Percent(r.Share())
		}
		w.Table(ledgerTable(o, "USD", billNames(shown, o.many()), met, dollars))
	})
}
