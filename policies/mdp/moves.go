package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
)

// moves are what carrying the job's state to other pools takes, and where the state is. Where none takes more than the boot of an instance, USD or
// seconds, they are left out, and there is one place.
type moves struct {
	any     bool
	site    []int     // by pool: pools of one zone are one site, those on demand another one
	first   []int     // by site: its first pool
	usd     []float64 // by two sites: from the first to the second
	seconds []float64 // in the same order; training stops for it
	places  []int     // sites with spot pools
	state   []int     // sites where the state is; none before training has begun
	reached []int     // sites where the state is once it is carried
	spare   []int     // scratch
	near    []int     // scratch, by pool
}

// carry is a move: the place where the state is then, and what it takes, USD and seconds.
type carry struct {
	to            int
	paid, stopped float64
}

// locate looks up what moves take, and where the job's state is.
func (m *moves) locate(p *planner) {
	n := p.v.Pools()
	m.any, m.state, m.places = false, m.state[:0], append(m.places[:0], 0)
	for i := 0; i < n*n && !m.any; i++ {
		x, boot := p.job.Move(i/n, i%n), p.pools[i%n].boot
		m.any = x.USD > p.usd[i%n]*boot/3600 || x.Time.Seconds() > boot
	}
	if !m.any {
		return
	}
	m.sites(p)
	for k, s := range m.site {
		if p.job.StateIn(k) && !slices.Contains(m.state, s) {
			m.state = append(m.state, s)
		}
	}
}

// sites sorts the pools by where they are, and lists the moves between.
func (m *moves) sites(p *planner) {
	m.site, m.first, m.places = m.site[:0], m.first[:0], m.places[:0]
	for k := range p.v.Pools() {
		of, s := p.v.Pool(k), 0
		for ; s < len(m.first); s++ {
			if x := p.v.Pool(m.first[s]); x.Zone == of.Zone && x.Region == of.Region && x.Cloud == of.Cloud && x.OnDemand == of.OnDemand {
				break
			}
		}
		if s == len(m.first) {
			m.first = append(m.first, k)
			if !of.OnDemand {
				m.places = append(m.places, s)
			}
		}
		m.site = append(m.site, s)
	}
	m.usd, m.seconds = m.usd[:0], m.seconds[:0]
	for _, from := range m.first {
		for _, to := range m.first {
			x := p.job.Move(from, to)
			m.usd, m.seconds = append(m.usd, x.USD), append(m.seconds, x.Time.Seconds())
		}
	}
}

// free reports whether a move between two sites takes nothing.
func (m *moves) free(from, to int) bool {
	i := from*len(m.first) + to
	return m.usd[i] == 0 && m.seconds[i] == 0
}

// carry returns what it takes to have the state, which is in some sites, in the pools of a cluster too, USD and seconds: to each from where that costs
// least; moves go side by side. It leaves in reached where the state is then: in the pools of the cluster, if it has any.
func (m *moves) carry(from []int, counts []int32) (usd, seconds float64) {
	m.reached = append(m.reached[:0], from...)
	if !m.any {
		return 0, 0
	}
	old := len(from)
	for k, n := range counts {
		if n == 0 || slices.Contains(m.reached[old:], m.site[k]) {
			continue
		}
		least, longest := math.Inf(1), 0.0
		for _, at := range m.reached {
			i := at*len(m.first) + m.site[k]
			if x := m.usd[i]; x < least || x == least && m.seconds[i] < longest {
				least, longest = x, m.seconds[i]
			}
		}
		if len(m.reached) > 0 {
			usd, seconds = usd+least, max(seconds, longest)
		}
		m.reached = append(m.reached, m.site[k])
	}
	if len(m.reached) > old {
		m.reached = append(m.reached[:0], m.reached[old:]...)
	}
	return usd, seconds
}

// from returns the move from a place to a cluster.
func (m *moves) from(place int, counts []int32) (out carry) {
	m.reached, m.spare = m.spare, m.reached
	defer func() { m.reached, m.spare = m.spare, m.reached }()
	if !m.any {
		return carry{}
	}
	out.to = place
	at := [1]int{m.places[place]}
	out.paid, out.stopped = m.carry(at[:], counts)
	if !m.there(place) {
		for z := range m.places {
			if m.there(z) {
				out.to = z
				break
			}
		}
	}
	return out
}

// there reports whether the state, once it is carried, is in a place, or gets there for nothing.
func (m *moves) there(place int) bool {
	if !m.any || len(m.reached) == 0 {
		return true
	}
	for _, s := range m.reached {
		if m.free(s, m.places[place]) {
			return true
		}
	}
	return false
}

// nearby leaves of what is free what takes no move from one of some sites.
func (m *moves) nearby(sites, free []int) []int {
	m.near = append(m.near[:0], free...)
	for k := range m.near {
		if !slices.ContainsFunc(sites, func(s int) bool { return m.free(s, m.site[k]) }) {
			m.near[k] = 0
		}
	}
	return m.near
}

// without goes through what is free without a move from where the state is; before training has begun it may begin in any place.
func (m *moves) without(free []int, each func(free []int)) {
	switch {
	case !m.any:
	case len(m.state) > 0:
		each(m.nearby(m.state, free))
	default:
		for z := range m.places {
			each(m.nearby(m.places[z:z+1], free))
		}
	}
}

// quality returns what the best cluster there is gains from a place, USD a second, a move to it being paid in the time for which it lasts, seconds.
func (m *moves) quality(p *planner, place int, price, lasts float64) (usd float64) {
	all, hull := p.front.Clusters(p.v, p.free, p.usd)
	for _, h := range hull {
		usd = max(usd, m.gain(&all[h], m.from(place, all[h].Counts), price, lasts))
	}
	if !m.any {
		return usd
	}
	all, hull = p.front.Clusters(p.v, m.nearby(m.places[place:place+1], p.free), p.usd)
	for _, h := range hull {
		usd = max(usd, m.gain(&all[h], carry{}, price, lasts))
	}
	return usd
}

func (m *moves) gain(c *ondemand.Cluster, x carry, price, lasts float64) float64 {
	return price*c.Rate - c.USD/3600 - (x.paid+x.stopped*price*c.Rate)/lasts
}
