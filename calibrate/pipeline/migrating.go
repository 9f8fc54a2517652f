package pipeline

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
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
	for key, v := range p.speeds {
		if key[0] >= p.MinPipelines && slices.Contains(p.Depths, key[1]) {
			speeds = append(speeds, LayoutSpeed{key[0], key[1], v})
		}
	}
	slices.SortFunc(speeds, func(a, b LayoutSpeed) int {
		if a.Pipelines != b.Pipelines {
			return a.Pipelines - b.Pipelines
		}
		return a.Stages - b.Stages
	})
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
	p := m.Model.Rate(l)
	if l.Servers > 0 {
		p.Progress *= 1 - m.ServerShare
		p.Iterations *= 1 - m.ServerShare
		p.Samples *= 1 - m.ServerShare
	}
	return p
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
		return sim.Pause{Stall: ms(m.Reload(to[0], to[1], join, served)), As: sim.Restoring, Rollback: (lost || c.Released && c.Vacated) && !served,
			DropStep: lost}
	}
	r := m.scratches.Get().(*migrationScratch)
	r.gone = r.gone[:0]
	for _, h := range c.LostPlaces {
		r.gone = append(r.gone, int(h.Pipeline*c.Grid.Stage+h.Stage))
	}
	_, cost := m.migrate(from[0], from[1], r.gone, to[0], to[1])
	m.scratches.Put(r)
	p := sim.Pause{Stall: ms(cost), As: sim.Reconfiguring, DropStep: lost}
	if (lost || c.StateLost || c.Released) && extinct(c.LostPlaces, c.Grid.Pipeline) {
		p.As, p.Rollback = sim.Restoring, !served
	}
	return p
}

// ms returns a span of milliseconds, at most 10^12: longer than any trace.
func ms(x float64) time.Duration {
	return time.Duration(min(x, 1e12) * float64(time.Millisecond))
}

// regroup returns the ms to rebuild the groups of a layout in place, without
// a restart.
func (m *Parcae) regroup(pipelines, stages int) float64 {
	return m.groups(pipelines, stages, false) + m.Restart.Process
}

func (m *Parcae) groups(pipelines, stages int, join bool) float64 {
	d, p := float64(pipelines), float64(stages)
	k := 1
	if join {
		k = 0
	}
	cost := m.Restart.Regroup
	for i := len(m.Restart.Groups) - 1; i >= 0; i-- {
		if g := &m.Restart.Groups[i]; pipelines >= g.MinPipelines {
			return cost + g.Fixed[k] + float64(g.PerGroup[k]*(d+p+1+d*p)) + float64(g.PerInstance[k]*d*p)
		}
	}
	return cost
}

// RestartTime returns the ms to start a layout; join: with instances that were
// not in the job before.
func (m *Parcae) RestartTime(pipelines, stages int, join bool) float64 {
	r := &m.Restart
	cost := m.groups(pipelines, stages, join) + r.Process + r.Build(stages)
	if join {
		cost += r.Rendezvous + r.Joining
	}
	return cost
}

// Arrive returns the ms that a migration to another depth takes whichever instances
// survive: a restart, and stages sent to the other pipelines.
func (m *Parcae) Arrive(pipelines, stages int, join bool) float64 {
	cost := m.RestartTime(pipelines, stages, join)
	if pipelines > 1 {
		cost += m.plans[stages].broadcast
	}
	return cost
}

// Reload returns the ms of a restart from a checkpoint, which sends the state of
// all stages; first: there is nothing to save and read back.
func (m *Parcae) Reload(pipelines, stages int, join, first bool) float64 {
	cost := m.RestartTime(pipelines, stages, join)
	if !first {
		cost += m.Restart.Save
	}
	for _, t := range m.plans[stages].transfers {
		cost += t
	}
	return cost
}

// OpenLayoutSpeeds reads the file at path as ReadLayoutSpeeds does.
func OpenLayoutSpeeds(path string) ([]LayoutSpeed, error) {
	return csvtext.Open(path, ReadLayoutSpeeds)
}

// ReadLayoutSpeeds reads a CSV table with the columns pipelines, stages and
// samples_per_s. name is for its errors, which give line, column, value and what
// was expected.
func ReadLayoutSpeeds(name string, r io.Reader) ([]LayoutSpeed, error) {
	t, err := csvtext.Read(name, r, "pipelines", "stages", "samples_per_s")
	if err != nil {
		return nil, err
	}
	var speeds []LayoutSpeed
	for i := range t.Rows {
		var s LayoutSpeed
		if s.Pipelines, err = t.Count(i, "pipelines", 1, 1000); err != nil {
			return nil, err
		}
		if s.Stages, err = t.Count(i, "stages", 1, 1000); err != nil {
			return nil, err
		}
		if s.SamplesPerS, err = t.Number(i, "samples_per_s", 0, 1e9); err != nil {
			return nil, err
		}
		same := func(o LayoutSpeed) bool { return o.Pipelines == s.Pipelines && o.Stages == s.Stages }
		if slices.ContainsFunc(speeds, same) {
			return nil, t.Errorf(i, "stages", "%d x %d is given twice", s.Pipelines, s.Stages)
		}
		speeds = append(speeds, s)
	}
	return speeds, nil
}

// WithSpeeds returns the network with these speeds in place of its own; layouts
// that are not among them do not train. An error if there is one of a depth that
// the network's costs are not known of.
func (m *Parcae) WithSpeeds(speeds []LayoutSpeed) (*Parcae, error) {
	other := *m
	other.Depths = nil
	for _, p := range m.Depths {
		if slices.ContainsFunc(speeds, func(s LayoutSpeed) bool { return s.Stages == p }) {
			other.Depths = append(other.Depths, p)
		}
	}
	for _, s := range speeds {
		if !slices.Contains(other.Depths, s.Stages) {
			return nil, fmt.Errorf("a speed of %d x %d, expected one of %v stages", s.Pipelines, s.Stages, m.Depths)
		}
	}
	return NewParcae(other, speeds), nil
}
