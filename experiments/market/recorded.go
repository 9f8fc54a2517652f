package market

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
)

// recordedPool is a pool of recorded traces, on the run's own clock.
type recordedPool struct {
	trace sim.Trace
	drawn *track // what is replayed anew for every seed; nil: nothing
}

// forSeed returns the pool's trace for a seed.
func (r *recordedPool) forSeed(seed uint64) (sim.Trace, error) {
	pool := r.trace
	if r.drawn == nil {
		return pool, nil
	}
	capacity := *r.drawn
	capacity.replay.Seed = seed
	held, _, err := capacity.replayed()
	pool.Capacity = held.Capacity
	pool.Nodes = held.Nodes
	return pool, err
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
	replayed, end, err := t.replay.Traces(t.trace, t.window, t.pool)
	if err != nil {
		return sim.Trace{}, 0, err
	}
	return replayed[0], end, nil
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
	said := fmt.Sprintf("no pool %q in the trace, which has", name)
	if name == "" {
		said = "pool is missing: the trace has"
	}
	err := fmt.Errorf("%s %d pools", said, len(names))
	if hint := registry.DidYouMean("; ", name, names); hint != "" {
		return 0, fmt.Errorf("%w%s", err, hint)
	}
	return 0, fmt.Errorf("%w: %s", err, strings.Join(names[:min(len(names), 12)], ", "))
}

// stamp writes an instant to the microsecond, so that a from that is copied from a message is that instant.
func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339Nano) }
