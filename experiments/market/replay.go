package market

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/replay"
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

// chooseAdapter takes the adapter that fits what a pool's trace says where the spec
// names none, and says so; it refuses one that is named and cannot be meant. A trace
// that only says whether an instance could be had (0 or 1) is no count: read as one,
// it would never grant a second instance.
func (m *Markets) chooseAdapter(i int, h string, t *track) (said string, err error) {
	p := &m.spec.Market.Pools[i]
	named, quota := m.spec.ReplayOf(p).Adapter, *p.Quota
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
			"had (0 or 1): 1 is taken as capacity for the quota of %d (replay: {adapter: binary_all} confirms it)", h, quota)
		return " (chosen: the trace is 0 or 1)", nil
	case r.Adapter == replay.LaunchOnly:
		return "", refused(t, quota, fmt.Sprintf("so launch_only has capacity for %d", r.Granted(1)),
			fmt.Sprintf("replay: {adapter: launch_only, scale: %d, lifetime: ...}   # while it is 1, the quota can be launched",
				quota),
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

// lifetimes returns the distribution that a spec asks for, nil where it asks for
// none.
func lifetimes(l *spec.Lifetime, sources map[string]source) (d describe.LifetimeDistribution, err error) {
	if l == nil {
		return nil, nil
	}
	switch l.Distribution {
	case spec.Exponential:
		d = describe.ExponentialLifetime(l.MeanH)
	case spec.Bathtub:
		d = l.Bathtub()
	default:
		var pools []int
		src := sources[l.Trace]
		if l.Pool != "" {
			p, err := src.pool(l.Pool)
			if err != nil {
				return nil, err
			}
			pools = append(pools, p)
		}
		if d, err = describe.RecordedLifetimes(src.set, pools...); err != nil {
			return nil, fmt.Errorf("trace %s: %w", l.Trace, err)
		}
	}
	if l.MaxH > 0 {
		d = describe.Capped{LifetimeDistribution: d, Max: time.Duration(l.MaxH * float64(time.Hour))}
	}
	return d, nil
}

// recordedPool is a pool of recorded traces, on the run's own clock.
type recordedPool struct {
	trace sim.Trace
	drawn *track // what is replayed anew for every seed; nil: nothing
}

// forSeed returns the pool's trace for a seed.
func (r *recordedPool) forSeed(seed uint64) (sim.Trace, error) {
	h := r.trace
	if r.drawn == nil {
		return h, nil
	}
	t := *r.drawn
	t.replay.Seed = seed
	held, _, err := t.replayed()
	h.Capacity, h.Nodes = held.Capacity, held.Nodes
	return h, err
}

// track is one pool of a source, and how it is replayed.
type track struct {
	source
	name   string // of the trace
	pool   int
	replay replay.Replay
	window replay.Window
}

func (t *track) replayed() (sim.Trace, sim.Time, error) {
	hs, end, err := t.replay.Traces(t.trace, t.window, t.pool)
	if err != nil {
		return sim.Trace{}, 0, err
	}
	return hs[0], end, nil
}

// String names the pool, and the instant that is the start of a run.
func (t *track) String() string {
	return fmt.Sprintf("%s/%s from %s", t.name, t.trace.Pools()[t.pool].Name, stamp(t.from))
}

// source is a trace that was read.
type source struct {
	trace *replay.Trace
	set   *traces.Set
	from  int64 // us UTC: the start of a run
}

// pool returns a pool of the source by name; an empty name means its only one.
func (s *source) pool(name string) (int, error) {
	pools := s.trace.Pools()
	if name == "" && len(pools) == 1 {
		return 0, nil
	}
	var names []string
	for i, p := range pools {
		if p.Name == name {
			return i, nil
		}
		names = append(names, p.Name)
	}
	err := fmt.Errorf("no pool %q in the trace, which has %d pools", name, len(names))
	if hint := registry.DidYouMean("; ", name, names); hint != "" {
		return 0, fmt.Errorf("%w%s", err, hint)
	}
	return 0, fmt.Errorf("%w: %s", err, strings.Join(names[:min(len(names), 12)], ", "))
}

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339) }
