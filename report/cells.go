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
	standings := make([]intervals.Standing, len(cells))
	var asked *float64
	for i, c := range cells {
		c.Study.rank()
		if len(c.Study.objectives) == 0 {
			continue
		}
		o := c.Study.objectives[0]
		if best := o.Best(); best != nil {
			asked = o.Share
			standings[i] = best.ranked()
		}
	}
	return intervals.Rank(standings, asked)[0]
}

// CellRows are the best policies of the sweep's cells for an objective by its place, the
// best cell first.
func (s *Study) CellRows(objective int) []cellRow {
	asked := s.objectives[objective]
	rows, standings := make([]cellRow, len(s.Sweep.Cells)), make([]intervals.Standing, len(s.Sweep.Cells))
	for i, c := range s.Sweep.Cells {
		c.Study.rank()
		rows[i] = cellRow{Name: c.Name, Shown: c.Shown}
		if best := c.Study.best(asked.Name); best != nil {
			standings[i] = best.ranked()
			rows[i].Policy, rows[i].N, rows[i].Mean, rows[i].CI = best.Policy, best.N, best.CostUSD.Mean(), best.CostUSD.MeanInterval()
			rows[i].Met, rows[i].Misses = best.Share(), best.Misses()
		}
	}
	out := make([]cellRow, 0, len(rows))
	for _, i := range intervals.Rank(standings, asked.Share) {
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
