// Package report is the commands marigram report, a page of results, and explain, a
// decision and its reasons.
package report

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/report"
)

// pageFlags say what a page is about, and where it is written.
type pageFlags struct {
	cli.Selection
	cli.Commands         // of policies, where runs are simulated again
	Out          string  `flag:"output,o" default:"report.html" help:"write the page into this <file>, .html"`
	Run          []int64 `flag:"run" help:"show the run of this <number> of a sweep, with those of the other policies from its start; may be repeated"`
}

// Command returns the command.
func Command() *cobra.Command {
	var f pageFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "report DIR -o FILE",
		Short: "One page about results: the verdict, costs, figures, timelines, decisions",
		Long: `Makes a page of what marigram run or sweep wrote into DIR. It opens with the answer:
for each objective the best policy, its cost with the 95 % interval, and how often it
was late. Then come warnings, the policies in their order, figures, where hours and
dollars went, timelines that can be zoomed and compared, every decision with its
reason, and the commands that make the page again. One HTML file: it needs no network,
no server, and prints.

Of a sweep all starts and seeds count. A sweep keeps no timelines, so that the runs
that are shown are simulated again: those of all policies from the start at which the
best policy's cost is the median, and the worst run of the best policy, or those that
--run names. With several cells the page ranks them and is about the one with the best
answer; --where path=value chooses.

A run folder shows 20 timelines at most, of the lowest seeds that kept one. Long ones
are drawn as means over equal spans of time, which the page says.`,
		Example: `  marigram run recorded --pull --out out
  marigram report out -o report.html
  marigram report sweep --where market.replay.notice_s=30 -o report.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.write(cmd, args[0]) },
	}, &f)
}

// write makes the page of a folder.
func (f *pageFlags) write(cmd *cobra.Command, dir string) error {
	switch ending := strings.ToLower(filepath.Ext(f.Out)); ending {
	case ".html", ".htm", "":
	default:
		if sentence := gone.Instead("report", ending); sentence != "" {
			return fmt.Errorf("--output %s: %s", f.Out, sentence)
		}
		return fmt.Errorf("--output %s: expected a name that ends in .html", f.Out)
	}
	study, err := f.study(cmd, dir)
	if err != nil {
		return err
	}
	if err := store.Write(cmd.Context(), f.Out, func(w io.Writer) error { return study.Page(w) }); err != nil {
		return cli.Failed(err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), f.Out)
	return cli.Failed(err)
}

func (f *pageFlags) study(cmd *cobra.Command, dir string) (*report.Study, error) {
	if cli.IsSweep(dir) {
		return f.sweep(cmd, dir)
	}
	if f.Run != nil {
		return nil, fmt.Errorf("--run: %s is not of a sweep; a run folder has the timelines that it kept "+
			"(timelines in the spec)", dir)
	}
	set, err := readRuns(cmd, dir)
	if err != nil {
		return nil, err
	}
	study := report.NewStudy(set.Provenance)
	for i := range set.Summaries {
		run := &set.Summaries[i]
		if !f.Take(run.Objective, run.Policy, nil) {
			continue
		}
		if err := run.CheckBound(); err != nil {
			return nil, cli.Repeated(dir, err)
		}
		study.Add(run)
	}
	study.Timelines(&set)
	return study, f.Check()
}

// readRuns reads the tables of a folder that marigram run wrote.
func readRuns(cmd *cobra.Command, dir string) (results.Set, error) {
	set, err := results.ReadAll(dir)
	if err == nil {
		cli.WarnOutdated(cmd, set.Provenance.SchemaVersion)
	}
	return set, err
}

// sweep gathers the runs of a sweep: of the only group of cells that --where leaves, or
// of all, of which the page is about the best.
func (f *pageFlags) sweep(cmd *cobra.Command, dir string) (*report.Study, error) {
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	cli.WarnOutdated(cmd, folder.Plan.Schema)
	groups, err := f.groups(folder.Plan)
	if err != nil {
		return nil, err
	}
	all := len(groups)
	if all > maxCells {
		if groups, err = best(folder, groups, &f.Selection); err != nil {
			return nil, err
		}
	}
	if err := f.read(folder, groups); err != nil {
		return nil, err
	}
	var cells []report.Cell
	names := cli.CombinationNames(combinations(groups))
	for i, g := range groups {
		cells = append(cells, report.Cell{Name: names[i], Study: g.study})
	}
	at := report.BestCell(cells)
	cells[at].Shown = true
	study := groups[at].study
	study.Sweep = &report.Sweep{Dir: dir, Where: f.Where}
	if len(folder.Plan.Cells) > 1 {
		study.Sweep.Parameters = groups[at].Title("")
	}
	if len(groups) > 1 {
		study.Sweep.Parameters = names[at]
		study.Sweep.Cells = cells
		study.Sweep.MoreCells = all - len(groups)
	}
	return study, f.timelines(cmd, folder, groups[at])
}

// groups are the cells that --where leaves.
func (f *pageFlags) groups(p *sweep.Plan) (out []*group, err error) {
	find := map[string]*group{}
	for i := range p.Cells {
		combination, err := f.Cell(p.Cells[i].Parameters)
		if err != nil {
			return nil, cli.Failed(err)
		}
		if !f.Chosen(combination) {
			continue
		}
		key := combination.Title("")
		if find[key] == nil {
			find[key] = &group{Combination: combination}
			out = append(out, find[key])
		}
		find[key].cells = append(find[key].cells, i)
	}
	if out == nil {
		return nil, f.Check()
	}
	return out, nil
}

// read adds the runs of the groups to studies of theirs.
func (f *pageFlags) read(folder *sweep.Folder, groups []*group) error {
	of := map[int]*group{}
	for _, g := range groups {
		g.study = report.NewStudy(provenance(folder.Plan))
		for _, c := range g.cells {
			of[c] = g
		}
	}
	err := folder.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			row := &rows[i]
			group := of[int(row.Cell)]
			switch {
			case group == nil:
			case row.Error != "":
				group.study.AddFailed()
			case f.Take(row.Objective, row.Policy, group.Combination):
				if err := row.CheckBound(); err != nil {
					return cli.Repeated(folder.Dir, err)
				}
				group.study.Add(&row.Summary)
			}
		}
		return nil
	})
	if err != nil {
		return cli.Failed(err)
	}
	return f.Check()
}

// provenance is the plan's, with the seeds that its command line asked for.
func provenance(p *sweep.Plan) results.Provenance {
	from := p.Provenance()
	from.SchemaVersion = p.Schema
	if p.Made.Seeds > 0 {
		from.CommandLine = append(from.CommandLine, "--seeds", fmt.Sprint(p.Made.Seeds))
	}
	return from
}

func combinations(groups []*group) (out []cli.Combination) {
	for _, g := range groups {
		out = append(out, g.Combination)
	}
	return out
}

// timelines simulates runs of a group again: those that --run names, or those that
// show what the best policy does. Where that fails the page says why.
func (f *pageFlags) timelines(cmd *cobra.Command, folder *sweep.Folder, g *group) error {
	wanted, err := f.wanted(folder.Plan, g)
	if err != nil {
		return err
	}
	folder.AllowCommands = f.Allow
	set, err := folder.Resimulate(cmd.Context(), wanted)
	switch {
	case cmd.Context().Err() != nil:
		return context.Cause(cmd.Context())
	case err != nil && f.Run != nil:
		return cli.Failed(err)
	case err != nil:
		g.study.Sweep.NoTimelines = "the runs could not be simulated again: " + err.Error()
		term.Warn(cmd.ErrOrStderr(), "no timelines: the runs could not be simulated again: %v", err)
		return nil
	}
	g.study.Timelines(set)
	return nil
}

// wanted are the runs that are shown over their time.
func (f *pageFlags) wanted(p *sweep.Plan, g *group) (out []int64, err error) {
	for _, run := range f.Run {
		if run < 0 || run >= p.Runs() || !slices.Contains(g.cells, p.Place(run).Cell) {
			return nil, fmt.Errorf("--run %d: no run of the page's cell; its runs are %s", run, g.runs(p))
		}
		out = append(out, g.compared(p, run)...)
	}
	if f.Run != nil {
		return out, nil
	}
	add := func(run int64) {
		all := g.compared(p, run)
		if len(out)+len(all) > maxTimelines {
			all = []int64{run}
		}
		if len(out)+len(all) <= maxTimelines {
			out = append(out, all...)
		}
	}
	var worst []int64
	for i := range g.study.Objectives() {
		if typical, last, ok := g.study.Typical(i); ok {
			add(typical)
			worst = append(worst, last)
		}
	}
	for _, run := range worst {
		add(run)
	}
	return out, nil
}
