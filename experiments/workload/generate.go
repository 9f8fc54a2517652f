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
	gavel := w.spec.Jobs.Gavel
	generator := workload.Gavel{
		Seed:        seed,
		MeanGap:     gavel.MeanGapS,
		SeveralGPUs: gavel.SeveralGPUs,
		Priorities:  gavel.Priorities,
		Deadlines:   gavel.Deadlines,
		WholeSteps:  gavel.WholeSteps,
	}
	return converted(generator.Make(gavel.Jobs), "v100")
}

// converted turns generated jobs, whose durations are on a model of GPU, into jobs.
func converted(generated []workload.Job, on string) (*jobStore, error) {
	out := &jobStore{}
	seconds := func(s float64) time.Duration { return sim.At(s).Sub(0) }
	for i, made := range generated {
		j := Job{
			ID:         strconv.Itoa(i),
			Kind:       made.Kind,
			GPUs:       made.GPUs,
			Weight:     made.Weight,
			Deadline:   seconds(made.Duration * made.DeadlineFactor),
			steps:      made.Steps,
			duration:   seconds(made.Duration),
			durationOn: on,
		}
		if err := out.add(&j, int64(sim.At(made.Arrival))); err != nil {
			return nil, err
		}
	}
	out.first = 0 // times of generators are from their beginning
	return out, out.seal()
}
