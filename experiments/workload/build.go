package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

// builder makes models of jobs on the pools of a market.
type builder struct {
	of     *Workload
	gpus   []string // model by pool, in lower case
	quotas []int
	models []string // of the market, each once
	speeds map[key][]float64
	usable map[key]int
	max    map[key]int // GPUs of the model of which there are most
	all    int         // GPUs
	rented []bool      // by pool: on demand

	networks map[string]*throughput.Network // by kind
	tiers    [][]int32
}

// key is what the speeds of a job depend on.
type key struct {
	kind   string
	gpus   int
	models string
}

func newBuilder(w *Workload, m *sim.Market) *builder {
	b := &builder{of: w, speeds: map[key][]float64{}, usable: map[key]int{}, max: map[key]int{},
		networks: map[string]*throughput.Network{}, tiers: m.Tiers()}
	for p := range m.Pools() {
		facts := m.Pool(p)
		name := facts.GPU
		if name == "" {
			name = facts.InstanceType
		}
		name = strings.ToLower(name)
		b.gpus, b.quotas = append(b.gpus, name), append(b.quotas, facts.Quota)
		b.all += facts.Quota
		b.rented = append(b.rented, facts.OnDemand)
		if !slices.Contains(b.models, name) {
			b.models = append(b.models, name)
		}
	}
	return b
}

// network is what the network leaves of the speed of a kind of job.
func (b *builder) network(kind string) *throughput.Network {
	if _, own := b.of.spec.Model.Gang.Own(kind); !own {
		kind = "" // the network of all others
	}
	n, known := b.networks[kind]
	if !known {
		n = b.of.spec.Model.Gang.Between(kind, b.tiers)
		b.networks[kind] = n
	}
	return n
}

// may reports whether a job may run on a model of GPU.
func (j *Job) may(model string) bool { return j.models == nil || slices.Contains(j.models, model) }

// on returns how fast a job is on each pool, nil if it is as fast on all.
func (b *builder) on(j *Job) []float64 {
	if b.of.table == nil && j.models == nil {
		return nil
	}
	k := key{j.Kind, j.GPUs, strings.Join(j.models, "|")}
	if known, is := b.speeds[k]; is {
		return known
	}
	speeds := make([]float64, len(b.gpus))
	for p, model := range b.gpus {
		if !j.may(model) {
			continue
		}
		speeds[p] = 1
		if t := b.of.table; t != nil {
			speeds[p] = t.Speed(j.Kind, model, j.GPUs)
		}
	}
	b.speeds[k] = speeds
	return speeds
}

// picky says on which model of GPU a job does not run, "" if on all.
func (b *builder) picky(j *Job) string {
	for p, speed := range b.on(j) {
		if speed == 0 {
			return fmt.Sprintf("%sjob %s%s does not run on %s", b.of.place(j), j.ID, j.what(), b.gpus[p])
		}
	}
	return ""
}

// stranded says that there are too few GPUs for a job without those on demand, "" if there are enough.
func (b *builder) stranded(j *Job) string {
	if !slices.Contains(b.rented, true) {
		return "" // as many as the market has: it is checked
	}
	n, speeds := 0, b.on(j)
	for p, quota := range b.quotas {
		if !b.rented[p] && (speeds == nil || speeds[p] > 0) {
			n += quota
		}
	}
	if n >= j.GPUs {
		return ""
	}
	return fmt.Sprintf("%sjob %s%s asks for %d GPUs, and without those on demand there are %d on which it runs", b.of.place(j), j.ID, j.what(), j.GPUs, n)
}

// what names the kind of a job, if it has one.
func (j *Job) what() string {
	if j.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" (%s on %d GPUs)", j.Kind, j.GPUs)
}

// usableGPUs returns on how many GPUs of the market a job can run.
func (b *builder) usableGPUs(j *Job) int {
	if b.of.table == nil && j.models == nil {
		return b.all
	}
	k := key{j.Kind, j.GPUs, strings.Join(j.models, "|")}
	if n, known := b.usable[k]; known {
		return n
	}
	n, speeds := 0, b.on(j)
	for p, quota := range b.quotas {
		if speeds[p] > 0 {
			n += quota
		}
	}
	b.usable[k] = n
	return n
}

// tooLarge reports whether the market has too few GPUs for a job, but has some.
func (b *builder) tooLarge(j *Job) bool {
	usable := b.usableGPUs(j)
	return usable > 0 && usable < j.GPUs
}

// compare notes the first jobs that are larger than models and than a GPU.
func (x *Jobs) compare(b *builder, j *Job) {
	if j.GPUs == 1 || x.Larger.Model != "" {
		return // it is larger than a GPU as well
	}
	note := func(text *string, largest int, of string) {
		if *text != "" || j.GPUs <= largest {
			return
		}
		*text = fmt.Sprintf("%sjob %s%s asks for %d GPUs", b.of.place(j), j.ID, j.what(), j.GPUs)
		if of != "" {
			*text += fmt.Sprintf(", and no %s on which it runs has more than %d", of, largest)
		}
	}
	note(&x.Larger.Model, b.largest(j), "model")
	note(&x.Larger.GPU, 1, "")
}

