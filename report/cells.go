package report

import (
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// BestCell returns the place of the cell with the best policy for the first objective.
func BestCell(list []Cell) int {
	name := ""
	for _, cell := range list {
		if len(cell.Study.objectives) > 0 {
			name = cell.Study.objectives[0].Name
		}
	}
	_, order := rankCells(list, name)
	return order[0]
}

// rankCells returns the row of the best policy of each cell for an objective, nil if there is none,
// and the order of the cells by these, the best first.
func rankCells(list []Cell, objective string) (rows []*row, order []int) {
	ranked := make([]intervals.RankingRow, len(list))
	rows = make([]*row, len(list))
	var asked *float64
	for i, cell := range list {
		cell.Study.rank()
		at := cell.Study.place(objective)
		if at < 0 {
			continue
		}
		best := cell.Study.objectives[at].Best()
		if best == nil {
			continue
		}
		rows[i] = best
		ranked[i] = best.ranked()
		asked = best.objective.Share
	}
	return rows, intervals.Rank(ranked, asked)
}

// cellRow is a cell with the best policy for an objective.
type cellRow struct {
	*Cell
	best *row // nil: no policy was run
}

// writeCells writes the section that ranks the cells of a sweep.
func (p *page) writeCells(w *webPage) error {
	text := "The first policy of each combination of parameters, by what was observed: " +
		"first where it meets the objective, by cost, then where none does, by how often it is met."
	if p.many() {
		text = "The first policy of each combination of parameters, the shortest mean job completion time first."
	}
	if n := p.Sweep.MoreCells; n > 0 {
		text += " " + units.Count(n, "further cell is", "further cells are") + " not shown; marigram compare ranks all."
	}
	w.Text(text)
	return p.eachObjective(w, func(o *objective) {
		var list []*cellRow
		rows, order := rankCells(p.Sweep.Cells, o.Name)
		for _, i := range order {
			list = append(list, &cellRow{&p.Sweep.Cells[i], rows[i]})
		}
		value := o.valueColumn()
		interval := o.intervalColumn()
		ofBest := func(of func(*row) table.Cell, none string) func(*cellRow) table.Cell {
			return func(cell *cellRow) table.Cell {
				if cell.best == nil {
					return table.Cell{Text: none}
				}
				return of(cell.best)
			}
		}
		w.Table(tableOf(list, []column[cellRow]{
			words("parameters", func(cell *cellRow) string {
				if cell.Shown {
					return cell.Name + " (this page)"
				}
				return cell.Name
			}),
			{"first policy", false, ofBest(func(r *row) table.Cell {
				if r.objective.notDecided != nil {
					return table.Cell{Text: r.Policy + ", not decided"}
				}
				return table.Cell{Text: r.Policy}
			}, "")},
			{value.Name, true, ofBest(value.of, "none")},
			{interval.Name, true, ofBest(interval.of, "none")},
			{"met", true, ofBest(func(r *row) table.Cell {
				return table.Cell{Text: units.Percent(r.Share()), Tone: tone(!r.Misses())}
			}, "none")},
		}, func(cell *cellRow) string {
			if cell.Shown {
				return "best"
			}
			return ""
		}))
	})
}
