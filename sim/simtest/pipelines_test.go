package simtest

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Piped is a Linear model on pipelines of stages, of which each makes PerWorker a
// second. A hole is covered at half speed unless the next stage is one, too: then
// all since the last save is lost, in Stall. Laying pipelines out
// again takes Reshape and the step under way, of a progress of 1.
type Piped struct {
	Linear
	Persist time.Duration // from the end of a save until it is safe
}

// Rate implements sim.Model.
func (m Piped) Rate(l *sim.Layout) sim.Rate {
	working := l.Pipelines*l.Stages - l.Holes
	if l.Pipelines == 0 || l.Total() < int(working) {
		return sim.Rate{}
	}
	v := m.PerWorker * float64(l.Pipelines)
	if l.Holes > 0 {
		v /= 2
	}
	return sim.Rate{Progress: v, Iterations: v, Samples: v, Working: working, Redundant: m.Redundant, Step: 1}
}

// Change implements sim.Model.
func (m Piped) Change(c *sim.Change) sim.Pause {
	for i, h := range c.LostPlaces[:max(len(c.LostPlaces)-1, 0)] {
		if next := c.LostPlaces[i+1]; h.Pipeline == next.Pipeline && h.Stage+1 == next.Stage {
			return sim.Pause{Stall: m.Stall, As: sim.Restoring, Rollback: true}
		}
	}
	switch {
	case len(c.LostPlaces) > 0 && !c.Refill:
		return sim.Pause{Failover: true}
	case c.Refill || c.From.Pipelines != c.To.Pipelines:
		return sim.Pause{Stall: m.Reshape, As: sim.Reconfiguring, DropStep: true}
	}
	return sim.Pause{}
}

// SaveTime implements sim.Model.
func (m Piped) SaveTime(*sim.Layout) (stall, persist time.Duration) { return m.Save, m.Persist }
