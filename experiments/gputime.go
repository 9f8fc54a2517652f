package experiments

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// utilisation returns the share of the GPU time that was there, until the last job was done, in which jobs held it: of
// the servers, and of spot pools as far as the quota goes; nil where there was none.
func utilisation(t *sim.Totals, c *sim.Config) *float64 {
	there, held := 0.0, 0.0
	for p := range c.Market.Pools() {
		if x := c.Market.Pool(p); !x.OnDemand {
			there += hoursThere(c.Market, p, c.Start, t.End)
			held += t.Pools[p].InstanceHours
		}
	}
	if there <= 0 {
		return nil
	}
	return new(min(held/there, 1))
}

// hoursThere is for how long instances of a pool could be held, within its quota.
func hoursThere(m *sim.Market, p int, from, to sim.Time) (hours float64) {
	quota := m.Pool(p).Quota
	if _, limited := m.Capacity(p, from); !limited {
		return float64(quota) * to.Sub(from).Hours()
	}
	at := m.Changes(p)
	slices.Sort(at)
	at = append(at, to)
	for _, until := range at {
		if until = min(until, to); until > from {
			n, _ := m.Capacity(p, from)
			hours += float64(max(min(n, quota), 0)) * until.Sub(from).Hours()
			from = until
		}
	}
	return hours
}

// serverGroup is the servers of one model of GPU.
type serverGroup struct {
	model string
	first int32 // a pool of it
	gpus  float64
}

// serversOf returns the servers that are always there, by model.
func serversOf(c *sim.Config) (groups []serverGroup) {
	for p := range c.Market.Pools() {
		x := c.Market.Pool(p)
		if _, limited := c.Market.Capacity(p, c.Start); x.OnDemand || limited {
			continue
		}
		g := slices.IndexFunc(groups, func(g serverGroup) bool { return g.model == x.GPU })
		if g < 0 {
			g = len(groups)
			groups = append(groups, serverGroup{model: x.GPU, first: int32(p)})
		}
		groups[g].gpus += float64(x.Quota)
	}
	return groups
}
