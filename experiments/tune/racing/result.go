package racing

import "math"

// Result is what a race came to.
type Result struct {
	// Winner is the setting to choose; -1 if none can meet the share. It is proven, or
	// else the likeliest: the first whose proof was tried, or the leader.
	Winner int
	Proven bool // the winner's share is
	// Decided says that no setting that may meet the share is cheaper than the winner by
	// more than the margin.
	Decided  bool
	Attempts []Attempt
	Runs     int64 // in all
	Blocks   int   // most that a setting ran in the race
	Settings []Standing
}

// Standing is what is known of a setting after a race.
type Standing struct {
	Blocks int // of the race
	Met    int
	USD    float64 // mean over these blocks; NaN without any
	// Diff is the mean of its cost less the winner's, on the blocks of both, in USD; NaN
	// without a winner.
	Diff float64
	Out  Reason // why it cannot win; empty if it could
	// Close says that it may cost less than the winner, by however little.
	Close bool
	// UpperShare is the upper bound of its share at the level of the race.
	UpperShare float64
}

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
		res.Settings = append(res.Settings, r.standing(g, res.Winner))
	}
	r.result = res
}

func (r *Race) standing(g, winner int) Standing {
	row := &r.rows[g]
	n := len(row.usd)
	s := Standing{Blocks: n, Met: row.met, USD: row.mean(), Out: row.out, UpperShare: 1, Diff: math.NaN()}
	if winner >= 0 {
		s.Diff = less(row, &r.rows[winner])
	}
	if n > 0 {
		s.UpperShare = upperShare(row.met, n, r.shareLevel(r.looks, n))
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
