package workload

import (
	"math"
	"strconv"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/synth/workload"
)

// generate makes the jobs of a seed.
func (w *Workload) generate(seed int64) (*jobStore, error) {
	if w.rhythm != nil {
		from, _ := w.spec.Jobs.Synthetic.Begin() // checked
		span := time.Duration(w.spec.Jobs.Synthetic.SpanH * float64(time.Hour))
		return converted(w.rhythm.Make(uint64(seed), from, span), "")
	}
	if w.spec.Jobs.OfKinds != nil {
		return w.ofKinds(seed)
	}
	g := w.spec.Jobs.Gavel
	generated := (&workload.Gavel{Seed: seed, MeanGap: g.MeanGapS, SeveralGPUs: g.SeveralGPUs, Priorities: g.Priorities,
		Deadlines: g.Deadlines, WholeSteps: g.WholeSteps}).Make(g.Jobs)
	return converted(generated, "v100")
}

// converted turns generated jobs, whose durations are on a model of GPU, into jobs.
func converted(generated []workload.Job, on string) (*jobStore, error) {
	out := &jobStore{}
	for i, m := range generated {
		seconds := func(s float64) time.Duration { return sim.At(s).Sub(0) }
		j := Job{ID: strconv.Itoa(i), Kind: m.Kind, GPUs: m.GPUs, Weight: m.Weight,
			Deadline: seconds(m.Duration * m.DeadlineFactor), steps: m.Steps, duration: seconds(m.Duration), durationOn: on}
		if err := out.add(&j, int64(sim.At(m.Arrival))); err != nil {
			return nil, err
		}
	}
	out.first = 0 // times of generators are from their beginning
	return out, out.seal()
}

// purposeKinds is what the draws of ofKinds are for.
const purposeKinds = sim.PurposeUser + 301

// ofKinds makes jobs of the kinds that are known.
func (w *Workload) ofKinds(seed int64) (*jobStore, error) {
	g, out, at := w.spec.Jobs.OfKinds, &jobStore{}, 0.0
	draws := sim.Rand{Seed: uint64(seed)}.Stream(purposeKinds, 0)
	for i := range g.Jobs {
		k := uint64(3 * i)
		kind := w.kinds[draws.Intn(k, len(w.kinds))].Name
		hours := g.MedianH * math.Exp(g.Sigma*draws.Normal(k+1))
		j := Job{ID: strconv.Itoa(i), Kind: kind, GPUs: 1, Weight: 1, duration: sim.At(math.Round(hours*3600)).Sub(0) + time.Second}
		if err := out.add(&j, int64(sim.At(math.Round(at)))); err != nil {
			return nil, err
		}
		at += g.MeanGapS * draws.Exponential(k+2)
	}
	out.first = 0
	return out, out.seal()
}
