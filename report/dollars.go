package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
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
	// Own is which part of a cloud's bill it is (package ownbill).
	Own charges.Part `json:"own"`
}

// ownParts are the parts of a cloud's bill, by the names of those of a simulated one. What
// rounding adds is, on a cloud's bill, within the instances.
var ownParts = map[string]charges.Part{"spot": charges.Spot, "on demand": charges.OnDemand, "parameter servers": charges.OnDemand,
	"storage": charges.Storage, "moves of the job's state": charges.Transfers, "disks of instances": charges.Disks,
	"checkpoints kept": charges.Storage, "commitments, used or not": charges.Commitments, "tax": charges.Tax,
	"minimum and rounding": charges.OnDemand, "refund": charges.Credits}

// micro is a microdollar's part of a dollar.
const micro = 1e6

// DollarsOf says where the dollars of the runs went that are wanted: of those of the policy and
// objective of the first.
func DollarsOf(rows []results.Summary, wanted func(*results.Summary) bool) (*Dollars, error) {
	var d *Dollars
	many := false
	sums := make([]float64, len(bill))
	for i := range rows {
		s := &rows[i]
		if !wanted(s) {
			continue
		}
		if d == nil {
			d, many = &Dollars{Policy: s.Policy, Objective: s.Objective}, s.ManyJobs()
		}
		if s.Policy == d.Policy && s.Objective == d.Objective {
			d.Runs++
			addAccounts(sums, bill, s)
		}
	}
	if d == nil {
		return nil, fmt.Errorf("no such run among %d runs", len(rows))
	}
	for i := range sums {
		sums[i] /= float64(d.Runs)
	}
	whole, total := apportion(sums, micro)
	for i, n := range whole {
		d.Parts = append(d.Parts, Dollar{bill[i].named(many), float64(n) / micro, ownParts[bill[i].Name]})
	}
	d.TotalUSD = float64(total) / micro
	return d, nil
}

// ByOwnPart adds up the dollars by the parts of a cloud's bill.
func (d *Dollars) ByOwnPart() map[charges.Part]float64 {
	sums := map[charges.Part]float64{}
	for _, p := range d.Parts {
		sums[p.Own] += p.USD
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
func (p *page) writeSpent(d document) error {
	d.Text("Means over the runs; parts of the bill that are nothing in all of them are left out. The parts add up to the totals as they are printed: " +
		"they are rounded by largest remainders.")
	shown := p.billed()
	return p.eachObjective(d, func(o *objective) {
		d.Table(ledgerTable(o, "instance-hours", activities, noNote, func(r *row) ledger { return ledgerOf(r.hours, r.N, 3) }))
		if !slices.ContainsFunc(o.Rows, func(r *row) bool { return r.CostUSD.Mean() != 0 }) {
			return
		}
		d.Table(ledgerTable(o, "USD", named(bill, shown, o.many()), func(r *row) string {
			if o.many() || !r.Misses() {
				return ""
			}
			return "met " + units.Percent(r.Share())
		}, func(r *row) ledger { return ledgerOf(only(r.dollars, shown), r.N, 2) }))
	})
}

// ledgerTable is a ledger of each policy, with a note on it.
func ledgerTable(o *objective, unit string, accounts []account, note func(*row) string, of func(*row) ledger) *table.Table {
	columns := []column[row]{{unit, false, func(r *row) table.Cell {
		return table.Cell{Text: r.Policy, Note: note(r), Mark: r.Policy, Order: r.Rank}
	}}}
	for i, a := range accounts {
		columns = append(columns, number(a.Name, func(r *row) string { return of(r).Parts[i] }))
	}
	t := tableOf(o.Rows, append(columns, column[row]{"total", true, func(r *row) table.Cell { return table.Cell{Text: of(r).Total, Tone: table.Bold} }}), nil)
	t.Class = "ledger sortable"
	if len(t.Columns) > 9 {
		t.Class += " wide"
	}
	return t
}

// billed says which parts of the bill are anything in some run: most specs have few of them.
func (s *Study) billed() []bool {
	shown := make([]bool, len(bill))
	shown[0] = true // a table has a column
	for _, o := range s.objectives {
		for _, r := range o.Rows {
			for i, x := range r.dollars {
				shown[i] = shown[i] || x != 0
			}
		}
	}
	return shown
}

// only returns the values that are shown.
func only[T any](all []T, shown []bool) (out []T) {
	for i, x := range all {
		if shown[i] {
			out = append(out, x)
		}
	}
	return out
}

// named returns the accounts that are shown, as they are called in runs of many jobs or of one.
func named(all []account, shown []bool, manyJobs bool) (out []account) {
	for _, a := range only(all, shown) {
		out = append(out, account{a.named(manyJobs), a.of})
	}
	return out
}

// ledger is the means of some accounts over runs, in the order of the accounts, as
// they are printed: so rounded that they add up to the total as it is printed.
type ledger struct {
	Parts []string
	Total string
}

// ledgerOf divides sums over runs by their number and writes them with some decimals,
// two more where all is less than one.
func ledgerOf(sums []float64, runs, decimals int) ledger {
	parts, sum := make([]float64, len(sums)), 0.0
	for i, x := range sums {
		parts[i] = x / float64(runs)
		sum += parts[i]
	}
	if math.Abs(sum) < 1 {
		decimals += 2
	}
	scale := math.Pow10(decimals)
	whole, total := apportion(parts, scale)
	write := func(n int64) string { return strconv.FormatFloat(float64(n)/scale, 'f', decimals, 64) }
	var l ledger
	for _, n := range whole {
		l.Parts = append(l.Parts, write(n))
	}
	l.Total = write(total)
	return l
}

// apportion rounds parts to whole numbers of 1/scale such that they add up to their
// rounded sum: by the largest remainders, ties in order.
func apportion(parts []float64, scale float64) (whole []int64, total int64) {
	sum := 0.0
	var rest []int // by remainder
	for i, x := range parts {
		sum += x
		whole = append(whole, int64(math.Floor(x*scale)))
		rest = append(rest, i)
	}
	total = int64(math.Round(sum * scale))
	remainder := func(i int) float64 { return parts[i]*scale - float64(whole[i]) }
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	missing := total
	for _, n := range whole {
		missing -= n
	}
	for _, i := range rest[:max(min(int(missing), len(rest)), 0)] {
		whole[i]++
	}
	return whole, total
}
