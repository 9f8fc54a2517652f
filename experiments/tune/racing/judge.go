package racing

import "math"

// judge takes settings out whose share is too low and finds the leader.
func (r *Race) judge() {
	for g := range r.rows {
		row := &r.rows[g]
		if n := len(row.usd); row.out == "" && upperShare(row.met, n, r.shareLevel(r.looks, n)) < r.Share {
			row.out = TooRarely
		}
	}
	if r.lead < 0 || !r.eligible(r.lead) {
		r.lead = r.cheapest(func(int) bool { return true })
	}
	for r.lead >= 0 {
		lead := r.lead
		r.lead = r.cheapest(func(g int) bool { return g == lead || !r.dropped(g, lead) })
		if r.lead == lead {
			return
		}
	}
}

// eligible reports whether a setting may lead: as far as its share was estimated.
func (r *Race) eligible(g int) bool { return r.rows[g].out == "" && r.rows[g].share() >= r.Share }

// cheapest returns the setting that costs least of those of a kind that may lead; -1 if
// there is none. Settings that ran fewer blocks are compared by their differences from one
// that ran the most.
func (r *Race) cheapest(of func(g int) bool) int {
	most := 0
	for g := range r.rows {
		if len(r.rows[g].usd) > len(r.rows[most].usd) {
			most = g
		}
	}
	best, least := -1, math.Inf(1)
	for g := range r.rows {
		if !r.eligible(g) || !of(g) {
			continue
		}
		if x := less(&r.rows[g], &r.rows[most]); x < least {
			best, least = g, x
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
		x = studentsT(n, r.costLevel(r.looks, n))
		r.quantiles[n] = x
	}
	return x
}

// choose returns the setting that is to be proven, of those that may win whatever the
// others turn out to cost: the leader if its share is surely high enough as far as the
// race went, else the one that met the objective most often.
func (r *Race) choose() int {
	best := r.lead
	for g := range r.rows {
		if r.surer(r.lead) || !r.eligible(g) || r.rows[g].share() <= r.rows[best].share() {
			continue
		}
		if !r.any(func(h int) bool { return h != g && !r.dropped(h, g) }) {
			best = g
		}
	}
	return best
}

// surer reports whether a share is likely to be proven.
func (r *Race) surer(g int) bool {
	row := &r.rows[g]
	return lowerShare(row.met, len(row.usd), r.Alpha) >= r.Share
}
