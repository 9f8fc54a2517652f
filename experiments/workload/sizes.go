package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/throughput"
)

// sizes is how fast a kind of job is on numbers of GPUs.
type sizes struct {
	speeds  [][]float64 // from 1 GPU on, by model of the market; nil where no row says it
	perfect []bool      // from 1 GPU on: they are by a row of any number of GPUs
}

// speed is how fast a job is on the GPUs that it asks for, of a model; 0: it does not run there.
func (b *builder) speed(j *Job, model string) float64 {
	if j.Most == 0 {
		return b.of.table.Speed(j.Kind, model, j.GPUs)
	}
	speed, _, _ := b.of.table.Between(j.Kind, model, j.GPUs)
	return speed
}

// giveRange lets the number of GPUs of a job change that says nothing of it, if the spec has a rule for it: around
// its own number, as far as its speed is known.
func (b *builder) giveRange(j *Job) {
	rule := b.of.spec.Jobs.Resizable
	if rule == nil || j.Most > 0 {
		return
	}
	all := 0
	for _, quota := range b.quotas {
		all += quota
	}
	j.Most = max(min(rule.MaxGPUs, all), j.GPUs)
	least := min(rule.MinGPUs, j.GPUs)
	j.Least = j.GPUs
	if b.of.table == nil {
		j.Least = least
		return
	}
	speeds := b.sizesUpTo(j, j.Most).speeds
	for j.Least > least && speeds[j.Least-2] != nil {
		j.Least--
	}
	for n := j.GPUs + 1; n <= j.Most; n++ {
		if speeds[n-1] == nil {
			j.Most = n - 1
		}
	}
}

// knowsSpeed reports whether a job has a speed on the GPUs that it asks for, if only that it does not run there.
func (b *builder) knowsSpeed(j *Job) bool {
	switch {
	case b.of.table == nil:
		return true
	case j.Most == 0:
		return b.of.table.Speeds(j.Kind, j.GPUs) != nil
	}
	_, _, known := b.of.table.Between(j.Kind, b.models[0], j.GPUs)
	return known
}

// sizesOf returns how a job trains on other numbers of GPUs, up to a number that the cluster has; nil where the number
// is fixed.
func (b *builder) sizesOf(j *Job, most int) (*throughput.Sizes, error) {
	switch {
	case j.Most == 0:
		return nil, nil
	case b.of.table != nil:
		return b.sizesByTable(j, most)
	case j.Least < j.Most:
		return nil, fmt.Errorf("job %s trains on %d to %d GPUs, and nothing says how fast it is on each number: "+
			"expected model.gang.speeds, or no min_gpus and max_gpus", j.ID, j.Least, j.Most)
	}
	return &throughput.Sizes{Least: j.Least, Most: most}, nil
}

// sizesByTable is sizesOf by a table of speeds.
func (b *builder) sizesByTable(j *Job, most int) (*throughput.Sizes, error) {
	of := b.sizesUpTo(j, most)
	for n := j.Least; n <= most; n++ {
		if of.speeds[n-1] == nil {
			return nil, fmt.Errorf("job %s%s trains on %d to %d GPUs, and model.gang.speeds does not say "+
				"how fast it is on %d; expected rows of the kind from min_gpus on to max_gpus "+
				"(to %d: more the cluster does not have)", j.ID, j.what(), j.Least, j.Most, n, most)
		}
	}
	return &throughput.Sizes{Least: j.Least, Most: most, Speeds: of.speeds[j.Least-1 : most], Models: b.modelOf}, nil
}

// sizesUpTo returns how fast jobs like one are on up to a number of GPUs.
func (b *builder) sizesUpTo(j *Job, most int) *sizes {
	k := class{models: strings.Join(j.models, "|")}
	if slices.Contains(b.of.table.Kinds, j.Kind) {
		k.kind = j.Kind
	}
	of := b.sizes[k]
	if of == nil {
		of = &sizes{}
		b.sizes[k] = of
	}
	for n := len(of.speeds) + 1; n <= most; n++ {
		var speeds []float64
		scales := false
		for _, model := range b.models {
			speed, perfect, known := b.of.table.Between(j.Kind, model, n)
			if !known {
				break
			}
			if !j.may(model) {
				speed = 0
			}
			scales = scales || perfect
			speeds = append(speeds, speed)
		}
		of.speeds = append(of.speeds, speeds)
		of.perfect = append(of.perfect, scales)
	}
	return of
}

// spread returns how fast jobs like one are where their GPUs are spread over servers; nil: the table does not say.
func (b *builder) spread(j *Job) *throughput.Spread {
	if b.of.table == nil {
		return nil
	}
	placements := b.of.table.Placements(j.Kind)
	if placements == nil {
		return nil
	}
	k := class{kind: j.Kind, models: strings.Join(j.models, "|")}
	of, known := b.spreads[k]
	if !known {
		own := slices.Clone(placements)
		for i := range own {
			own[i].Speeds = b.ofModels(j, own[i].Speeds)
		}
		of = throughput.NewSpread(b.modelOf, own)
		b.spreads[k] = of
	}
	return of
}

// ofModels returns which of the speeds of a table a job has on each model of the market.
func (b *builder) ofModels(j *Job, speeds []float64) []float64 {
	out := make([]float64, len(b.models))
	for i, model := range b.models {
		at, known := slices.BinarySearch(b.of.table.GPUs, model)
		if known && j.may(model) {
			out[i] = speeds[at]
		}
	}
	return out
}

// scalesPerfectly says that a job is as fast on some numbers of GPUs as one is, times the number, by a row of any
// number; empty: it is not.
func (b *builder) scalesPerfectly(j *Job) string {
	if b.of.table == nil || j.Least == j.Most {
		return ""
	}
	most := min(j.Most, b.fit(j).usable)
	of := b.sizesUpTo(j, most)
	if !slices.Contains(of.perfect[j.Least-1:most], true) {
		return ""
	}
	return fmt.Sprintf("%sjob %s%s takes the speed of one GPU times their number, by a row of model.gang.speeds "+
		"for any number: schedulers that resize jobs gain more by it than with real jobs",
		b.of.place(j), j.ID, j.what())
}
