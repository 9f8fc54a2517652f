package report

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
)

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
			standings[i] = intervals.Standing{Oracle: best.Oracle, Runs: best.N, Met: best.Share(), USD: best.CostUSD.Mean()}
		}
	}
	return intervals.Rank(standings, asked)[0]
}

// CellRows are the best policies of the sweep's cells for an objective by its place, the
// best cell first.
func (s *Study) CellRows(objective int) []cellRow {
	var out []cellRow
	for _, c := range s.Sweep.Cells {
		c.Study.rank()
		row := cellRow{Name: c.Name, Shown: c.Shown}
		if best := c.Study.best(s.objectives[objective].Name); best != nil {
			row.Policy, row.N, row.Mean, row.CI = best.Policy, best.N, best.CostUSD.Mean(), best.CostUSD.MeanInterval()
			row.Met, row.Misses = best.Share(), best.Misses()
		}
		out = append(out, row)
	}
	slices.SortStableFunc(out, func(a, b cellRow) int {
		if a.Misses != b.Misses {
			return boolOrder(b.Misses, a.Misses)
		}
		if a.Misses && a.Met != b.Met {
			return cmp.Compare(b.Met, a.Met)
		}
		return cmp.Compare(a.Mean, b.Mean)
	})
	return out
}

// best is the row of the best policy for an objective of some name; nil if there is none.
func (s *Study) best(objective string) *row {
	if i := s.place(objective); i >= 0 {
		return s.objectives[i].Best()
	}
	return nil
}
