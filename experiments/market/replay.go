package market

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces/replay"
)

// readReplays takes the assumption under which each pool's trace is replayed.
func (m *Markets) readReplays(sources map[string]source) error {
	for i := range m.spec.Market.Pools {
		pool := &m.spec.Market.Pools[i]
		asked := m.spec.ReplayOf(pool)
		assumption := asked.Replay(pool)
		var err error
		if assumption.Lifetime, err = lifetimes(asked.Lifetime, sources); err != nil {
			return m.spec.ErrorAt(fmt.Sprintf("$.market.pools[%d]", i), "lifetime: %v", err)
		}
		if pool.Typical() != "" {
			m.assume(pool, &assumption, sources)
		}
		m.replays = append(m.replays, assumption)
	}
	return nil
}

// assumptions names those of all pools, once where they are the same.
func (m *Markets) assumptions() string {
	var each []string
	first := m.replays[0].String()
	same := true
	for i, r := range m.replays {
		same = same && r.String() == first
		each = append(each, m.spec.Market.Pools[i].Type+" "+r.String())
	}
	if same {
		return first
	}
	return strings.Join(each, "; ")
}

// chooseAdapter takes the adapter that fits what a pool's trace says where the spec
// names none, and says so; it refuses one that is named and cannot be meant. A trace
// that only says whether an instance could be had (0 or 1) is no count: read as one,
// it would never grant a second instance.
func (m *Markets) chooseAdapter(i int, name string, t *track) (said string, err error) {
	pool := &m.spec.Market.Pools[i]
	named := m.spec.ReplayOf(pool).Adapter
	quota := *pool.Quota
	if quota == 1 || !t.trace.Binary(t.pool) {
		return "", nil
	}
	switch r := &t.replay; {
	case r.Adapter == replay.PerEvent:
		return "", refused(t, quota, "and no machines, which per_event replays",
			"replay: {adapter: binary_all}   # while it is 1, there is capacity for the quota")
	case r.Adapter != replay.CountCap && r.Adapter != replay.LaunchOnly, r.Granted(1) >= quota:
		return "", nil // no count is read, or one that is scaled
	case named == "" && r.Granted(1) == 1:
		r.Adapter = replay.BinaryAll
		m.warn("%s: the adapter binary_all was chosen, because its trace only says whether an instance could be "+
			"had (0 or 1): 1 is taken as capacity for the quota of %d (replay: {adapter: binary_all} confirms it)",
			name, quota)
		return " (chosen: the trace is 0 or 1)", nil
	case r.Adapter == replay.LaunchOnly:
		launch := fmt.Sprintf("replay: {adapter: launch_only, scale: %d, lifetime: ...}", quota)
		return "", refused(t, quota, fmt.Sprintf("so launch_only has capacity for %d", r.Granted(1)),
			launch+"   # while it is 1, the quota can be launched",
			fmt.Sprintf("quota: %d", r.Granted(1)))
	}
	return "", refused(t, quota, fmt.Sprintf("so count_cap never grants more than %d", t.replay.Granted(1)),
		"replay: {adapter: binary_all}   # while it is 1, there is capacity for the quota",
		fmt.Sprintf("quota: %d", t.replay.Granted(1)))
}

// refused is the error of an adapter that does not go with a trace of 0 and 1, with
// the lines of a spec that do.
func refused(t *track, quota int, why string, instead ...string) error {
	text := fmt.Sprintf("trace %s only says whether an instance could be had (0 or 1), %s, but the quota is "+
		"%d; expected one of", t.name, why, quota)
	for _, line := range instead {
		text += "\n    " + line
	}
	return fmt.Errorf("%s", text)
}
