package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
)

// moves are what carrying the job's state to other pools takes, and where the state is. Where none takes more than the
// boot of an instance, USD or seconds, they are left out, and there is one place.
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

// move is the place where the state is after a move, and what the move takes, USD and seconds.
type move struct {
	to            int
	paid, stopped float64
}

// locate looks up what moves take, and where the job's state is.
func (m *moves) locate(p *planner) {
	m.state = m.state[:0]
	m.places = append(m.places[:0], 0)
	m.any = m.takeMoreThanBoots(p)
	if !m.any {
		return
	}
	m.listSites(p)
	for k, site := range m.site {
		if p.job.StateIn(k) && !slices.Contains(m.state, site) {
			m.state = append(m.state, site)
		}
	}
}

// takeMoreThanBoots reports whether a move between two pools takes more than the boot of an instance, USD or seconds.
func (m *moves) takeMoreThanBoots(p *planner) bool {
	n := p.view.Pools()
	for from := range n {
		for to := range n {
			move := p.job.Move(from, to)
			boot := p.pools[to].boot
			if move.USD > p.prices[to]*boot/3600 || move.Time.Seconds() > boot {
				return true
			}
		}
	}
	return false
}

// listSites sorts the pools by where they are, and lists the moves between.
func (m *moves) listSites(p *planner) {
	m.site = m.site[:0]
	m.first = m.first[:0]
	m.places = m.places[:0]
	for k := range p.view.Pools() {
		site := m.siteOf(p, k)
		if site == len(m.first) {
			m.first = append(m.first, k)
			if p.pools[k].spot {
				m.places = append(m.places, site)
			}
		}
		m.site = append(m.site, site)
	}
	m.usd = m.usd[:0]
	m.seconds = m.seconds[:0]
	for _, from := range m.first {
		for _, to := range m.first {
			move := p.job.Move(from, to)
			m.usd = append(m.usd, move.USD)
			m.seconds = append(m.seconds, move.Time.Seconds())
		}
	}
}

// siteOf returns the site of a pool among those that are listed, or the number of the next one.
func (m *moves) siteOf(p *planner, k int) int {
	pool := p.view.Pool(k)
	for site, first := range m.first {
		other := p.view.Pool(first)
		if other.Zone == pool.Zone && other.Region == pool.Region && other.Cloud == pool.Cloud &&
			other.OnDemand == pool.OnDemand {
			return site
		}
	}
	return len(m.first)
}

// isFree reports whether a move between two sites takes nothing.
func (m *moves) isFree(from, to int) bool {
	i := from*len(m.first) + to
	return m.usd[i] == 0 && m.seconds[i] == 0
}

// carry returns what it takes to have the state, which is in some sites, in the pools of a cluster too, USD and
// seconds: to each from where that costs least; moves go side by side. It leaves in reached where the state is then:
// in the pools of the cluster, if it has any.
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
		if len(m.reached) > 0 {
			paid, stopped := m.cheapestTo(m.site[k])
			usd += paid
			seconds = max(seconds, stopped)
		}
		m.reached = append(m.reached, m.site[k])
	}
	if len(m.reached) > old {
		m.reached = append(m.reached[:0], m.reached[old:]...)
	}
	return usd, seconds
}

// cheapestTo returns the cheapest move to a site from those that were reached, the shortest of those, USD and seconds.
func (m *moves) cheapestTo(site int) (usd, seconds float64) {
	usd = math.Inf(1)
	for _, from := range m.reached {
		i := from*len(m.first) + site
		if m.usd[i] < usd || m.usd[i] == usd && m.seconds[i] < seconds {
			usd = m.usd[i]
			seconds = m.seconds[i]
		}
	}
	return usd, seconds
}

// from returns the move from a place to a cluster. It leaves reached as it was.
func (m *moves) from(place int, counts []int32) move {
	if !m.any {
		return move{}
	}
	m.reached, m.spare = m.spare, m.reached
	site := [1]int{m.places[place]}
	usd, seconds := m.carry(site[:], counts)
	to := place
	if !m.hasReached(place) {
		for other := range m.places {
			if m.hasReached(other) {
				to = other
				break
			}
		}
	}
	m.reached, m.spare = m.spare, m.reached
	return move{to: to, paid: usd, stopped: seconds}
}

// hasReached reports whether the state, once it is carried, is in a place, or gets there for nothing.
func (m *moves) hasReached(place int) bool {
	if !m.any || len(m.reached) == 0 {
		return true
	}
	for _, site := range m.reached {
		if m.isFree(site, m.places[place]) {
			return true
		}
	}
	return false
}

// nearby leaves of what is free what takes no move from one of some sites.
func (m *moves) nearby(sites, free []int) []int {
	m.near = append(m.near[:0], free...)
	for k := range m.near {
		if !slices.ContainsFunc(sites, func(site int) bool { return m.isFree(site, m.site[k]) }) {
			m.near[k] = 0
		}
	}
	return m.near
}

// quality returns what the best cluster there is gains from a place, USD a second, a move to it being paid in the time
// for which it lasts, seconds.
func (m *moves) quality(p *planner, place int, price, lasts float64) float64 {
	usd := 0.0
	clusters, hull := p.frontier.Clusters(p.view, p.free, p.prices)
	for _, i := range hull {
		cluster := &clusters[i]
		usd = max(usd, m.gain(cluster, m.from(place, cluster.Counts), price, lasts))
	}
	if !m.any {
		return usd
	}
	clusters, hull = p.frontier.Clusters(p.view, m.nearby(m.places[place:place+1], p.free), p.prices)
	for _, i := range hull {
		usd = max(usd, m.gain(&clusters[i], move{}, price, lasts))
	}
	return usd
}

func (m *moves) gain(c *ondemand.Cluster, move move, price, lasts float64) float64 {
	return price*c.Rate - c.USD/3600 - (move.paid+move.stopped*price*c.Rate)/lasts
}
