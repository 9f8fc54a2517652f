package workload

import (
	"strconv"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/synth/workload"
)

// generate makes the jobs of a seed.
func (w *Workload) generate(seed int64) (*jobStore, error) {
	if synthetic := w.spec.Jobs.Synthetic; synthetic != nil {
		from, _ := synthetic.Begin() // checked
		span := time.Duration(synthetic.SpanH * float64(time.Hour))
		return converted(synthetic.Rhythm.Make(uint64(seed), from, span), "")
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
