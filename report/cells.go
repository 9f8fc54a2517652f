package report

import "github.com/marigram/marigram/experiments/intervals"

// cellRow is the best policy of a cell for an objective.
type cellRow struct {
	Name   string
	Shown  bool
	Policy string
	N      int
	Mean   float64
	CI     *intervals.Interval
	Met    float64
	Misses bool
}

// BestCell returns the place of the cell with the best policy for the first objective.
func BestCell(cells []Cell) int {
	ranking := make([]intervals.RankingRow, len(cells))
	var asked *float64
	for i, c := range cells {
		c.Study.rank()
		if len(c.Study.objectives) == 0 {
			continue
		}
		o := c.Study.objectives[0]
		if best := o.Best(); best != nil {
			asked = o.Share
			ranking[i] = best.ranked()
		}
	}
	return intervals.Rank(ranking, asked)[0]
}

// CellRows are the best policies of the sweep's cells for an objective by its place, the
// best cell first.
func (s *Study) CellRows(objective int) []cellRow {
	asked := s.objectives[objective]
	rows, ranking := make([]cellRow, len(s.Sweep.Cells)), make([]intervals.RankingRow, len(s.Sweep.Cells))
	for i, c := range s.Sweep.Cells {
		c.Study.rank()
		rows[i] = cellRow{Name: c.Name, Shown: c.Shown}
		if best := c.Study.best(asked.Name); best != nil {
			ranking[i] = best.ranked()
			rows[i].Policy, rows[i].N, rows[i].Mean, rows[i].CI = best.Policy, best.N, best.CostUSD.Mean(), best.CostUSD.MeanInterval()
			rows[i].Met, rows[i].Misses = best.Share(), best.Misses()
		}
	}
	out := make([]cellRow, 0, len(rows))
	for _, i := range intervals.Rank(ranking, asked.Share) {
		out = append(out, rows[i])
	}
	return out
}

// best is the row of the best policy for an objective of some name; nil if there is none.
func (s *Study) best(objective string) *row {
	if i := s.place(objective); i >= 0 {
		return s.objectives[i].Best()
	}
	return nil
}
