package market

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

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
