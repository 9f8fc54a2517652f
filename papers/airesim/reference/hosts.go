package reference

import (
	"math"
	"slices"
	"sort"
)

// selectHosts chooses the servers of the job and its standbys from the working pool, in which those that the job has are, too. It reports
// false where there are fewer than the job needs.
func (r *run) selectHosts() bool {
	need := r.JobSize + r.Standbys
	var list []int32
	switch r.Config.Selection {
	case "fewest":
		list = r.ranked(func(s *server) float64 { return float64(s.failures) })
	case "score":
		list = r.ranked(func(s *server) float64 { return -s.score })
	default: // the first of the pool, in any order
		list = slices.Clone(r.pool[:min(need, len(r.pool))])
		r.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	list = list[:min(need, len(list))]
	if len(list) < r.JobSize {
		return false
	}
	r.active = append(r.active[:0], list[:r.JobSize]...)
	r.standby = append(r.standby[:0], list[r.JobSize:]...)
	r.summed = 0
	r.Selections++
	return true
}

// ranked is the working pool in ascending order of a key, ties by draws.
func (r *run) ranked(key func(s *server) float64) []int32 {
	type place struct {
		key, tie float64
		server   int32
	}
	all := make([]place, len(r.pool))
	for i, s := range r.pool {
		all[i] = place{key(&r.servers[s]), r.rng.Random(), s}
	}
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].key < all[j].key || all[i].key == all[j].key && all[i].tie < all[j].tie
	})
	list := make([]int32, len(all))
	for i := range all {
		list[i] = all[i].server
	}
	return list
}

// firstFailure draws the time until the first failure of an active server, and its place; the time that is left and -1 where the job
// ends before.
func (r *run) firstFailure(left float64) (float64, int) {
	if r.Law != "exponential" {
		return r.firstOfEach(left)
	}
	r.sum()
	total := r.until[len(r.active)-1]
	if total <= 0 {
		return left, -1
	}
	span := r.rng.Expovariate(total)
	if span >= left {
		return left, -1
	}
	at := r.rng.Random() * total
	failed := sort.SearchFloat64s(r.until[:len(r.active)], at)
	if failed == len(r.active) {
		failed = 0
	}
	return span, failed
}

// sum adds up the rates of the active servers, one after the other as Python does: the sums up to the first that changed are kept.
func (r *run) sum() {
	if len(r.until) < len(r.active) {
		r.until = make([]float64, len(r.active))
		r.summed = 0
	}
	total := 0.0
	if r.summed > 0 {
		total = r.until[r.summed-1]
	}
	for i := r.summed; i < len(r.active); i++ {
		total += r.rates[r.active[i]]
		r.until[i] = total
	}
	r.summed = len(r.active)
}

// firstOfEach draws a time for every active server, anew after each failure: a server's age is forgotten.
func (r *run) firstOfEach(left float64) (float64, int) {
	span, failed := math.Inf(1), -1
	gamma, shift := math.Gamma(1+1/r.Shape), 0.5*r.Sigma*r.Sigma
	for i, s := range r.active {
		rate := r.rates[s]
		if rate <= 0 {
			continue
		}
		var x float64
		if r.Law == "weibull" {
			x = r.rng.Weibull(1/rate/gamma, r.Shape)
		} else {
			x = r.rng.Lognormal(math.Log(1/rate)-shift, r.Sigma)
		}
		if x < span {
			span, failed = x, i
		}
	}
	if span >= left {
		return left, -1
	}
	return span, failed
}
