package pipeline

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// LossRule is what the loss of instances does to a pipelined job.
type LossRule uint8

// The rules.
const (
	// LossRestarts: the job starts again from its last save (checkpoint and
	// restart; Varuna, EuroSys 2022).
	LossRestarts LossRule = iota
	// LossCovered: the predecessor of a lost stage holds its weights and does its
	// work too, until the pipelines are reconfigured; where two neighbours are
	// gone the job starts again from its last save (Bamboo, NSDI 2023).
	LossCovered
	// LossReinstantiated: a replica of each lost stage is alive in another
	// pipeline, from which the pipelines are filled again; where all replicas of a
	// stage are gone the job starts again from its last save (Oobleck, SOSP 2023).
	LossReinstantiated
	// LossMigrated: who is left goes on in another layout, at a cost that depends
	// on who that is (Migrating; Parcae, NSDI 2024).
	LossMigrated
)

func (l LossRule) String() string { return lossRules[l] }

var lossRules = []string{"restarts", "covered", "reinstantiated", "migrated"}

// ParseLossRule reads "restarts", "covered", "reinstantiated" or "migrated".
func ParseLossRule(s string) (LossRule, error) {
	if i := slices.Index(lossRules, s); i >= 0 {
		return LossRule(i), nil
	}
	return 0, fmt.Errorf("loss rule %q, expected one of %v", s, lossRules)
}

// Recovery says what changes cost a pipelined job.
type Recovery struct {
	Loss        LossRule
	Restart     time.Duration // from a loss until training goes on from the last save
	Reconfigure time.Duration // to reconfigure pipelines without going back to a save
	Save        time.Duration // training stops for a save
	Persist     time.Duration // then until the save is safe, while training goes on
	// Slowdown divides the speed while stages are covered, at least 1 (Bamboo's
	// simulator: 1.5).
	Slowdown float64
	// Redundant is the share of the time that goes into replicated computation, at
	// least 0 and below 1. It is for the accounts: the speeds contain that
	// computation already.
	Redundant float64
	// Copies are for LossRestarts only.
	Copies Copies
}

// LayoutSpeed is a measured or computed throughput.
type LayoutSpeed struct {
	Pipelines, Stages int
	SamplesPerS       float64
}

// same reports whether two are of one layout.
func (s LayoutSpeed) same(o LayoutSpeed) bool {
	return o.Pipelines == s.Pipelines && o.Stages == s.Stages
}

// Model is a sim.Model of synchronous training on pipelines for a number of
// samples. Its progress is samples and its loss the samples that are left, so
// that the objective loss of a whole job is 0. A step is a global batch. It also
// is a sim.PipelineModel. Instances beyond pipelines times stages are spares.
type Model struct {
	Total    float64 // samples of the job, above 0
	Batch    float64 // samples of a step
	Recovery Recovery

	speeds map[[2]int32]float64
	best   [][2]int // by number of instances: the fastest layout
}

// New returns the model with the layouts that have a speed; there is
// none on others. Errors name the layout and what was expected.
func New(total, batch float64, speeds []LayoutSpeed, r Recovery) (*Model, error) {
	switch {
	case !(total > 0) || !(batch > 0) || math.IsInf(total, 0) || math.IsInf(batch, 0):
		return nil, fmt.Errorf("%v samples in steps of %v, expected more than 0", total, batch)
	case len(speeds) == 0:
		return nil, fmt.Errorf("no layout has a speed: the model fits no depth")
	case r.Restart < 0 || r.Reconfigure < 0 || r.Save < 0 || r.Persist < 0:
		return nil, fmt.Errorf("recovery %+v, expected times of at least 0", r)
	case r.Loss == LossCovered && !(r.Slowdown >= 1) || !(r.Redundant >= 0 && r.Redundant < 1):
		return nil, fmt.Errorf("slowdown %v, expected at least 1; redundant %v, expected at least 0 and below 1",
			r.Slowdown,
			r.Redundant)
	}
	if err := r.Copies.check(); err != nil {
		return nil, err
	}
	if r.Copies.N > 0 && r.Loss != LossRestarts {
		return nil, fmt.Errorf("copies with the loss rule %v, expected restarts", r.Loss)
	}
	model := &Model{Total: total, Batch: batch, Recovery: r, speeds: map[[2]int32]float64{}}
	for _, speed := range speeds {
		key := [2]int32{int32(speed.Pipelines), int32(speed.Stages)}
		if speed.Pipelines < 1 || speed.Stages < 1 || speed.Pipelines*speed.Stages > maxInstances ||
			!(speed.SamplesPerS > 0) ||
			math.IsInf(speed.SamplesPerS, 0) {
			return nil, fmt.Errorf("%d pipelines of %d stages at %v samples/s, expected 1 to %d instances and a speed",
				speed.Pipelines, speed.Stages, speed.SamplesPerS, maxInstances)
		}
		if _, twice := model.speeds[key]; twice {
			return nil, fmt.Errorf("%d pipelines of %d stages are given twice", speed.Pipelines, speed.Stages)
		}
		model.speeds[key] = speed.SamplesPerS
	}
	model.rank(speeds)
	return model, nil
}

