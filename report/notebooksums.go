package report

import "github.com/marigram/marigram/experiments/results"

// notebookColumn is a column of the table on notebooks: a mean over the runs that have it.
type notebookColumn struct {
	Name string
	of   func(s *results.Summary) *float64
}

var notebookColumns = []notebookColumn{
	{"GPU-hours", func(s *results.Summary) *float64 { return s.ProvisionedGPU }},
	{"reserved", func(s *results.Summary) *float64 { return s.ReservedGPU }},
	{"in cells", func(s *results.Summary) *float64 { return s.ActiveGPU }},
	{"saved", func(s *results.Summary) *float64 { return s.SavedGPU }},
	{"delay (s)", func(s *results.Summary) *float64 { return s.DelayMeanS }},
	{"p50", func(s *results.Summary) *float64 { return s.DelayP50S }},
	{"p95", func(s *results.Summary) *float64 { return s.DelayP95S }},
	{"p99", func(s *results.Summary) *float64 { return s.DelayP99S }},
	{"longest", func(s *results.Summary) *float64 { return s.DelayMaxS }},
	{"lost with hosts", func(s *results.Summary) *float64 { x := float64(s.CellsLost); return &x }},
	{"moved", func(s *results.Summary) *float64 { x := float64(s.CellsMoved); return &x }},
}

// notebookSums are sums over the runs of a policy, by column.
type notebookSums struct {
	sum [11]float64
	n   [11]int
}

func (x *notebookSums) add(s *results.Summary) {
	if s.ReservedGPU == nil {
		return
	}
	for i, c := range notebookColumns {
		if v := c.of(s); v != nil {
			x.sum[i] += *v
			x.n[i]++
		}
	}
}
