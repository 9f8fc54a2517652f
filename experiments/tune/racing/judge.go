package racing

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