const maxInstances = 1 << 16

// rank fills in the fastest layout for each number of instances; of equal ones
// the one with fewer instances.
func (m *Model) rank(speeds []LayoutSpeed) {
	largest := 0
	for _, speed := range speeds {
		largest = max(largest, speed.Pipelines*speed.Stages)
	}
	m.best = make([][2]int, largest+1)
	fastest := make([]float64, largest+1)
	for _, speed := range speeds {
		instances := speed.Pipelines * speed.Stages
		if speed.SamplesPerS > fastest[instances] {
			fastest[instances] = speed.SamplesPerS
			m.best[instances] = [2]int{speed.Pipelines, speed.Stages}
		}
	}
	for n := 1; n <= largest; n++ {
		if fastest[n] <= fastest[n-1] {
			fastest[n] = fastest[n-1]
			m.best[n] = m.best[n-1]
		}
	}
}

// Best implements sim.PipelineModel.
func (m *Model) Best(instances int) (pipelines, stages int) {
	best := m.best[min(max(instances, 0), len(m.best)-1)]
	return best[0], best[1]
}

// MaxUseful implements sim.PipelineModel.
func (m *Model) MaxUseful() int { return len(m.best) - 1 }

// Rate implements sim.Model.
func (m *Model) Rate(l *sim.Layout) sim.Rate {
	samplesPerS := m.speeds[[2]int32{l.Pipelines, l.Stages}]
	working := l.Pipelines*l.Stages - l.Holes
	if samplesPerS == 0 || l.Total() < int(working) {
		return sim.Rate{}
	}
	if l.Holes > 0 {
		samplesPerS /= m.Recovery.Slowdown
	}
	step := m.Batch
	if copies := &m.Recovery.Copies; copies.N > 0 {
		step *= copies.every(m.Batch / samplesPerS)
	}
	return sim.Rate{Progress: samplesPerS, Iterations: samplesPerS / m.Batch, Samples: samplesPerS, Working: working,
		Redundant: m.Recovery.Redundant,
		Step:      step}
}

// Begin implements sim.Model.
func (m *Model) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (m *Model) Goal(loss float64) float64 { return m.Total - loss }

// Loss implements sim.Model.
func (m *Model) Loss(progress float64) float64 { return m.Total - progress }

// Change implements sim.Model. An instance without a place is no loss.
func (m *Model) Change(c *sim.Change) sim.Pause {
	recovery := &m.Recovery
	reshaped := c.Grid != sim.Place{Pipeline: c.To.Pipelines, Stage: c.To.Stages}
	if len(c.LostPlaces) > 0 && m.fatal(c) {
		return sim.Pause{Stall: recovery.Restart, As: sim.Restoring, Rollback: true}
	}
	switch {
	case len(c.LostPlaces) > 0 && recovery.Copies.N > 0:
		return sim.Pause{Stall: recovery.Copies.Restart, As: sim.Restoring, DropStep: true}
	case len(c.LostPlaces) > 0 && recovery.Loss == LossCovered && !c.Refill && !reshaped:
		return sim.Pause{Failover: true}
	case len(c.LostPlaces) > 0 || reshaped && c.Grid.Stage > 0:
		return sim.Pause{Stall: recovery.Reconfigure, As: sim.Reconfiguring,
			DropStep: len(c.LostPlaces) > 0 && recovery.Loss == LossReinstantiated}
	}
	return sim.Pause{}
}

// fatal reports whether what is gone cannot be had from who is there.
func (m *Model) fatal(c *sim.Change) bool {
	switch m.Recovery.Loss {
	case LossCovered:
		return adjacent(c.LostPlaces, c.Grid.Stage)
	case LossReinstantiated:
		return extinct(c.LostPlaces, c.Grid.Pipeline)
	}
	if recovery := &m.Recovery; recovery.Copies.N > 0 {
		return !recovery.Copies.survives(c.LostPlaces, c.Grid)
	}
	return true
}

// adjacent reports whether two places that follow one another in a pipeline,
// the first after the last, are hit.
func adjacent(hit []sim.Place, stages int32) bool {
	for _, place := range hit {
		next := sim.Place{Pipeline: place.Pipeline, Stage: (place.Stage + 1) % stages}
		if stages == 1 || slices.Contains(hit, next) {
			return true
		}
	}
	return false
}

// extinct reports whether a stage is hit in every pipeline.
func extinct(hit []sim.Place, pipelines int32) bool {
	for i, place := range hit {
		replicas := int32(1)
		for _, other := range hit[i+1:] {
			if other.Stage == place.Stage {
				replicas++
			}
		}
		if replicas == pipelines {
			return true
		}
	}
	return false
}

// SaveTime implements sim.Model.
func (m *Model) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	return m.Recovery.Save, m.Recovery.Persist
}
