package bound

import "math"

// search returns the cluster of n workers with the least cost - lambda rate, if that is
// less than a value. Since R^2/B is the largest 2 theta R - theta^2 B over theta, a
// cluster's value is the least over theta of a sum over its workers, and for one theta the
// best cluster is the n smallest of these. Within d of the middle m of an interval,
// theta^2 is at least 2 m theta - m^2, which makes the sums linear in theta: their least
// value is at an end of the interval. Intervals are halved until that is no better than
// the best cluster found.
func (x *mixture) search(q *query, k *kinds, n, servers int, value float64) (best corner) {
	root := math.Sqrt(float64(n))
	kappa := q.lambda * k.gain / root
	fixed := float64(servers) * x.server
	x.parts = append(x.parts[:0], interval{k.lo, k.hi})
	for len(x.parts) > 0 {
		part := x.parts[len(x.parts)-1]
		x.parts = x.parts[:len(x.parts)-1]
		half, smallest := (part.hi-part.lo)/2, math.Inf(1)
		for _, theta := range [2]float64{part.lo, part.hi} {
			smallest = min(smallest, x.fill(q.state, k, n, kappa, theta, theta*theta-half*half)+fixed)
			c, _ := x.corner(q.state, k, root)
			c.cost += fixed
			if v := c.value(q.lambda); v < value {
				best, value = c, v
				best.workers, best.servers = append([]int32(nil), x.counts...), int32(servers)
			}
		}
		if half < finest*part.hi {
			q.floor = min(q.floor, smallest)
		} else if q.value(smallest, value) {
			x.parts = append(x.parts, interval{part.lo, part.lo + half}, interval{part.lo + half, part.hi})
		}
	}
	return best
}

// finest is the smallest half of an interval, as a share of theta, that is searched.
const finest = 1e-7

// query is what is asked of a state.
type query struct {
	*state
	lambda    float64
	tolerance float64 // a share of the best value, below which better clusters are not looked for
	floor     float64 // no cluster's value that was passed over for that is less
}

// worth reports whether clusters whose values are not below a bound are worth a search.
func (q *query) value(bound, value float64) bool {
	if bound < value-q.tolerance*math.Abs(value) {
		return true
	}
	q.floor = min(q.floor, bound)
	return false
}

// guess returns a good cluster of each size, with n servers, if it is better than
// another: from the one that Cauchy's inequality promises most, theta = R/B gives the next.
func (x *mixture) guess(q *query, other corner, servers int) corner {
	best := other
	for n := 1; n <= q.capacity(); n++ {
		all := x.of(n)
		i := min(servers, len(all))
		k, root := &all[i-1], math.Sqrt(float64(n))
		if !x.promises(q, k, n, i, best.value(q.lambda)) {
			continue
		}
		for range 3 {
			c, theta := x.corner(q.state, k, root)
			c.cost += float64(i) * x.server
			if c.value(q.lambda) < best.value(q.lambda) {
				c.workers, c.servers = append([]int32(nil), x.counts...), int32(i)
				best = c
			}
			x.fill(q.state, k, n, q.lambda*k.gain/root, theta, theta*theta)
		}
	}
	return best
}

// promises reports whether n workers may be better than a value. By Cauchy's inequality
// R^2/B is no more than the sum of the workers' w^2/a.
func (x *mixture) promises(q *query, k *kinds, n, servers int, value float64) bool {
	kappa := q.lambda * k.gain / math.Sqrt(float64(n))
	for p := range x.value {
		x.value[p] = -kappa * k.strength[p]
	}
	return q.value(x.take(q.state, n)+float64(servers)*x.server, value)
}

// fill takes the cluster that is the best at a theta, with a value for its square.
func (x *mixture) fill(s *state, k *kinds, n int, kappa, theta, square float64) float64 {
	for p := range x.value {
		x.value[p] = -kappa * (2*theta*k.w[p] - square*k.a[p])
	}
	return x.take(s, n)
}

// take takes the n instances whose price and value together are the smallest into
// x.counts, and returns their sum.
func (x *mixture) take(s *state, n int) (sum float64) {
	clear(x.counts)
	x.next = x.next[:0]
	for p, levels := range s.levels {
		if len(levels) > 0 {
			x.next = append(x.next, choice{p, 0, x.value[p] + levels[0].usd})
		}
	}
	for left := n; left > 0; {
		at := 0
		for i := range x.next {
			if x.next[i].sum < x.next[at].sum {
				at = i
			}
		}
		c := &x.next[at]
		levels := s.levels[c.pool]
		m := min(left, levels[c.level].n)
		x.counts[c.pool] += int32(m)
		sum += float64(m) * c.sum
		left -= m
		if c.level++; c.level < len(levels) {
			c.sum = x.value[c.pool] + levels[c.level].usd
		} else {
			c.sum = math.Inf(1)
		}
	}
	return sum
}

// corner returns what the cluster of x.counts does and costs, without servers, and R/B.
func (x *mixture) corner(s *state, k *kinds, root float64) (c corner, theta float64) {
	rate, sum := 0.0, 0.0
	for p, n := range x.counts {
		if n == 0 {
			continue
		}
		rate += float64(n) * k.w[p]
		sum += float64(n) * k.a[p]
		left := int(n)
		for _, l := range s.levels[p] {
			m := min(left, l.n)
			c.cost += float64(m) * l.usd
			left -= m
		}
	}
	c.rate = rate * rate / (sum * root) * k.gain
	return c, rate / sum
}
