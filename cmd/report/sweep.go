package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/report"
)

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
		if groups, err = f.best(folder, groups); err != nil {
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
		study.Sweep.Parameters, study.Sweep.Cells, study.Sweep.MoreCells = names[at], cells, all-len(groups)
	}
	return study, f.timelines(cmd, folder, groups[at])
}

// groups are the cells that --where leaves.
func (f *pageFlags) groups(p *sweep.Plan) (out []*group, err error) {
	find := map[string]*group{}
	for i := range p.Cells {
		c, err := f.Cell(p.Cells[i].Parameters)
		if err != nil {
			return nil, cli.Failed(err)
		}
		if !f.Chosen(c) {
			continue
		}
		key := c.Title("")
		if find[key] == nil {
			find[key] = &group{Combination: c}
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
			r := &rows[i]
			g := of[int(r.Cell)]
			switch {
			case g == nil:
			case r.Error != "":
				g.study.AddFailed()
			case f.Take(r.Objective, r.Policy, g.Combination):
				if err := r.CheckBound(); err != nil {
					return cli.Repeated(folder.Dir, err)
				}
				g.study.Add(&r.Summary)
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
