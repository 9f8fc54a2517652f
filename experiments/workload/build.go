package workload

import (
	"cmp"
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
	rented []bool   // by pool: on demand

	anywhere *fit           // of jobs that are as fast on all
	fits     map[class]*fit // of the others

	sizes   map[class]*sizes
	modelOf []int32 // of models, by pool

	networks map[string]*throughput.Network // by kind
	spreads  map[class]*throughput.Spread
	tiers    [][]int32
}

// class is what the speeds of a job depend on.
type class struct {
	kind   string
	gpus   int
	models string
	sizes  bool // the number of GPUs may change
}

// fit is where the jobs of a class run.
type fit struct {
	speeds  []float64 // by pool; nil: as fast on all
	usable  int       // GPUs on which they run
	largest int       // those of one model, where they are most
}

func newBuilder(w *Workload, m *sim.Market) *builder {
	b := &builder{
		of:       w,
		fits:     map[class]*fit{},
		sizes:    map[class]*sizes{},
		networks: map[string]*throughput.Network{},
		tiers:    m.Tiers(),
		spreads:  map[class]*throughput.Spread{},
	}
	for p := range m.Pools() {
		facts := m.Pool(p)
		name := strings.ToLower(cmp.Or(facts.GPU, facts.InstanceType))
		b.gpus = append(b.gpus, name)
		b.quotas = append(b.quotas, facts.Quota)
		b.rented = append(b.rented, facts.OnDemand)
		if !slices.Contains(b.models, name) {
			b.models = append(b.models, name)
		}
		b.modelOf = append(b.modelOf, int32(slices.Index(b.models, name)))
	}
	return b
}

// network is what the network leaves of the speed of a kind of job.
func (b *builder) network(kind string) *throughput.Network {
	if _, own := b.of.spec.Model.Gang.Own(kind); !own {
		kind = "" // the network of all others
	}
	network, known := b.networks[kind]
	if !known {
		network = b.of.spec.Model.Gang.Between(kind, b.tiers)
		b.networks[kind] = network
	}
	return network
}

// may reports whether a job may run on a model of GPU.
func (j *Job) may(model string) bool { return j.models == nil || slices.Contains(j.models, model) }

// fit returns where a job runs.
func (b *builder) fit(j *Job) *fit {
	if b.of.table == nil && j.models == nil {
		if b.anywhere == nil {
			b.anywhere = b.newFit(nil)
		}
		return b.anywhere
	}
	k := class{j.Kind, j.GPUs, strings.Join(j.models, "|"), j.Most > 0}
	f := b.fits[k]
	if f == nil {
		f = b.newFit(b.speeds(j))
		b.fits[k] = f
	}
	return f
}

// newFit counts the GPUs on which jobs of these speeds run.
func (b *builder) newFit(speeds []float64) *fit {
	f := &fit{speeds: speeds}
	byModel := map[string]int{}
	for p, quota := range b.quotas {
		if !f.runs(p) {
			continue
		}
		f.usable += quota
		byModel[b.gpus[p]] += quota
		f.largest = max(f.largest, byModel[b.gpus[p]])
	}
	return f
}

// runs reports whether the jobs run on a pool.
func (f *fit) runs(p int) bool { return f.speeds == nil || f.speeds[p] > 0 }

// speeds returns how fast a job is on each pool.
func (b *builder) speeds(j *Job) []float64 {
	speeds := make([]float64, len(b.gpus))
	for p, model := range b.gpus {
		if !j.may(model) {
			continue
		}
		speeds[p] = 1
		if b.of.table != nil {
			speeds[p] = b.speed(j, model)
		}
	}
	return speeds
}

