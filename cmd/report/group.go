package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/report"
)

// What a page of a sweep shows, lest it grow with the sweep.
const (
	maxCells     = 20
	maxTimelines = 20
)

// group is the cells of a sweep that differ in the choice of policies only, whose runs
// are compared with each other.
type group struct {
	cli.Combination
	cells []int
	study *report.Study
}

// runs names the numbers of a group's runs.
func (g *group) runs(p *sweep.Plan) string {
	var out []string
	for _, c := range g.cells[:min(len(g.cells), 4)] {
		first := p.Run(sweep.Place{Cell: c})
		cell := &p.Cells[c]
		last := p.Run(sweep.Place{
			Cell:      c,
			Start:     len(p.StartsS) - 1,
			Seed:      p.Seeds - 1,
			Objective: len(cell.Objectives) - 1,
			Policy:    len(cell.Policies) - 1,
		})
		out = append(out, fmt.Sprintf("%d to %d", first, last))
	}
	return strings.Join(out, ", ")
}

// compared are the runs of all policies for the objective of a run, from the same start
// under the same seed.
func (g *group) compared(p *sweep.Plan, run int64) (out []int64) {
	at := p.Place(run)
	objective := p.Cells[at.Cell].Objectives[at.Objective]
	for _, c := range g.cells {
		same := at
		same.Cell = c
		same.Objective = slices.Index(p.Cells[c].Objectives, objective)
		if same.Objective < 0 {
			continue
		}
		for same.Policy = range p.Cells[c].Policies {
			out = append(out, p.Run(same))
		}
	}
	return out
}
