package results

import (
	"slices"

	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/stats"
)

// Metric is a number by which runs are compared. Less is better.
type Metric struct {
	Name  string // as --by and tables of comparisons call it
	Title string // for people
	Unit  string // of its values
	value func(*Summary) float64
}

// Of returns the metric of a run.
func (m *Metric) Of(s *Summary) float64 { return m.value(s) }

// Heading is the title with the unit.
func (m *Metric) Heading() string { return m.Title + " " + m.Unit }

// USD is the unit of the cost.
const USD = "USD"

// Cost is the metric of the cost.
const Cost = "usd"

// Undone is the metric of an objective of most work: what is left of the training.
const Undone = "undone_percent"

var metrics = []Metric{
	{"jct_h", "mean JCT", "h", func(s *Summary) float64 { return stats.Or(s.JCTMeanS, s.HorizonS) / 3600 }},
	{Cost, "cost", USD, func(s *Summary) float64 { return s.CostUSD }},
	{"usd_per_gpu_h", "cost", "USD/GPU-h", func(s *Summary) float64 { return s.CostUSD / s.UsefulH }},
	{"late_h", "late", "h", func(s *Summary) float64 { return stats.Or(s.LateMeanS, 0) / 3600 }},
	{"late_p95_h", "late p95", "h", func(s *Summary) float64 { return stats.Or(s.LateP95S, 0) / 3600 }},
	{Undone, "work left", "%", func(s *Summary) float64 { return 100 * (1 - s.Progress) }},
	{"late_percent", "late", "%", func(s *Summary) float64 {
		return 100 * (1 - float64(s.Punctual)/float64(max(s.Deadlines, 1)))
	}},
}

// GoalText says what an objective asks for: what is to be trained (a loss, or all samples), by the kind of the goal and
// its value, or within a time. span writes a time in seconds.
func GoalText(what, goal string, value *float64, withinS float64, span func(float64) string) string {
	if text := objective.Named(goal).Text; text != nil && value != nil {
		return text(what, *value, span(withinS))
	}
	return what + " within " + span(withinS)
}

// MetricNames are the names of the metrics of runs of many jobs.
func MetricNames() (names []string) {
	for i := range metrics {
		names = append(names, metrics[i].Name)
	}
	return names
}

// MetricNamed returns a metric by its name.
func MetricNamed(name string) (*Metric, error) {
	at := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		return nil, registry.Unknown("metric", name, MetricNames())
	}
	return &metrics[at], nil
}

// Metric is what a run is compared by: the cost, of an objective of most work what is left of it, of many jobs their
// mean completion time.
func (s *Summary) Metric() *Metric {
	switch {
	case s.ManyJobs():
		return &metrics[0]
	case s.Kind().ByWork:
		return &metrics[slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == Undone })]
	}
	return &metrics[1]
}