// largest returns on how many GPUs of one model a job can run.
func (b *builder) largest(j *Job) (model int) {
	k := key{j.Kind, j.GPUs, strings.Join(j.models, "|")}
	if known, is := b.max[k]; is {
		return known
	}
	of, speeds := map[string]int{}, b.on(j)
	for p, quota := range b.quotas {
		if speeds == nil || speeds[p] > 0 {
			of[b.gpus[p]] += quota
			model = max(model, of[b.gpus[p]])
		}
	}
	b.max[k] = model
	return model
}

// gang makes g the model of a job.
func (b *builder) gang(g *throughput.Gang, j *Job) error {
	t := b.of.table
	if t != nil && t.Speeds(j.Kind, j.GPUs) == nil {
		return b.unknown(j)
	}
	switch usable := b.usableGPUs(j); {
	case usable == 0:
		return fmt.Errorf("job %s%s runs on no GPU of the cluster, which has %s; expected one of these models, or such servers in market.servers",
			j.ID, j.wants(), strings.Join(b.models, ", "))
	case usable < j.GPUs:
		return fmt.Errorf("job %s asks for %d GPUs, but the cluster has %d on which it runs; expected a larger cluster, or drop_too_large: true "+
			"to leave such jobs out", j.ID, j.GPUs, usable)
	}
	work, err := b.work(j)
	if err != nil {
		return err
	}
	*g = throughput.Gang{GPUs: j.GPUs, Total: work, Speeds: b.on(j), Share: j.Weight, Network: b.network(j.Kind)}
	b.of.spec.Model.Gang.Apply(g)
	return nil
}

// time gives a job of which only the steps are known a duration: on the fastest model of GPU.
func (b *builder) time(j *Job) {
	if x := b.of.spec.Jobs; j.duration > 0 || j.steps == 0 || x.LongestS == 0 && x.Deadlines == nil {
		return
	}
	if speeds := b.on(j); len(speeds) > 0 && slices.Max(speeds) > 0 {
		j.duration = sim.At(j.steps / slices.Max(speeds)).Sub(0)
	}
}

// seconds is how long a job takes by itself: its duration, else that on the fastest model of GPU.
func (b *builder) seconds(g *throughput.Gang, j *Job) float64 {
	switch {
	case b.of.table == nil || len(g.Speeds) == 0:
		return g.Total
	case j.steps == 0 && j.duration > 0:
		return j.duration.Seconds()
	}
	return g.Total / slices.Max(g.Speeds)
}

// wants says which models a job asks for.
func (j *Job) wants() string {
	if j.models == nil {
		return ""
	}
	return fmt.Sprintf(" (gpu_type %s)", strings.Join(j.models, "|"))
}

// unknown is the error of a kind, or a number of GPUs, that the table does not have.
func (b *builder) unknown(j *Job) error {
	t := b.of.table
	if slices.Contains(t.Kinds, j.Kind) {
		return fmt.Errorf("job %s is %q on %d GPUs, but the speeds of the kind are known for other numbers only; expected a row for it in model.gang.speeds",
			j.ID, j.Kind, j.GPUs)
	}
	shown := t.Kinds[:min(len(t.Kinds), 8)]
	return fmt.Errorf("job %s is of kind %q, which has no speeds; model.gang.speeds has %s%s", j.ID, j.Kind,
		strings.Join(shown, ", "), registry.DidYouMean("; ", j.Kind, t.Kinds))
}

// work returns the work of a job: steps with a table of speeds, else seconds.
func (b *builder) work(j *Job) (float64, error) {
	switch {
	case b.of.table == nil && j.duration > 0:
		return j.duration.Seconds(), nil
	case b.of.table == nil:
		return 0, fmt.Errorf("job %s has no duration, expected one above 0, or model.gang.speeds for its steps", j.ID)
	case j.steps > 0:
		return j.steps, nil
	case j.duration <= 0:
		return 0, fmt.Errorf("job %s has neither steps nor a duration above 0", j.ID)
	}
	on := j.durationOn
	if on == "" {
		on = strings.ToLower(b.of.spec.Model.Gang.DurationOn)
	}
	if on == "" {
		return 0, fmt.Errorf("job %s has a duration and no steps, and it is not said on which GPU: expected a column duration_on, or model.gang.duration_on", j.ID)
	}
	speed := b.of.table.Speed(j.Kind, on, j.GPUs)
	if speed == 0 {
		return 0, fmt.Errorf("job %s (%q) has a duration on %s, where it does not run by model.gang.speeds", j.ID, j.Kind, on)
	}
	return speed * j.duration.Seconds(), nil
}
