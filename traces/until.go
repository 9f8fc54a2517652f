package traces

// Until returns the part of s that was known at an instant, us UTC: no row after it is left, nor
// anything that later rows said of earlier ones. The observation ends there, also where the
// recording ended before: what was known last holds until then. Pools of which nothing was known
// are left out, and so are gaps that lasted longer. The most machines of a pool are the most that
// were seen. s is as before.
func (s *Set) Until(t int64) *Set {
	out := &Set{Manifest: s.Manifest}
	out.Manifest.TEndUs = t + 1
	place := make([]int32, len(s.Pools)) // in out, from 1
	seen := func(pool int32, at int64) bool {
		if at > t {
			return false
		}
		place[pool] = 1
		return true
	}
	prices := known(s.Prices, func(r *PriceRow) bool { return seen(r.PoolID, r.T) })
	capacity := known(s.Capacity, func(r *CapacityRow) bool { return seen(r.PoolID, r.T) })
	probes := known(s.Probes, func(r *ProbeRow) bool { return seen(r.PoolID, r.T) })
	events := known(s.InstanceEvents, func(r *InstanceEventRow) bool { return seen(r.PoolID, r.T) })
	jobs := known(s.Jobs, func(r *JobRow) bool { return r.T <= t })
	for i := range s.Pools {
		if place[i] > 0 {
			p := s.Pools[i]
			p.PoolID = int32(len(out.Pools))
			out.Pools = append(out.Pools, p)
			place[i] = int32(len(out.Pools))
		}
	}
	gaps := known(s.Gaps, func(g *GapRow) bool { return g.TEnd <= t && place[g.PoolID] > 0 })
	largest := make([]int32, len(s.Pools)+1)
	for i := range capacity {
		largest[place[capacity[i].PoolID]] = max(largest[place[capacity[i].PoolID]], capacity[i].Available)
	}
	renumber(prices, place, func(r *PriceRow) *int32 { return &r.PoolID })
	renumber(capacity, place, func(r *CapacityRow) *int32 { return &r.PoolID })
	renumber(probes, place, func(r *ProbeRow) *int32 { return &r.PoolID })
	renumber(events, place, func(r *InstanceEventRow) *int32 { return &r.PoolID })
	renumber(gaps, place, func(r *GapRow) *int32 { return &r.PoolID })
	for i := range capacity {
		r := &capacity[i]
		r.Cap = largest[r.PoolID+1]
		r.Censored = r.Available == r.Cap
	}
	out.Prices = prices
	out.Capacity = capacity
	out.Probes = probes
	out.InstanceEvents = events
	out.Jobs = jobs
	out.Gaps = gaps
	out.Manifest.Rows = out.Counts()
	return out
}

// known returns copies of the rows that were known.
func known[T any](rows []T, is func(*T) bool) (out []T) {
	for i := range rows {
		if is(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

// renumber gives rows the places of their pools.
func renumber[T any](rows []T, place []int32, pool func(*T) *int32) {
	for i := range rows {
		p := pool(&rows[i])
		*p = place[*p] - 1
	}
}
