package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Migrating is a sim.Model of pipelines that go from one layout to another by
// live migration, as Parcae's do (NSDI 2024, section 6): what a change costs
// depends on which places are hit and on who is left. It also is a
// sim.PipelineModel and, for planners, what its Parcae is.
//
// State is safe on parameter servers where the plan has some (ParcaePS, section
// 9.3: always up to date), else in the last save. They take their share of the
// speed.
type Migrating struct {
	*Model
	*Parcae
	// ServerShare is the share of the speed that keeping parameter servers up to
	// date takes, [0, 1). The paper gives none; its simulator has 0.
	ServerShare float64
}

// NewMigrating returns the model of a job of n samples on the layouts that
// the profile has a speed for.
func NewMigrating(total float64, p *Parcae, save time.Duration, serverShare float64) (*Migrating, error) {
	if !(serverShare >= 0 && serverShare < 1) {
		return nil, fmt.Errorf("parameter servers take %v of the speed, expected at least 0 and below 1", serverShare)
	}
	var speeds []LayoutSpeed
	for key, speed := range p.speeds {
		if key[0] >= p.MinPipelines && slices.Contains(p.Depths, key[1]) {
			speeds = append(speeds, LayoutSpeed{key[0], key[1], speed})
		}
	}
	slices.SortFunc(speeds, func(a, b LayoutSpeed) int { return cmp.Or(a.Pipelines-b.Pipelines, a.Stages-b.Stages) })
	model, err := New(total, float64(p.Batch), speeds, Recovery{Loss: LossMigrated, Save: save})
	if err != nil {
		return nil, err
	}
	return &Migrating{model, p, serverShare}, nil
}

// Best implements sim.PipelineModel.
func (m *Migrating) Best(instances int) (pipelines, stages int) { return m.Model.Best(instances) }

// Rate implements sim.Model.
func (m *Migrating) Rate(l *sim.Layout) sim.Rate {
	rate := m.Model.Rate(l)
	if l.Servers > 0 {
		rate.Progress *= 1 - m.ServerShare
		rate.Iterations *= 1 - m.ServerShare
		rate.Samples *= 1 - m.ServerShare
	}
	return rate
}

// SaveTime implements sim.Model: where there are parameter servers, none is needed.
func (m *Migrating) SaveTime(l *sim.Layout) (stall, persist time.Duration) {
	if l.Servers > 0 {
		return 0, 0
	}
	return m.Recovery.Save, m.Recovery.Persist
}

// Change implements sim.Model. Instances without a place are no loss. The step
// under way is lost with instances that left without being taken out of the
// layout first; with no replica of a stage left, and no parameter servers, all since the
// last save is, and so it is in a restart.
func (m *Migrating) Change(c *sim.Change) sim.Pause {
	reshaped := c.To.Pipelines != c.Grid.Pipeline || c.To.Stages != c.Grid.Stage
	if len(c.LostPlaces) == 0 && !reshaped || m.Model.Rate(c.To).Progress == 0 {
		return sim.Pause{}
	}
	lost := c.Lost > 0 && len(c.LostPlaces) > 0
	served := c.To.Servers > 0 && !c.Unserved // one that came later has nothing to give
	from := [2]int{int(c.Grid.Pipeline), int(c.Grid.Stage)}
	to := [2]int{int(c.To.Pipelines), int(c.To.Stages)}
	if c.Restart {
		join := to[0]*to[1] > from[0]*from[1]-len(c.LostPlaces)
		return sim.Pause{
			Stall:    ms(m.Reload(to[0], to[1], join, served)),
			As:       sim.Restoring,
			Rollback: (lost || c.Released && c.Vacated) && !served,
			DropStep: lost,
		}
	}
	scratch := m.scratches.Get().(*migrationScratch)
	scratch.gone = scratch.gone[:0]
	for _, place := range c.LostPlaces {
		scratch.gone = append(scratch.gone, int(place.Pipeline*c.Grid.Stage+place.Stage))
	}
	_, cost := m.migrate(from[0], from[1], scratch.gone, to[0], to[1])
	m.scratches.Put(scratch)
	pause := sim.Pause{Stall: ms(cost), As: sim.Reconfiguring, DropStep: lost}
	if (lost || c.StateLost || c.Released) && extinct(c.LostPlaces, c.Grid.Pipeline) {
		pause.As = sim.Restoring
		pause.Rollback = !served
	}
	return pause
}

// ms returns a span of milliseconds, at most 10^12: longer than any trace.
func ms(x float64) time.Duration {
	return time.Duration(min(x, 1e12) * float64(time.Millisecond))
}
