package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/experiments/results"
)

// account is one line of a ledger.
type account struct {
	Name string
	of   func(s *results.Summary) float64
}

var activities = []account{
	{"training that counts", func(s *results.Summary) float64 { return s.UsefulH }},
	{"redundant", func(s *results.Summary) float64 { return s.RedundantH }},
	{"saving", func(s *results.Summary) float64 { return s.CheckpointingH }},
	{"restarting", func(s *results.Summary) float64 { return s.RestoringH }},
	{"reconfiguring", func(s *results.Summary) float64 { return s.ReconfiguringH }},
	{"training lost", func(s *results.Summary) float64 { return s.LostH }},
	{"waiting", func(s *results.Summary) float64 { return s.WaitingH }},
	{"starting", func(s *results.Summary) float64 { return s.StartingH }},
}

var bill = []account{
	{"spot", func(s *results.Summary) float64 { return s.CostSpotUSD }},
	{"on demand", func(s *results.Summary) float64 { return s.CostOnDemandUSD }},
	{"parameter servers", func(s *results.Summary) float64 { return s.CostPSUSD }},
	{"storage", func(s *results.Summary) float64 { return s.CostStorageUSD }},
	{"minimum and rounding", func(s *results.Summary) float64 { return s.CostTopupUSD }},
	{"refund", func(s *results.Summary) float64 { return -s.RefundUSD }},
}

// ledger is the means of some accounts over runs, in the order of the accounts,
// as they are printed: with three decimals, so rounded that they add up to the
// total as it is printed.
type ledger struct {
	Parts []string
	Total string
}

// ledgerOf adds the accounts up.
func ledgerOf(runs []results.Summary, accounts []account) ledger {
	parts := make([]float64, len(accounts))
	for i, a := range accounts {
		for k := range runs {
			parts[i] += a.of(&runs[k]) / float64(len(runs))
		}
	}
	whole, total := apportion(parts)
	var l ledger
	for _, n := range whole {
		l.Parts = append(l.Parts, thousandths(n))
	}
	l.Total = thousandths(total)
	return l
}

// apportion rounds parts to thousandths such that they add up to their rounded
// sum: by the largest remainders, ties in order.
func apportion(parts []float64) (whole []int64, total int64) {
	sum := 0.0
	var rest []int // by remainder
	for i, x := range parts {
		sum += x
		whole = append(whole, int64(math.Floor(x*1000)))
		rest = append(rest, i)
	}
	total = int64(math.Round(sum * 1000))
	remainder := func(i int) float64 { return parts[i]*1000 - float64(whole[i]) }
	slices.SortStableFunc(rest, func(a, b int) int {
		switch x, y := remainder(a), remainder(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	missing := total
	for _, n := range whole {
		missing -= n
	}
	for _, i := range rest[:max(min(int(missing), len(rest)), 0)] {
		whole[i]++
	}
	return whole, total
}

func thousandths(n int64) string { return strconv.FormatFloat(float64(n)/1000, 'f', 3, 64) }
