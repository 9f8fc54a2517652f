package market

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

// recordedPool is a pool of recorded histories, on the run's own clock.
type recordedPool struct {
	history sim.History
	drawn   *track // what is replayed anew for every seed; nil: nothing
}

// forSeed returns the pool's history for a seed.
func (r *recordedPool) forSeed(seed uint64) (sim.History, error) {
	h := r.history
	if r.drawn == nil {
		return h, nil
	}
	t := *r.drawn
	t.replay.Seed = seed
	held, _, err := t.history()
	h.Capacity, h.Nodes = held.Capacity, held.Nodes
	return h, err
}

// track is one pool of a source, and how it is replayed.
type track struct {
	source
	name   string // of the history
	pool   int
	replay replay.Replay
	window replay.Window
}

func (t *track) history() (sim.History, sim.Time, error) {
	hs, end, err := t.replay.Histories(t.trace, t.window, t.pool)
	if err != nil {
		return sim.History{}, 0, err
	}
	return hs[0], end, nil
}

// String names the pool, and the instant that is the start of a run.
func (t *track) String() string {
	return fmt.Sprintf("%s/%s from %s", t.name, t.trace.Pools()[t.pool].Name, stamp(t.from))
}
