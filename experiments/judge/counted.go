package judge

import (
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// counted is what a policy did in the runs of an objective that count.
type counted struct {
	runs, met             int
	usd, overBound, score float64 // sums
	byUnit                map[intervals.Unit]*unitSum
}

// unitSum is what a policy did in the runs of one unit.
type unitSum struct {
	score     float64 // sum
	runs, met int
}

// add adds a run; missed is what a miss counts, in USD.
func (x *counted) add(r *results.Summary, unit intervals.Unit, missed float64) {
	score := r.CostUSD / *r.BoundUSD
	x.overBound += score
	if !r.Met {
		score += missed / *r.BoundUSD
	} else {
		x.met++
	}
	if x.byUnit == nil {
		x.byUnit = map[intervals.Unit]*unitSum{}
	}
	sum := x.byUnit[unit]
	if sum == nil {
		sum = new(unitSum)
		x.byUnit[unit] = sum
	}
	if r.Met {
		sum.met++
	}
	sum.runs++
	sum.score += score
	x.runs++
	x.usd += r.CostUSD
	x.score += score
}
