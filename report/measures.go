package report

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
)

// measure is a number of a run that tables have the mean of, over the runs that have it.
type measure struct {
	Name string
	of   func(s *results.Summary) *float64
	text func(float64) string
}

// means are sums over the runs of a policy, by measure.
type means struct {
	sum []float64
	n   []int
}

func (m *means) add(run *results.Summary, list []measure) {
	if m.n == nil {
		m.sum = make([]float64, len(list))
		m.n = make([]int, len(list))
	}
	for i := range list {
		if number := list[i].of(run); number != nil {
			m.sum[i] += *number
			m.n[i]++
		}
	}
}

// columnsOf are the columns of measures, whose means a row has.
func columnsOf[T any](list []measure, of func(*T) *means) (out []column[T]) {
	for i, c := range list {
		out = append(out, number(c.Name, func(row *T) string {
			m := of(row)
			if m.n == nil || m.n[i] == 0 {
				return "none"
			}
			return c.text(m.sum[i] / float64(m.n[i]))
		}))
	}
	return out
}

// written writes numbers in a form, times a factor.
func written(form string, by float64) func(float64) string {
	return func(x float64) string { return fmt.Sprintf(form, x*by) }
}

var (
	hours2  = written("%.2f", 1./3600)
	tenths  = written("%.1f", 1)
	counted = written("%.6g", 1)
)

func whole(x int64) *float64 {
	return new(float64(x))
}

// ratio is a part of a whole, nil of nothing.
func ratio(part, of float64) *float64 {
	if of <= 0 {
		return nil
	}
	return new(part / of)
}

// notebookMeasures are those of sessions of notebooks.
var notebookMeasures = []measure{
	{"GPU-hours", func(s *results.Summary) *float64 { return s.ProvisionedGPU }, tenths},
	{"reserved", func(s *results.Summary) *float64 { return s.ReservedGPU }, tenths},
	{"in cells", func(s *results.Summary) *float64 { return s.ActiveGPU }, tenths},
	{"saved", func(s *results.Summary) *float64 { return s.SavedGPU }, tenths},
	{"delay (s)", func(s *results.Summary) *float64 { return s.DelayMeanS }, tenths},
	{"p50", func(s *results.Summary) *float64 { return s.DelayP50S }, tenths},
	{"p95", func(s *results.Summary) *float64 { return s.DelayP95S }, tenths},
	{"p99", func(s *results.Summary) *float64 { return s.DelayP99S }, tenths},
	{"longest", func(s *results.Summary) *float64 { return s.DelayMaxS }, tenths},
	{"lost with hosts", func(s *results.Summary) *float64 { return whole(s.CellsLost) }, tenths},
	{"moved", func(s *results.Summary) *float64 { return whole(s.CellsMoved) }, tenths},
}

// failureMeasures are those of machines that fail.
var failureMeasures = []measure{
	{"failures", func(s *results.Summary) *float64 { return whole(s.Failures) }, tenths},
	{"repairs", func(s *results.Summary) *float64 { return whole(s.Repairs) }, tenths},
	{"retired", func(s *results.Summary) *float64 { return whole(s.Retired) }, tenths},
	{"down (h)", func(s *results.Summary) *float64 { return &s.DownH }, tenths},
	{"in the mean", func(s *results.Summary) *float64 { return ratio(s.DownH, s.LastedS()/3600) }, written("%.2f", 1)},
	{"at most", func(s *results.Summary) *float64 { return whole(s.DownMax) }, tenths},
	{"spares (h)", func(s *results.Summary) *float64 { return &s.SpareH }, tenths},
	{"lost (h)", func(s *results.Summary) *float64 { return &s.LostH }, tenths},
	{"ETTR", func(s *results.Summary) *float64 { return &s.ETTR }, written("%.2f %%", 100)},
}

// jobMeasures are those of many jobs on one cluster: times, then what else they came to.
var (
	jobTimes = []measure{
		{"p50", func(s *results.Summary) *float64 { return s.JCTP50S }, hours2},
		{"p95", func(s *results.Summary) *float64 { return s.JCTP95S }, hours2},
		{"p99", func(s *results.Summary) *float64 { return s.JCTP99S }, hours2},
		{"queue (h)", func(s *results.Summary) *float64 { return s.QueueMeanS }, hours2},
		{"makespan (h)", func(s *results.Summary) *float64 { return s.FinishS }, hours2},
	}
	jobMeasures = []measure{
		{"utilisation", func(s *results.Summary) *float64 { return s.Utilisation }, written("%.1f %%", 100)},
		{"suspended", func(s *results.Summary) *float64 { return whole(s.Suspensions) }, counted},
		{"preempted", func(s *results.Summary) *float64 { return whole(s.JobsStopped) }, counted},
		{"moved", func(s *results.Summary) *float64 { return whole(s.JobMoves) }, counted},
		{"resized", func(s *results.Summary) *float64 { return whole(s.JobResizes) }, counted},
		{"fairness", func(s *results.Summary) *float64 { return s.FTFMean }, written("%.2f", 1)},
	}
)

// account is one part of a bill.
type account struct {
	Name string
	of   func(s *results.Summary) float64
}

// bill is the parts of a bill. Servers that many jobs share are in the first.
var bill = []account{
	{"spot", func(s *results.Summary) float64 { return s.CostSpotUSD }},
	{"on demand", func(s *results.Summary) float64 { return s.CostOnDemandUSD }},
	{"parameter servers", func(s *results.Summary) float64 { return s.CostPSUSD }},
	{"storage", func(s *results.Summary) float64 { return s.CostStorageUSD }},
	{"moves of the job's state", func(s *results.Summary) float64 { return s.CostTransferUSD }},
	{"disks of instances", func(s *results.Summary) float64 { return s.CostDisksUSD }},
	{"checkpoints kept", func(s *results.Summary) float64 { return s.CostCheckpointsUSD }},
	{"commitments, used or not", func(s *results.Summary) float64 { return s.CostCommitmentsUSD }},
	{"tax", func(s *results.Summary) float64 { return s.CostTaxUSD }},
	{"being late", func(s *results.Summary) float64 { return s.CostLateUSD }},
	{"minimum and rounding", func(s *results.Summary) float64 { return s.CostTopupUSD }},
	{"refund", func(s *results.Summary) float64 { return -s.RefundUSD }},
}

// named returns the account as it is called in runs of many jobs, or of one.
func (a account) named(manyJobs bool) string {
	if manyJobs && a.Name == bill[0].Name {
		return "servers and spot"
	}
	return a.Name
}

// addBill adds a run's bill to sums.
func addBill(sums []float64, run *results.Summary) {
	for i, account := range bill {
		sums[i] += account.of(run)
	}
}
