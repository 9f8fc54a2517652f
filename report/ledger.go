package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/internal/table"
)

// ledgerTable is a ledger of each policy, with a note on it.
func ledgerTable(o *objective, unit string, parts []string, note func(*row) string, of func(*row) ledger) *table.Table {
	columns := []column[row]{{unit, false, func(r *row) table.Cell {
		return table.Cell{Text: r.Policy, Note: note(r), Mark: r.Policy, Order: r.Rank}
	}}}
	for i, part := range parts {
		columns = append(columns, number(part, func(r *row) string { return of(r).Parts[i] }))
	}
	columns = append(columns, column[row]{"total", true, func(r *row) table.Cell {
		return table.Cell{Text: of(r).Total, Tone: table.Bold}
	}})
	t := tableOf(o.Rows, columns, nil)
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
	for _, objective := range s.objectives {
		for _, row := range objective.Rows {
			for i, dollars := range row.dollars {
				shown[i] = shown[i] || dollars != 0
			}
		}
	}
	return shown
}

// only returns the values that are shown.
func only[T any](all []T, shown []bool) (out []T) {
	for i, value := range all {
		if shown[i] {
			out = append(out, value)
		}
	}
	return out
}

// billNames returns the parts of a bill that are shown, as they are called in runs of many jobs or of one.
func billNames(shown []bool, manyJobs bool) (out []string) {
	for _, account := range only(bill, shown) {
		out = append(out, account.named(manyJobs))
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
	parts := make([]float64, len(sums))
	sum := 0.0
	for i := range sums {
		parts[i] = sums[i] / float64(runs)
		sum += parts[i]
	}
	if math.Abs(sum) < 1 {
		decimals += 2
	}
	scale := math.Pow10(decimals)
	whole, total := apportion(parts, scale)
	write := func(number int64) string { return strconv.FormatFloat(float64(number)/scale, 'f', decimals, 64) }
	var written ledger
	for _, number := range whole {
		written.Parts = append(written.Parts, write(number))
	}
	written.Total = write(total)
	return written
}

// apportion rounds parts to whole numbers of 1/scale such that they add up to their
// rounded sum: by the largest remainders, ties in order.
func apportion(parts []float64, scale float64) (whole []int64, total int64) {
	sum := 0.0
	var rest []int // by remainder
	for i, part := range parts {
		sum += part
		whole = append(whole, int64(math.Floor(part*scale)))
		rest = append(rest, i)
	}
	total = int64(math.Round(sum * scale))
	remainder := func(i int) float64 { return parts[i]*scale - float64(whole[i]) }
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	missing := total
	for _, number := range whole {
		missing -= number
	}
	for _, i := range rest[:max(min(int(missing), len(rest)), 0)] {
		whole[i]++
	}
	return whole, total
}
