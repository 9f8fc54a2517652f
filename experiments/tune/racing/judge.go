package racing

import (
	"math"
)

// judge takes settings out whose share is too low and finds the leader.
func (r *Race) judge() {
	for g := range r.rows {
		row := &r.rows[g]
		if n := len(row.usd); row.out == "" && upperShare(row.met, n, r.shareLevel(r.analyses, n)) < r.Share {
			row.out = TooRarely
		}
	}
	r.estimate()
	if r.lead < 0 || !r.eligible(r.lead) {
		r.lead = r.cheapest(r.eligible)
	}
	for r.lead >= 0 {
		lead := r.lead
		r.lead = r.cheapest(func(g int) bool { return r.eligible(g) && (g == lead || !r.dropped(g, lead)) })
		if r.lead == lead {
			break
		}
	}
}

// estimate estimates the costs of all settings on the blocks of the one that ran the most:
// of those that ran fewer, by their differences from that one.
func (r *Race) estimate() {
	largest := 0
	for g := range r.rows {
		if len(r.rows[g].usd) > len(r.rows[largest].usd) {
			largest = g
		}
	}
	mean := r.rows[largest].mean()
	for g := range r.rows {
		r.costs[g] = mean + less(&r.rows[g], &r.rows[largest])
	}
}

// rest reports whether a setting has to run on beside the leader.
func (r *Race) rest(g int) bool { return r.lead < 0 || g != r.lead && !r.dropped(g, r.lead) }

// eligible reports whether a setting may lead: as far as its share was estimated.
func (r *Race) eligible(g int) bool { return r.rows[g].out == "" && r.rows[g].share() >= r.Share }

// cheapest returns the setting that costs least, as estimated, of those of a kind; -1 if
// there is none.
func (r *Race) cheapest(of func(g int) bool) int {
	best := -1
	for g, usd := range r.costs {
		if of(g) && (best < 0 || usd < r.costs[best]) {
			best = g
		}
	}
	return best
}

// dropped reports whether a setting is surely not cheaper than another one by more than the
// margin, or has cost the same on every block so far.
func (r *Race) dropped(g, lead int) bool {
	a, b := &r.rows[g], &r.rows[lead]
	n := min(len(a.usd), len(b.usd))
	if n < fewest {
		return false
	}
	low, same := above(a, b, 1+r.Within, r.quantile(n))
	return same || low > 0
}

// quantile is that of a comparison of costs on n blocks.
func (r *Race) quantile(n int) float64 {
	x, known := r.quantiles[n]
	if !known {
		x = studentsT(n, r.costLevel(r.analyses, n))
		r.quantiles[n] = x
	}
	return x
}

// choose returns the setting whose proof is tried next. The cheapest that may meet the share says what may be paid: it is proven itself
// if that is likely to be quick, and else the one within the margin of it that met the objective most often. If none may meet the
// share, that is looked for among all.
func (r *Race) choose() int {
	cheapest := r.cheapest(func(g int) bool { return r.rows[g].out == "" && r.hopeful(g) })
	if cheapest >= 0 && r.surer(cheapest) {
		return cheapest
	}
	best := cheapest
	for g := range r.rows {
		may := r.rows[g].out == "" && (cheapest < 0 || r.likelyWithin(g, cheapest))
		if may && (best < 0 || r.rows[g].share() > r.rows[best].share()) {
			best = g
		}
	}
	return best
}

// hopeful reports whether the share that a setting showed in the race, and a standard error more, is high enough.
func (r *Race) hopeful(g int) bool { return shown(r.rows[g].met, len(r.rows[g].usd)) >= r.Share }

// likelyWithin reports whether a setting is likely to cost less than another one and the margin.
func (r *Race) likelyWithin(g, cheapest int) bool {
	a, b := &r.rows[cheapest], &r.rows[g]
	n := min(len(a.usd), len(b.usd))
	if g == cheapest || n < fewest {
		return g == cheapest
	}
	low, _ := above(a, b, 1+r.Within, studentsT(n, unlikely))
	return low > 0
}

// unlikely is the error probability of what is said to be likely. Wrong guesses cost runs; the promises do not rest on them.
const unlikely = 0.2

// surer reports whether a share is likely to be proven.
func (r *Race) surer(g int) bool {
	row := &r.rows[g]
	return lowerShare(row.met, len(row.usd), r.Alpha) >= r.Share
}

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