// picky says on which model of GPU a job does not run, "" if on all.
func (b *builder) picky(j *Job) string {
	f := b.fit(j)
	for p := range b.gpus {
		if !f.runs(p) {
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
	own := 0
	f := b.fit(j)
	for p, quota := range b.quotas {
		if !b.rented[p] && f.runs(p) {
			own += quota
		}
	}
	if own >= j.GPUs {
		return ""
	}
	return fmt.Sprintf("%sjob %s%s asks for %d GPUs, and without those on demand there are %d on which it runs",
		b.of.place(j), j.ID, j.what(), j.GPUs, own)
}

// what names the kind of a job, if it has one.
func (j *Job) what() string {
	if j.Kind == "" {
		return ""
	}
	return fmt.Sprintf(" (%s on %d GPUs)", j.Kind, j.GPUs)
}

// tooLarge reports whether the market has too few GPUs for a job, but has some.
func (b *builder) tooLarge(j *Job) bool {
	usable := b.fit(j).usable
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
	note(&x.Larger.Model, b.fit(j).largest, "model")
	note(&x.Larger.GPU, 1, "")
}

// gang makes g the model of a job.
func (b *builder) gang(g *throughput.Gang, j *Job) error {
	if !b.knowsSpeed(j) {
		return b.unknown(j)
	}
	f := b.fit(j)
	switch {
	case f.usable == 0:
		return fmt.Errorf("job %s%s runs on no GPU of the cluster, which has %s; expected one of these models, "+
			"or such servers in market.servers",
			j.ID, j.wants(), strings.Join(b.models, ", "))
	case f.usable < j.GPUs:
		return fmt.Errorf("job %s asks for %d GPUs, but the cluster has %d on which it runs; "+
			"expected a larger cluster, or drop_too_large: true to leave such jobs out", j.ID, j.GPUs, f.usable)
	}
	sizes, err := b.sizesOf(j, min(j.Most, f.usable))
	if err != nil {
		return err
	}
	work, err := b.work(j)
	if err != nil {
		return err
	}
	work *= b.stretch(j)
	*g = throughput.Gang{
		GPUs: j.GPUs, Total: work, Speeds: f.speeds, Share: j.Weight, Network: b.network(j.Kind), Sizes: sizes,
		Spread: b.spread(j),
	}
	b.of.spec.Model.Gang.Apply(g)
	return nil
}

// time gives a job of which only the steps are known a duration: on the fastest model of GPU.
func (b *builder) time(j *Job) {
	spec := b.of.spec.Jobs
	if j.duration > 0 || j.steps == 0 || spec.LongestS == 0 && spec.Deadlines == nil {
		return
	}
	if speeds := b.fit(j).speeds; len(speeds) > 0 && slices.Max(speeds) > 0 {
		j.duration = sim.At(j.steps / slices.Max(speeds)).Sub(0)
	}
}

// seconds is how long a job takes by itself: its duration, else that on the fastest model of GPU.
func (b *builder) seconds(g *throughput.Gang, j *Job) float64 {
	switch {
	case b.of.table == nil || len(g.Speeds) == 0:
		return g.Total
	case j.steps == 0 && j.duration > 0:
		return j.duration.Seconds() * b.stretch(j)
	}
	return g.Total / slices.Max(g.Speeds)
}

// stretch is how much longer than at a factor of 1 the phases of a job take.
func (b *builder) stretch(j *Job) float64 {
	if b.of.phases == nil {
		return 1
	}
	return b.of.phases.Stretch(j.Kind)
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
	kinds := b.of.table.Kinds
	if slices.Contains(kinds, j.Kind) {
		return fmt.Errorf("job %s is %q on %d GPUs, but the speeds of the kind are known for other numbers only; "+
			"expected a row for it in model.gang.speeds",
			j.ID, j.Kind, j.GPUs)
	}
	shown := kinds[:min(len(kinds), 8)]
	return fmt.Errorf("job %s is of kind %q, which has no speeds; model.gang.speeds has %s%s", j.ID, j.Kind,
		strings.Join(shown, ", "), registry.DidYouMean("; ", j.Kind, kinds))
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
		return 0, fmt.Errorf("job %s has a duration and no steps, and it is not said on which GPU: "+
			"expected a column duration_on, or model.gang.duration_on", j.ID)
	}
	speed := b.speed(j, on)
	if speed == 0 {
		return 0, fmt.Errorf("job %s (%q) has a duration on %s, where it does not run by model.gang.speeds",
			j.ID, j.Kind, on)
	}
	return speed * j.duration.Seconds(), nil
}
