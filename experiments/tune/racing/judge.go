package racing

import "github.com/marigram/marigram/experiments/intervals"

// judge takes settings out whose share is too low and finds the leader.
func (r *Race) judge() {
	for g := range r.rows {
		if r.rows[g].out == "" && r.upperShare(g) < r.Share {
			r.rows[g].out = TooRarely
		}
	}
	r.estimate()
	if r.lead < 0 || !r.mayLead(r.lead) {
		r.lead = r.cheapest(r.mayLead)
	}
	for r.lead >= 0 {
		lead := r.lead
		r.lead = r.cheapest(func(g int) bool { return r.mayLead(g) && (g == lead || !r.isDropped(g, lead)) })
		if r.lead == lead {
			break
		}
	}
}

// upperShare is the upper bound of a setting's share at the level of the race.
func (r *Race) upperShare(g int) float64 {
	blocks := len(r.rows[g].usd)
	return intervals.UpperShare(r.rows[g].met, blocks, r.shareLevel(r.analyses, blocks))
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
		r.costs[g] = mean + meanDifference(&r.rows[g], &r.rows[largest])
	}
}

// mustRun reports whether a setting has to run on beside the leader.
func (r *Race) mustRun(g int) bool { return r.lead < 0 || g != r.lead && !r.isDropped(g, r.lead) }

// mayLead reports whether a setting may lead: as far as its share was estimated.
func (r *Race) mayLead(g int) bool { return r.rows[g].out == "" && r.rows[g].share() >= r.Share }

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

// isDropped reports whether a setting is surely not cheaper than another one by more than the
// margin, or has cost the same on every block so far.
func (r *Race) isDropped(g, lead int) bool {
	setting := &r.rows[g]
	leader := &r.rows[lead]
	blocks := common(setting, leader)
	if blocks < fewest {
		return false
	}
	low, same := lowerDifference(setting, leader, 1+r.Within, r.quantile(blocks))
	return same || low > 0
}

// quantile is that of a comparison of costs on n blocks.
func (r *Race) quantile(n int) float64 {
	quantile, known := r.quantiles[n]
	if !known {
		quantile = studentsT(n, r.costLevel(r.analyses, n))
		r.quantiles[n] = quantile
	}
	return quantile
}

// choose returns the winner. The cheapest setting that may meet the share says what may be paid: it wins itself if its
// share is sure enough, and else the one within the margin of it that met the objective most often. If the share of
// that one is not sure either, the cheapest wins of which it is, whatever it costs; if it is of none, that one stays.
// If none may meet the share, the one that met it most often is looked for among all; -1 if all are out.
func (r *Race) choose() int {
	cheapest := r.cheapest(func(g int) bool { return r.rows[g].out == "" && r.isHopeful(g) })
	if cheapest >= 0 && r.isSure(cheapest) {
		return cheapest
	}
	best := cheapest
	for g := range r.rows {
		may := r.rows[g].out == "" && (cheapest < 0 || r.isLikelyWithin(g, cheapest))
		if may && (best < 0 || r.rows[g].share() > r.rows[best].share()) {
			best = g
		}
	}
	sure := r.cheapest(func(g int) bool { return r.rows[g].out == "" && r.isSure(g) })
	if best >= 0 && sure >= 0 && !r.isSure(best) {
		return sure
	}
	return best
}

// isHopeful reports whether the share that a setting showed, and a standard error more, is high enough.
func (r *Race) isHopeful(g int) bool {
	return shareShown(r.rows[g].met, len(r.rows[g].usd)) >= r.Share
}

// isLikelyWithin reports whether a setting is likely to cost less than another one and the margin.
func (r *Race) isLikelyWithin(g, cheapest int) bool {
	blocks := common(&r.rows[cheapest], &r.rows[g])
	if g == cheapest || blocks < fewest {
		return g == cheapest
	}
	low, _ := lowerDifference(&r.rows[cheapest], &r.rows[g], 1+r.Within, studentsT(blocks, unlikely))
	return low > 0
}

// unlikely is the error probability of what is said to be likely. Wrong guesses cost runs; the promises do not rest on
// them.
const unlikely = 0.2

// isSure reports whether a share is likely to be shown by fresh blocks.
func (r *Race) isSure(g int) bool {
	row := &r.rows[g]
	return intervals.LowerShare(row.met, len(row.usd), r.Alpha) >= r.Share
}
