package racing

import (
	"cmp"
	"slices"
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
	if r.first < 0 || !r.eligible(r.first) {
		r.first = r.cheapest(r.eligible)
	}
	for r.first >= 0 {
		first := r.first
		r.first = r.cheapest(func(g int) bool { return r.eligible(g) && (g == first || !r.dropped(g, first)) })
		if r.first == first {
			break
		}
	}
	if r.lead = r.first; r.lead < 0 || r.surer(r.lead) {
		return
	}
	if sure := r.cheapest(func(g int) bool { return r.eligible(g) && r.surer(g) && r.near(g) }); sure >= 0 {
		r.lead = sure
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

// near reports whether a setting costs so little more than the first one, as estimated,
// that it may well be proven to be within the margin.
func (r *Race) near(g int) bool { return r.costs[g] <= r.costs[r.first]*(1+r.Within/2) }

// rest reports whether a setting has to run on: it is not dropped, or a rival.
func (r *Race) rest(g int) bool {
	if r.lead < 0 {
		return true
	}
	return g != r.lead && (slices.Contains(r.rivals, g) || !r.dropped(g, r.lead))
}

// maxRivals is the number of settings that run on beside a leader whose share is in doubt.
const maxRivals = 5

// findRivals finds the settings that may be proven in place of a leader whose share is in
// doubt: those near it that met the objective most often, and more often than it.
func (r *Race) findRivals() {
	r.rivals = r.rivals[:0]
	if r.lead < 0 || r.surer(r.lead) {
		return
	}
	for g := range r.rows {
		if r.eligible(g) && r.near(g) && r.rows[g].share() > r.rows[r.lead].share() {
			r.rivals = append(r.rivals, g)
		}
	}
	slices.SortStableFunc(r.rivals, func(a, b int) int { return cmp.Compare(r.rows[b].share(), r.rows[a].share()) })
	r.rivals = r.rivals[:min(len(r.rivals), maxRivals)]
}

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

// choose returns the setting that is to be proven: the leader if its share is likely to be
// proven, else the one that met the objective most often of those that are near; without a
// leader, of all.
func (r *Race) choose() int {
	best := r.lead
	for g := range r.rows {
		may := r.rows[g].out == "" && (r.lead < 0 || !r.surer(r.lead) && r.near(g))
		if may && (best < 0 || r.rows[g].share() > r.rows[best].share()) {
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
