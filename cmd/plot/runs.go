package plot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
)

// quantity is a number of a run that is drawn.
type quantity struct {
	name, what, unit string
	of               func(s *results.Summary) (x float64, ok bool) // false: the run has none
}

// quantities are those that are drawn of any run, and the metrics by which many jobs are compared.
var quantities = append([]*quantity{
	{"cost", "cost", "USD", func(s *results.Summary) (float64, bool) { return s.CostUSD, true }},
	{"finish", "finish", "h", func(s *results.Summary) (float64, bool) { return finishOf(s, 3600) }},
	{"relative", "finish", "% of the objective",
		func(s *results.Summary) (float64, bool) { return finishOf(s, s.ObjectiveS/100) }},
	{"missed", "objectives missed", "%", func(s *results.Summary) (float64, bool) {
		if s.Met {
			return 0, true
		}
		return 100, true
	}},
	{"preemptions", "preemptions", "",
		func(s *results.Summary) (float64, bool) { return float64(s.Preemptions), true }},
	{"instance-hours", "instance time", "instance-hours",
		func(s *results.Summary) (float64, bool) { return s.InstanceH, true }},
	{"ettr", "effective training time", "%",
		func(s *results.Summary) (float64, bool) { return 100 * s.Effective(), s.InstanceH > 0 }},
	{"down", "machines down", "machine-hours", func(s *results.Summary) (float64, bool) { return s.DownH, s.Fails() }},
	{"lost", "training lost", "instance-hours", func(s *results.Summary) (float64, bool) { return s.LostH, true }},
}, metrics()...)

func metrics() (all []*quantity) {
	for _, name := range results.MetricNames() {
		if metric, err := results.MetricNamed(name); err == nil && name != results.Cost {
			of := func(s *results.Summary) (float64, bool) { return metric.Of(s), s.ManyJobs() }
			all = append(all, &quantity{name, metric.Title, metric.Unit, of})
		}
	}
	return all
}

func finishOf(s *results.Summary, unit float64) (float64, bool) {
	if s.FinishS == nil {
		return 0, false
	}
	return *s.FinishS / unit, true
}

func (q *quantity) label() string {
	if q.unit == "" {
		return q.what
	}
	return q.what + " (" + q.unit + ")"
}

// quantityNamed returns a quantity by its name, which is one of them.
func quantityNamed(name string) *quantity {
	return quantities[slices.IndexFunc(quantities, func(q *quantity) bool { return q.name == name })]
}

// runOf is a run with its parameters.
type runOf struct {
	*results.Summary
	cli.Combination
}

func (r *runOf) title() string { return r.Combination.Title(r.Objective) }

// study is the runs in a folder that run or sweep wrote.
type study struct {
	cli.Selection

	name                     string
	markets                  []string
	runs, failed, unfinished int
	units                    map[string]*intervals.Tally // by results.ByStart, BySeed
}

// read visits the runs of a folder that are selected, in their order, but for those
// that failed.
func (s *study) read(cmd *cobra.Command, dir string, visit func(r *runOf)) error {
	if !cli.IsSweep(dir) {
		rows, from, err := results.ReadRuns(dir)
		if err != nil {
			return err
		}
		cli.WarnOutdated(cmd, from.SchemaVersion)
		for i := range rows {
			if err := rows[i].CheckBound(); err != nil {
				return cli.Repeated(dir, err)
			}
			s.name = rows[i].Scenario
			s.visit(&runOf{&rows[i], nil}, visit)
		}
		return s.check(dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return err
	}
	s.name = folder.Plan.Name
	cli.WarnOutdated(cmd, folder.Plan.Schema)
	err = folder.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			row := &rows[i]
			if row.Error != "" {
				s.failed++
				continue
			}
			cell, err := s.Cell(row.Parameters)
			if err == nil {
				err = cli.Repeated(dir, row.CheckBound())
			}
			if err != nil {
				return err
			}
			s.visit(&runOf{&row.Summary, cell}, visit)
		}
		return nil
	})
	if err != nil {
		return cli.Failed(err)
	}
	term.WarnAll(cmd.ErrOrStderr(), folder.Plan.Lacking())
	if s.failed > 0 {
		term.Warn(cmd.ErrOrStderr(), "%s left out", units.Count(s.failed, "failed run", "failed runs"))
	}
	return s.check(dir)
}

func (s *study) visit(r *runOf, visit func(r *runOf)) {
	if !s.Take(r.Objective, r.Policy, r.Combination) {
		return
	}
	if !slices.Contains(s.markets, r.Market) {
		s.markets = append(s.markets, r.Market)
	}
	s.runs++
	if s.units == nil {
		s.units = map[string]*intervals.Tally{}
	}
	if s.units[r.Unit] == nil {
		s.units[r.Unit] = new(intervals.Tally)
	}
	s.units[r.Unit].AddRunHit(r.Summary, r.Met)
	if !r.Finished {
		s.unfinished++
	}
	visit(r)
}

func (s *study) check(dir string) error {
	if len(s.Objectives) == 0 {
		return fmt.Errorf("%s: no successful runs (%d failed)", dir, s.failed)
	}
	return s.Selection.Check()
}

// about says what is drawn, and what is not.
func (s *study) about(q *quantity) string {
	text := fmt.Sprintf("%s; %d runs", plots.Markets(slices.Values(s.markets)), s.runs)
	switch {
	case s.unfinished == 0:
	case q.name == "finish" || q.name == "relative":
		text += fmt.Sprintf("; %d did not finish", s.unfinished)
	default:
		text += fmt.Sprintf("; %d did not finish: cost until the horizon", s.unfinished)
	}
	return text
}

// basis says what intervals and bands around the runs count.
func (s *study) basis() string {
	var counts []string
	for _, by := range []string{results.ByStart, results.BySeed} {
		if all := s.units[by]; all != nil {
			counts = append(counts, intervals.CountIndependent(all.Independent(), by))
		}
	}
	return ", n = " + strings.Join(counts, " or ")
}
