package racing

import (
	"math"
)

// Result returns what the race came to; nil while it is under way.
func (r *Race) Result() *Result { return r.result }

// finish ends the race.
func (r *Race) finish() {
	res := &Result{Winner: r.lead, Attempts: r.attempts, Runs: r.runs}
	for i := len(r.attempts) - 1; i >= 0; i-- {
		switch r.attempts[i].End {
		case Proven:
			res.Winner, res.Proven = r.attempts[i].Setting, true
		case string(Unproven), "":
			if !res.Proven {
				res.Winner = r.attempts[i].Setting
			}
		}
	}
	if w := res.Winner; w >= 0 {
		res.Decided = true
		for g := range r.rows {
			may := r.rows[g].out == "" || r.rows[g].out == Unproven
			res.Decided = res.Decided && (g == w || !may || r.dropped(g, w))
		}
	}
	for g := range r.rows {
		res.Blocks = max(res.Blocks, len(r.rows[g].usd))
		res.Settings = append(res.Settings, r.rankingRow(g, res.Winner))
	}
	r.result = res
}

func (r *Race) rankingRow(g, winner int) RankingRow {
	row := &r.rows[g]
	n := len(row.usd)
	s := RankingRow{Blocks: n, Met: row.met, USD: row.mean(), Out: row.out, UpperShare: 1, Diff: math.NaN()}
	if winner >= 0 {
		s.Diff = less(row, &r.rows[winner])
	}
	if n > 0 {
		s.UpperShare = upperShare(row.met, n, r.shareLevel(r.analyses, n))
	}
	if winner < 0 || g == winner || row.out != "" {
		return s
	}
	w := &r.rows[winner]
	if m := min(n, len(w.usd)); m < fewest {
		s.Close = true
	} else {
		low, _ := above(row, w, 1, r.quantile(m))
		s.Close = low <= 0
	}
	return s
}

// Same reports whether two settings cost the same, and met the objective as often, on all
// blocks that both ran.
func (r *Race) Same(a, b int) bool {
	x, y := &r.rows[a], &r.rows[b]
	_, same := above(x, y, 1, 0)
	return same && (len(x.usd) != len(y.usd) || x.met == y.met)
}
