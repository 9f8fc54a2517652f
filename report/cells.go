package report

import (
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// BestCell returns the place of the cell with the best policy for the first objective.
func BestCell(list []Cell) int {
	name := ""
	for _, c := range list {
		if len(c.Study.objectives) > 0 {
			name = c.Study.objectives[0].Name
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
	for i, c := range list {
		c.Study.rank()
		k := c.Study.place(objective)
		if k < 0 {
			continue
		}
		if rows[i] = c.Study.objectives[k].Best(); rows[i] != nil {
			asked, ranked[i] = rows[i].objective.Share, rows[i].ranked()
		}
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
	text := "The best policy of each combination of parameters: first where it meets the objective, by cost, then where none does, by how often it is met."
	if p.many() {
		text = "The best policy of each combination of parameters, the shortest mean job completion time first."
	}
	if n := p.Sweep.MoreCells; n > 0 {
		text += " " + count(n, "further cell is", "further cells are") + " not shown; marigram compare ranks all."
	}
	w.Text(text)
	return p.eachObjective(w, func(o *objective) {
		var list []*cellRow
		rows, order := rankCells(p.Sweep.Cells, o.Name)
		for _, i := range order {
			list = append(list, &cellRow{&p.Sweep.Cells[i], rows[i]})
		}
		value, interval := o.valueColumn(), o.intervalColumn()
		ofBest := func(of func(*row) table.Cell, none string) func(*cellRow) table.Cell {
			return func(c *cellRow) table.Cell {
				if c.best == nil {
					return table.Cell{Text: none}
				}
				return of(c.best)
			}
		}
		w.Table(tableOf(list, []column[cellRow]{
			words("parameters", func(c *cellRow) string {
				if c.Shown {
					return c.Name + " (this page)"
				}
				return c.Name
			}),
			{"best policy", false, ofBest(func(r *row) table.Cell { return table.Cell{Text: r.Policy} }, "")},
			{value.Name, true, ofBest(value.of, "none")},
			{interval.Name, true, ofBest(interval.of, "none")},
			{"met", true, ofBest(func(r *row) table.Cell { return table.Cell{Text: units.Percent(r.Share()), Tone: tone(!r.Misses())} }, "none")},
		}, func(c *cellRow) string {
			if c.Shown {
				return "best"
			}
			return ""
		}))
	})
}
