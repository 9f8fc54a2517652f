package parallel

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Groups is training on replica groups, each of which has the whole model (torchft; HSDP; DiLoCo): a loss costs a group
// and the present step, nothing goes back to a save as long as one group is there, and a group that comes back copies
// the state of another. Accuracy, on which the size of the batch and the time between outer steps have an influence, is
// not modelled.
type Groups struct {
	Samples float64 // of the whole job, above 0
	Batch   float64 // samples of a step of all groups, above 0
	Groups  int     // how many train at most, at least 1
	// Workers are the instances of a group, at least 1; those that are left of a group that lost one fill the places of
	// others.
	Workers int
	Min     int // groups below which nothing trains, at least 1

	Step time.Duration // of a step of all groups, the exchange of gradients included
	// Kept says that the samples of a step stay when groups leave: the others take more each, and a step takes longer.
	// Else they shrink.
	Kept bool

	Every   int           // inner steps between two outer steps (DiLoCo); 0: groups exchange gradients in each step
	Sync    time.Duration // of an outer step; with SyncGB what an exchange takes besides
	SyncGB  float64       // bytes/1e9 that groups exchange in an outer step by a ring: each sends 2(g-1)/g of them
	LinkGBS float64       // 1e9 bytes per second between two groups, above 0 with SyncGB

	Stall   time.Duration // for which the others wait when the number of groups changes
	Restart time.Duration // from when a group can train again until it does, where none was left: from the last save
	Save    time.Duration // as Job has it
	Persist time.Duration
	// Interval is the time between saves under policies that plan none themselves; 0: none, since a loss takes nothing
	// back.
	Interval time.Duration
}

// Replicated is the model of replica groups: a sim.PipelineModel with pipelines of one stage, and a sim.WorkerModel.
type Replicated struct {
	*Model
	setup Groups
}

// NewReplicated returns the model for a number of pools, whose instances are alike. Errors name the field and what was
// expected.
func NewReplicated(g Groups, pools int) (*Replicated, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	job := Job{
		Samples:  g.Samples,
		Batch:    g.Batch,
		Min:      g.Min * g.Workers,
		Max:      g.Groups * g.Workers,
		Restart:  g.Restart,
		Resize:   g.Stall,
		Save:     g.Save,
		Persist:  g.Persist,
		Interval: g.Interval,
	}
	for groups := g.Min; groups <= g.Groups; groups++ {
		job.Sizes = append(job.Sizes, groups*g.Workers)
	}
	if err := job.check(); err != nil {
		return nil, err
	}
	batch := func(workers int) float64 { return g.samples(max(workers/g.Workers, 1)) }
	seconds := func(workers, _ int) float64 { return g.seconds(max(workers/g.Workers, 1)) }
	return &Replicated{newModel(job, pools, batch, seconds), g}, nil
}

func (g *Groups) check() error {
	switch {
	case g.Groups < 1 || g.Workers < 1 || g.Min < 1 || g.Min > g.Groups || g.Groups > maxWorkers/g.Workers:
		return fmt.Errorf("%d groups of %d workers, at least %d of them, expected from 1 to %d instances",
			g.Groups, g.Workers, g.Min, maxWorkers)
	case g.Step <= 0:
		return fmt.Errorf("a step of %v, expected more than 0", g.Step)
	case g.Every < 0 || g.Sync < 0 || g.Stall < 0 || !(g.SyncGB >= 0) || math.IsInf(g.SyncGB, 0):
		return fmt.Errorf("%d steps, %v, %v GB, a stall of %v, expected numbers of at least 0",
			g.Every, g.Sync, g.SyncGB, g.Stall)
	case g.SyncGB > 0 && !(g.LinkGBS > 0):
		return fmt.Errorf("%v GB over a link of %v GB/s, expected more than 0", g.SyncGB, g.LinkGBS)
	}
	return nil
}

// samples returns the samples of a step of so many groups.
func (g *Groups) samples(groups int) float64 {
	if g.Kept {
		return g.Batch
	}
	return g.Batch * float64(groups) / float64(g.Groups)
}

// inner returns the seconds of a step of so many groups without outer steps.
func (g *Groups) inner(groups int) float64 {
	if g.Kept {
		return g.Step.Seconds() * float64(g.Groups) / float64(groups)
	}
	return g.Step.Seconds()
}

// Outer returns the seconds of an outer step of so many groups.
func (g *Groups) Outer(groups int) float64 {
	seconds := g.Sync.Seconds()
	if g.SyncGB > 0 {
		seconds += 2 * float64(groups-1) / float64(groups) * g.SyncGB / g.LinkGBS
	}
	return seconds
}

// seconds returns the seconds of a step of so many groups, with its part of an outer step.
func (g *Groups) seconds(groups int) float64 {
	if g.Every == 0 {
		return g.inner(groups)
	}
	return g.inner(groups) + g.Outer(groups)/float64(g.Every)
}

// Rate implements sim.Model. With outer steps, what is lost is counted from the last of them.
func (m *Replicated) Rate(l *sim.Layout) sim.Rate {
	rate := m.Model.Rate(l)
	if m.setup.Every > 0 {
		rate.Step *= float64(m.setup.Every)
	}
	return rate
}

// Change implements sim.Model. A loss fails the present step of all groups, which ends without a result and is done
// again: that takes as long as one step, whenever in it the loss was. With outer steps, the groups that are lost take
// their part of the work since the last one with them. Where no group was left, all go back to the last save.
func (m *Replicated) Change(c *sim.Change) sim.Pause {
	lost := len(c.LostPlaces) > 0
	if c.Grid.Stage == 0 {
		lost = c.Lost > 0
	}
	was := int(c.Worked)
	is := m.working(c.To)
	g := &m.setup
	switch {
	case c.Vacated || c.StateLost || (was > 0 || lost) && !m.groupLeft(c):
		return sim.Pause{Stall: g.Restart, As: sim.Restoring, Rollback: true}
	case lost && g.Every > 0:
		before := was / g.Workers
		instances := max(int(c.Lost), len(c.LostPlaces))
		gone := min((instances+g.Workers-1)/g.Workers, before)
		share := float64(gone) / float64(max(before, 1))
		return sim.Pause{Stall: g.Stall, As: sim.Reconfiguring, DropStep: true, DropShare: share}
	case lost:
		groups := max(is/g.Workers, g.Min) // fewer train nothing: the step is done again when there are enough
		failed := units.Seconds(g.inner(groups))
		return sim.Pause{Stall: failed + g.Stall, As: sim.Reconfiguring}
	case was > 0 && was != is:
		return sim.Pause{Stall: g.Stall, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// groupLeft reports whether some group had the state of the job all the time of a change. If the layout before it
// trained, all that were lost were lost from it; if it did not, they were lost before it was laid out, and those that
// are in it have copied the state.
func (m *Replicated) groupLeft(c *sim.Change) bool {
	left := c.From.Total()
	if m.working(c.From) > 0 {
		left -= int(c.Lost)
	}
	return left >= m.setup.Workers
}

// SaveTime implements sim.Model: 0 where nothing is saved.
func (m *Replicated) SaveTime(l *sim.Layout) (stall, persist time.Duration) {
	if m.setup.Interval == 0 && m.setup.Save == 0 && m.setup.Persist == 0 {
		return 0, 0
	}
	return m.Model.SaveTime(l)
}
