package workload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// openTables reads them.
func (w *Workload) openTables() (err error) {
	s := w.spec
	if w.types, err = s.Market.Instances.Table(s.Path, s.ErrorAt); err != nil {
		return err
	}
	t := w.tasks()
	if t.Kinds != "" {
		if w.kinds, err = throughput.Kinds(t.Kinds, s.Path); err != nil {
			return s.ErrorAt("$.model.gang.tasks.kinds", "%v", err)
		}
	}
	if t.Pairs != "" {
		if w.pairs, err = throughput.ReadInstancePairs(t.Pairs, s.Path); err != nil {
			return s.ErrorAt("$.model.gang.tasks.pairs", "%v", err)
		}
	}
	return nil
}

// tasks is what the spec says of tasks.
func (w *Workload) tasks() *cluster.Tasks {
	if g := w.spec.Model.Gang; g != nil && g.Tasks != nil {
		return g.Tasks
	}
	return &cluster.Tasks{}
}

// Sharing is what tasks that share an instance do to one another.
func (w *Workload) Sharing() sim.Sharing {
	if w.together != nil {
		return sim.Sharing{Keeps: w.keepsWith}
	}
	if w.types == nil {
		return sim.Sharing{}
	}
	t := w.tasks()
	out := sim.Sharing{Leave: time.Duration(t.LeaveS * 1e9), Return: w.spec.Market.Instances.Return()}
	if t.Keeps == nil && w.pairs == nil {
		return out
	}
	keeps := stats.Or(t.Keeps, 1)
	out.Keeps = func(_ *sim.Pool, of, other *sim.Job) float64 {
		a, b := of.Model.(*throughput.Gang).Task, other.Model.(*throughput.Gang).Task
		if x, known := w.pairs[[2]string{a.Name, b.Name}]; known {
			return x
		}
		return keeps
	}
	return out
}

// shared makes g the model of a job whose tasks share instances, and sets how many GPUs it has.
func (b *builder) shared(g *throughput.Gang, j *Job) error {
	k := key{j.Kind, j.GPUs, strings.Join(j.models, "|")}
	shape, known := b.shapes[k]
	if !known {
		shape = new(throughput.Gang)
		var err error
		if b.of.kinds != nil {
			err = b.byKind(shape, j)
		} else {
			err = b.byGPUs(shape, j)
		}
		if err != nil {
			return err
		}
		b.shapes[k] = shape
	}
	work, err := b.workOf(j)
	if err != nil {
		return err
	}
	*g = *shape
	g.Total, g.Share = work, j.Weight
	b.of.spec.Model.Gang.Apply(g)
	for p := range g.Task.Needs {
		if n := &g.Task.Needs[p]; n.Runs {
			j.TaskGPUs = n.Of[0]
		}
	}
	j.GPUs = int(math.Ceil(j.TaskGPUs * float64(g.GPUs)))
	return nil
}

// byKind makes the tasks of a job by the table of kinds.
func (b *builder) byKind(g *throughput.Gang, j *Job) error {
	at := slices.IndexFunc(b.of.kinds, func(k throughput.Kind) bool { return k.Name == j.Kind })
	if at < 0 {
		var names []string
		for i := range b.of.kinds {
			names = append(names, b.of.kinds[i].Name)
		}
		return fmt.Errorf("job %s is of kind %q, which model.gang.tasks.kinds does not have: it has %s%s", j.ID, j.Kind,
			strings.Join(names[:min(len(names), 12)], ", "), registry.DidYouMean("; ", j.Kind, names))
	}
	k := &b.of.kinds[at]
	g.GPUs = k.Tasks
	g.Task = &throughput.Task{Name: k.Name, Kind: at, Times: k.Times}
	return b.needs(g, j, func(t *throughput.Type) (sim.Resources, bool) { return k.On(t.Family) }, func(int) float64 { return k.Speed })
}

// byGPUs makes the tasks of a job of n GPUs.
func (b *builder) byGPUs(g *throughput.Gang, j *Job) error {
	x := b.of.tasks()
	largest := x.GPUsPerTask
	if largest == 0 {
		largest = 8
	}
	if t := b.of.table; t != nil && t.Speeds(j.Kind, j.GPUs) == nil {
		return b.unknown(j)
	}
	g.GPUs = (j.GPUs + largest - 1) / largest
	each := float64((j.GPUs + g.GPUs - 1) / g.GPUs)
	need := sim.Resources{each, each * x.CPUsPerGPU, each * x.MemoryGBPerGPU}
	g.Task = &throughput.Task{Name: j.Kind, Kind: len(b.shapes), Times: sim.TaskTimes{Launch: units.Seconds(x.LaunchS), Init: units.Seconds(x.InitS),
		Stop: units.Seconds(x.StopS), Save: units.Seconds(x.UploadS)}}
	speeds := b.on(j)
	return b.needs(g, j, func(*throughput.Type) (sim.Resources, bool) { return need, true }, func(p int) float64 {
		if speeds == nil {
			return 1
		}
		return speeds[p]
	})
}

// needs says what the tasks of a job need on each pool, and how fast the job is there.
func (b *builder) needs(g *throughput.Gang, j *Job, need func(*throughput.Type) (sim.Resources, bool), speed func(p int) float64) error {
	runs := false
	for p, name := range b.types {
		t := throughput.FindType(b.of.types, name)
		d, on := need(t)
		on = on && speed(p) > 0 && t.Full.Fits(sim.Resources{}, d) && (j.models == nil || j.may(b.gpus[p]))
		g.Task.Needs = append(g.Task.Needs, throughput.Need{Of: d, Runs: on})
		v := 0.0
		if on {
			v, runs = speed(p), true
		}
		g.Speeds = append(g.Speeds, v)
	}
	if !runs {
		return fmt.Errorf("job %s%s fits on no type of instance that can be rented; expected larger types (market.instances), or smaller tasks "+
			"(model.gang.tasks)", j.ID, j.what())
	}
	return nil
}

// workOf returns the work of a job.
func (b *builder) workOf(j *Job) (float64, error) {
	if b.of.kinds == nil {
		return b.work(j)
	}
	at := slices.IndexFunc(b.of.kinds, func(k throughput.Kind) bool { return k.Name == j.Kind })
	switch {
	case j.steps > 0:
		return j.steps, nil
	case j.duration > 0:
		return j.duration.Seconds() * b.of.kinds[at].Speed, nil
	}
	return 0, fmt.Errorf("job %s has neither steps nor a duration above 0", j.ID)
}
