package bound

import (
	"encoding/binary"
	"math"
	"slices"
)

// state is what can be held, and at which prices.
type state struct {
	levels       [][]level // by pool, the cheapest first
	maxInstances int       // 0: no limit
	seconds      float64   // in all
	known        []corner  // clusters of the lower convex hull
	maxRate      float64   // no cluster makes more progress per second
}

// level is n instances at a price, USD per second.
type level struct {
	n   int
	usd float64
}

// key is the same for equal states.
func (s *state) key() string {
	out := binary.AppendUvarint(nil, uint64(s.maxInstances))
	for _, levels := range s.levels {
		out = binary.AppendUvarint(out, uint64(len(levels)))
		for _, l := range levels {
			out = binary.AppendUvarint(out, uint64(l.n))
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(l.usd))
		}
	}
	return string(out)
}

// counts is the same for states that differ in prices alone.
func (s *state) counts() string {
	out := binary.AppendUvarint(nil, uint64(s.maxInstances))
	for _, levels := range s.levels {
		n := 0
		for _, l := range levels {
			n += l.n
		}
		out = binary.AppendUvarint(out, uint64(n))
	}
	return string(out)
}

// capacity returns the number of instances that can be held.
func (s *state) capacity() int {
	n := 0
	for _, levels := range s.levels {
		for _, l := range levels {
			n += l.n
		}
	}
	if s.maxInstances > 0 {
		return min(n, s.maxInstances)
	}
	return n
}

// best returns the best of the clusters that are known of a state.
func (s *state) best(lambda float64) corner {
	best := corner{}
	for _, cluster := range s.known {
		if cluster.costAt(lambda) < best.costAt(lambda) {
			best = cluster
		}
	}
	return best
}

// add makes a cluster known, and keeps those of the lower convex hull only, by rate.
func (s *state) add(cluster corner) {
	at := len(s.known)
	for at > 0 && s.known[at-1].rate > cluster.rate {
		at--
	}
	s.known = slices.Insert(s.known, at, cluster)
	hull := s.known[:0]
	for _, c := range s.known {
		for len(hull) > 0 {
			before := corner{}
			if len(hull) > 1 {
				before = hull[len(hull)-2]
			}
			last := hull[len(hull)-1]
			if last.rate < c.rate && slope(before, last) < slope(last, c) {
				break
			}
			if last.rate == c.rate && last.cost <= c.cost {
				break
			}
			hull = hull[:len(hull)-1]
		}
		if len(hull) == 0 || hull[len(hull)-1].rate < c.rate {
			hull = append(hull, c)
		}
	}
	s.known = hull
}

// corner is a cluster, by what it does and costs each second.
type corner struct {
	rate    float64 // progress, or more
	cost    float64 // USD
	workers []int32 // by pool
	servers int32
}

// costAt is what the cluster costs beyond what its progress is worth, where a unit of it is worth lambda.
func (c *corner) costAt(lambda float64) float64 { return c.cost - lambda*c.rate }

// slope returns what more progress costs from one cluster to the next.
func slope(a, b corner) float64 {
	if b.rate <= a.rate {
		return math.Inf(1)
	}
	return (b.cost - a.cost) / (b.rate - a.rate)
}
