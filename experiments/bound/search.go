package bound

import "math"

// query is what is asked of a state: a cluster of which cost - lambda rate is nearly the least.
type query struct {
	*state
	lambda    float64
	tolerance float64 // a share of the least cost, by which clusters that are cheaper are not looked for
	floor     float64 // no cluster that was passed over for that costs less
}

// isCheaper reports whether clusters that cost no less than a lower bound may be so much cheaper than a cost that they
// are worth a search.
func (q *query) isCheaper(lower, cost float64) bool { return lower < cost-q.tolerance*math.Abs(cost) }

// passOver takes in that clusters that cost no less than a lower bound are not searched.
func (q *query) passOver(lower float64) { q.floor = min(q.floor, lower) }

// search returns the cluster of n workers with the least cost - lambda rate, if that is below a cost. Since R^2/B is
// the largest 2 theta R - theta^2 B over theta, what a cluster costs is the least over theta of a sum over its
// workers, and for one theta the best cluster is the n smallest of these. Within d of the middle m of an interval,
// theta^2 is at least 2 m theta - m^2, which makes the sums linear in theta: their least value is at an end of the
// interval. Intervals are halved until that is no better than the best cluster found.
func (x *mixture) search(q *query, k *kinds, n, servers int, cost float64) corner {
	best := corner{}
	root := math.Sqrt(float64(n))
	kappa := q.lambda * k.gain / root
	fixed := float64(servers) * x.server
	x.intervals = append(x.intervals[:0], interval{k.low, k.high})
	for len(x.intervals) > 0 {
		last := len(x.intervals) - 1
		part := x.intervals[last]
		x.intervals = x.intervals[:last]
		half := (part.high - part.low) / 2
		lower := math.Inf(1)
		for _, theta := range [2]float64{part.low, part.high} {
			lower = min(lower, x.takeBestAt(q.state, k, n, kappa, theta, theta*theta-half*half)+fixed)
			cluster, _ := x.corner(q.state, k, root)
			cluster.cost += fixed
			if value := cluster.costAt(q.lambda); value < cost {
				cost = value
				best = x.withWorkers(cluster, servers)
			}
		}
		if half >= finest*part.high && q.isCheaper(lower, cost) {
			middle := part.low + half
			x.intervals = append(x.intervals, interval{part.low, middle}, interval{middle, part.high})
		} else {
			q.passOver(lower)
		}
	}
	return best
}

// finest is the smallest half of an interval, as a share of theta, that is searched.
const finest = 1e-7

// withWorkers returns the cluster with the workers of counts.
func (x *mixture) withWorkers(cluster corner, servers int) corner {
	cluster.workers = append([]int32(nil), x.counts...)
	cluster.servers = int32(servers)
	return cluster
}

// guess returns a good cluster of any size, with servers, if it is better than another: from the one that Cauchy's
// inequality promises most, theta = R/B gives the next.
func (x *mixture) guess(q *query, other corner, servers int) corner {
	best := other
	for n := 1; n <= q.capacity(); n++ {
		all := x.of(n)
		useful := min(servers, len(all))
		k := &all[useful-1]
		root := math.Sqrt(float64(n))
		if !x.promises(q, k, n, useful, best.costAt(q.lambda)) {
			continue
		}
		for range 3 {
			cluster, theta := x.corner(q.state, k, root)
			cluster.cost += float64(useful) * x.server
			if cluster.costAt(q.lambda) < best.costAt(q.lambda) {
				best = x.withWorkers(cluster, useful)
			}
			x.takeBestAt(q.state, k, n, q.lambda*k.gain/root, theta, theta*theta)
		}
	}
	return best
}

// promises reports whether n workers may be cheaper than a cost, and leaves the most promising ones in counts. By
// Cauchy's inequality R^2/B is no more than the sum of the workers' w^2/a.
func (x *mixture) promises(q *query, k *kinds, n, servers int, cost float64) bool {
	kappa := q.lambda * k.gain / math.Sqrt(float64(n))
	for p := range x.worth {
		x.worth[p] = -kappa * k.strength[p]
	}
	lower := x.takeSmallest(q.state, n) + float64(servers)*x.server
	if q.isCheaper(lower, cost) {
		return true
	}
	q.passOver(lower)
	return false
}

// takeBestAt takes the cluster that is the best at a theta, with a value for its square, and returns its sum.
func (x *mixture) takeBestAt(s *state, k *kinds, n int, kappa, theta, square float64) float64 {
	for p := range x.worth {
		x.worth[p] = -kappa * (2*theta*k.w[p] - square*k.a[p])
	}
	return x.takeSmallest(s, n)
}

// takeSmallest takes the n instances whose price and worth together are the smallest into counts, and returns their
// sum.
func (x *mixture) takeSmallest(s *state, n int) float64 {
	clear(x.counts)
	x.next = x.next[:0]
	for p, levels := range s.levels {
		if len(levels) > 0 {
			x.next = append(x.next, choice{p, 0, x.worth[p] + levels[0].usd})
		}
	}
	sum := 0.0
	for n > 0 {
		smallest := 0
		for i := range x.next {
			if x.next[i].sum < x.next[smallest].sum {
				smallest = i
			}
		}
		next := &x.next[smallest]
		levels := s.levels[next.pool]
		taken := min(n, levels[next.level].n)
		x.counts[next.pool] += int32(taken)
		sum += float64(taken) * next.sum
		n -= taken
		next.level++
		next.sum = math.Inf(1)
		if next.level < len(levels) {
			next.sum = x.worth[next.pool] + levels[next.level].usd
		}
	}
	return sum
}

// corner returns what the cluster of counts does and costs, without servers, and R/B.
func (x *mixture) corner(s *state, k *kinds, root float64) (cluster corner, theta float64) {
	rate := 0.0
	sum := 0.0
	for p, n := range x.counts {
		if n == 0 {
			continue
		}
		rate += float64(n) * k.w[p]
		sum += float64(n) * k.a[p]
		left := int(n)
		for _, l := range s.levels[p] {
			taken := min(left, l.n)
			cluster.cost += float64(taken) * l.usd
			left -= taken
		}
	}
	cluster.rate = rate * rate / (sum * root) * k.gain
	return cluster, rate / sum
}
