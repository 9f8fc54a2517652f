package market

import (
	"fmt"
	"strings"
)

// readReplays takes the assumption under which each pool's trace is replayed.
func (m *Markets) readReplays(sources map[string]source) error {
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		x := m.spec.ReplayOf(p)
		r := x.Replay(p)
		var err error
		if r.Lifetime, err = lifetimes(x.Lifetime, sources); err != nil {
			return m.spec.ErrorAt(fmt.Sprintf("$.market.pools[%d]", i), "lifetime: %v", err)
		}
		if p.Typical() != "" {
			m.assume(p, &r, sources)
		}
		m.replays = append(m.replays, r)
	}
	return nil
}

// assumptions names those of all pools, once where they are the same.
func (m *Markets) assumptions() string {
	var each []string
	first, same := m.replays[0].String(), true
	for i, r := range m.replays {
		same = same && r.String() == first
		each = append(each, m.spec.Market.Pools[i].Type+" "+r.String())
	}
	if same {
		return first
	}
	return strings.Join(each, "; ")
}
