package racing

import (
	"math"
)

// Proven is the end of an attempt whose setting meets the objective in the share of runs
// that was asked for.
const Proven = "proven"

// maxUnproven is the number of settings whose share neither could be proven nor disproven
// after which a race ends. Those that cannot be proven are given up early.
const maxUnproven = 12

// attempt begins one.
func (r *Race) attempt(setting int) {
	level := r.attemptLevel(len(r.attempts) + 1)
	// The first look is where a proof can be: all runs met, at the level of a first look,
	// which is a quarter of all at least.
	smallest := minProof(r.Share, level/4)
	r.attempts = append(r.attempts, Attempt{Setting: setting, analyses: analysesTo(max(smallest, firstAnalysis), r.Fresh), level: level,
		proof: boundary{share: r.Share, level: level}})
	r.current = &r.attempts[len(r.attempts)-1]
}

func (r *Race) addFresh(q *Request, outcomes []Outcome) {
	a := r.current
	if a == nil || q.Setting != a.Setting || q.From != len(a.USD) {
		panic("racing: Add: not the next blocks of the attempt")
	}
	for _, x := range outcomes {
		a.USD = append(a.USD, x.USD)
		if x.Met {
			a.Met++
		}
		if x.Failed {
			r.rows[a.Setting].out = RunFailed
		}
	}
}

// certify returns what has to be run before more can be said of the attempt.
func (r *Race) certify() []Request {
	a, n := r.current, len(r.current.USD)
	p := part(max(number(a.analyses, n, 0), 1), len(a.analyses))
	switch out := r.rows[a.Setting].out; {
	case out == RunFailed:
		r.giveUp(out)
	case n > 0 && a.Met >= a.proof.needed(n, spending(number(a.analyses, n, 0), len(a.analyses))):
		a.End = Proven
		r.finish()
	case n > 0 && upperShare(a.Met, n, r.Alpha/4*p) < r.Share:
		r.giveUp(TooRarely)
	case n == r.Fresh || hopeless(a.Met, n, r.Fresh, r.Share, a.level):
		r.giveUp(Unproven)
	default:
		return []Request{{a.Setting, len(r.attempts), n, after(a.analyses, n, r.Fresh)}}
	}
	return nil
}

// spending is the part of the error that the first k of n analyses may have, all together.
func spending(k, n int) (sum float64) {
	for i := 1; i <= k; i++ {
		sum += part(i, n)
	}
	return sum
}

// giveUp ends the attempt: the race goes on without its setting.
func (r *Race) giveUp(why Reason) {
	r.current.End, r.rows[r.current.Setting].out = string(why), why
	r.current = nil
	if why == Unproven {
		if r.unproven++; r.unproven == maxUnproven {
			r.finish()
		}
	}
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
