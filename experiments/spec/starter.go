package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/internal/registry"
)

// Starter is what a first spec of a data-parallel job is written from. Zero values are assumed, and the spec says so.
type Starter struct {
	Name    string
	From    string // the file that it was read from; empty: flags
	GPU     Accelerator
	Type    string  // instance type; that with the GPUs on the list of prices if empty
	Cloud   string  // whose instance types are taken: aws, gcp, azure, or one without a list of prices; any if empty
	USD     float64 // of an instance for an hour on demand; that of the list if 0
	Nodes   int     // instances that train together; 1 if 0
	Least   int     // instances on which the job trains, too, if it is elastic; 0: it is not
	Hours   float64 // of training on these instances; 24 if 0
	Within  float64 // hours until the deadline; half as much again as Hours if 0
	Network string  // with published speeds
	// Estimated is the job, in the place of Hours and Network: its speed is estimated. The deadline is then 1.15 times
	// the slow end of its band and an hour, where none is given.
	Estimated *Estimated
	Text      string // in which a network may be named

	RestartS float64   // from the loss of an instance until training goes on; 300 if 0
	EveryS   float64   // between two saves; Young's interval if 0
	Recorded *Recorded // the market; a generated one if nil
	// Policies are compared, as their YAML after {name: ; nil: ondemand, reactive, checkpoint, uniform-progress, mdp.
	Policies []string
	Notes    []string // what the file that it was read from comes to, a sentence each
	Model    string   // section model of a spec, instead of Hours of measured or published speeds; Within is given
	Starts   int      // at most so many starts through a record; 40 if 0
}

// Recorded is a recorded market that a first spec replays.
type Recorded struct {
	Path     string         // of the trace: a file, or pulled:NAME
	Pools    []RecordedPool // of the instance type, the cheapest first
	From     time.Time      // from which all pools have prices; zero: from the beginning of the trace
	Hours    float64        // of the record, from then on
	Capacity bool           // capacity was recorded; else it is assumed (Pool.Typical)
	// Short are pools of the type that are left out: their prices begin in the second half of the record, or end in
	// the first.
	Short []string
}

// RecordedPool is a pool of a recorded market, as the trace names it.
type RecordedPool struct {
	Name   string
	Zone   string  // empty: prices are of the region
	Region string  // empty: it is not known
	USD    float64 // of an instance for an hour on demand; 0: it is not known
}

// soldByRegion reports whether instances on demand cost something else from region to region.
func (r *Recorded) soldByRegion() bool {
	return slices.ContainsFunc(r.Pools, func(p RecordedPool) bool { return p.USD != r.Pools[0].USD }) &&
		!slices.ContainsFunc(r.Pools, func(p RecordedPool) bool { return p.USD == 0 || p.Region == "" })
}

// regions returns the regions of the pools, each once, in the order of the pools.
func (r *Recorded) regions() (names []string) {
	for i := range r.Pools {
		if region := r.Pools[i].Region; region != "" && !slices.Contains(names, region) {
			names = append(names, region)
		}
	}
	return names
}

// maxStarts bounds the starts of a first spec: a verdict needs some 30, and a reader waits for them.
const maxStarts = 40

// check refuses a record that has no room for a run.
func (r *Recorded) check(within float64) error {
	if len(r.Pools) == 0 || !(r.Hours >= within) {
		return fmt.Errorf("the record has %s in %d pools, less than the deadline of %s: "+
			"expected a longer record, or an earlier deadline", hours(r.Hours), len(r.Pools), hours(within))
	}
	return nil
}

// horizon is when a run is cut, in hours: after twice the deadline, if the record has room for that.
func (x *starting) horizon() float64 {
	if r := x.Recorded; r != nil {
		return max(x.Within, min(2*x.Within, r.Hours/2))
	}
	return 2 * x.Within
}

// listedType is a row of the list of prices.
type listedType struct {
	Cloud string  `col:"cloud"`
	Type  string  `col:"instance_type"`
	GPU   string  `col:"gpu"`
	GPUs  int     `col:"gpus"`
	USD   float64 `col:"usd_per_h"`

	MemoryGB float64 `col:"memory_gb"`      // of a GPU
	Spot     float64 `col:"spot_usd_per_h"` // NaN: not known
}

// starting is a spec while it is written.
type starting struct {
	Starter
	Assumed []string // what was assumed, a sentence each
	speeds  []parallel.Speed
	on      []parallel.Measured
	gpu     transformer.GPU // of an estimated job
	listed  bool            // the instance type is on the list of prices
	spot    float64         // USD an hour of an instance on spot; 0: not known
}

// Write returns the text of the spec and what was assumed, a sentence each. An error names what is missing and the flag
// that gives it.
func (s Starter) Write() (text []byte, assumed []string, err error) {
	x := &starting{Starter: s}
	if err := x.machine(); err != nil {
		return nil, nil, err
	}
	x.Nodes = max(1, x.Nodes)
	if x.Model == "" {
		if err := x.job(); err != nil {
			return nil, nil, err
		}
	}
	switch r := x.Recorded; {
	case r == nil:
		x.assume("the market is generated, with three zones like those of published records; " +
			"for recorded ones see docs/tutorial.md")
		if x.spot > 0 {
			x.assume("%s costs %.6g USD/h on spot on average, by the list: of one day, in three regions of the US",
				x.Type, x.spot)
		}
	case !r.Capacity:
		x.assume("preemptions were not recorded: those of public sets, " +
			"and two other assumptions next to them (docs/specs.md#prices-alone)")
	}
	if r := x.Recorded; r != nil {
		if err := r.check(x.Within); err != nil {
			return nil, nil, err
		}
		if names := r.regions(); len(names) > 1 {
			x.assume("the job may run in %d regions (%s), and moves between them for nothing: "+
				"market.moves says what a move takes", len(names), strings.Join(names, ", "))
		}
		if r.Short != nil {
			x.assume("%s left out: prices of them begin in the second half of the record, or end in the first",
				strings.Join(r.Short, ", "))
		}
	}
	text = []byte(x.text())
	if _, err := Parse(cmp.Or(x.Name, "spec")+".yaml", text); err != nil {
		return nil, nil, fmt.Errorf("the spec that was written is not valid: %w", err)
	}
	return text, x.Assumed, nil
}

// job completes what is trained: hours, deadline, speed and what a loss takes.
func (x *starting) job() error {
	if x.Estimated != nil {
		offer, err := x.offer()
		if err != nil {
			return err
		}
		x.Hours = offer.Hours.Middle
		if slow := offer.Hours.High; x.Within == 0 {
			x.Within = math.Round(10*(1.15*slow+1)) / 10
			x.assume("the deadline is %s, 1.15 times the slow end of the band on demand and an hour (--within)",
				hours(x.Within))
		} else if x.Within < slow {
			x.assume("within %s is met on demand in %.0f %% of cases", hours(x.Within), 100*offer.shareWithin(x.Within))
		}
	}
	if x.Hours == 0 {
		x.Hours = 24
		x.assume("the job takes 24 h of training on %d x %s (--hours)", x.Nodes, x.Type)
	}
	if x.Within == 0 {
		x.Within = 1.5 * x.Hours
		x.assume("the deadline is %s, half as much again as the training (--within)", hours(x.Within))
	}
	if x.Within < x.Hours {
		return fmt.Errorf("--within %s is less than the %s of training on %d x %s: expected more, or more --nodes",
			hours(x.Within), hours(x.Hours), x.Nodes, x.Type)
	}
	if x.Estimated == nil {
		if err := x.speed(); err != nil {
			return err
		}
	}
	x.Assumed = append(x.Assumed, x.Notes...)
	if i := slices.Index(x.Policies, rayElastic); i >= 0 && (x.on == nil || x.on[0].Workers == x.Nodes) {
		x.Policies = slices.Delete(slices.Clone(x.Policies), i, i+1)
		x.assume("ray-elastic is left out: speeds on fewer than %d x %s are not known "+
			"(--network, or measured speeds in the spec)", x.Nodes, x.Type)
	}
	if x.RestartS == 0 {
		x.RestartS = 300
		x.assume("a restart after a loss takes 300 s, a change of workers 120 s, a save %.0f s: "+
			"measure them (docs/models.md)", x.saveS())
	} else {
		x.assume("a change of workers takes 120 s, a save %.0f s: measure them (docs/models.md)", x.saveS())
	}
	return nil
}

func (x *starting) assume(format string, args ...any) {
	x.Assumed = append(x.Assumed, fmt.Sprintf(format, args...))
}

func hours(h float64) string { return fmt.Sprintf("%.4g h", h) }

// Fits reports whether an instance with these GPUs, of the cloud if there is one, is on the list of prices.
func (s *Starter) Fits(a Accelerator) bool {
	return slices.ContainsFunc(s.list(), func(row listedType) bool {
		return strings.EqualFold(row.GPU, a.GPU) && row.GPUs == a.Count
	})
}

// list returns the rows of the list of prices, of the cloud if there is one.
func (s *Starter) list() []listedType {
	rows := facts.Read[listedType]("instance_prices")
	return slices.DeleteFunc(rows, func(row listedType) bool { return s.Cloud != "" && row.Cloud != s.Cloud })
}

// simulated reports whether a pool of a spec can be of a cloud (Pool.Cloud).
func simulated(cloud string) bool {
	return slices.ContainsFunc(facts.Read[listedType]("instance_prices"), func(row listedType) bool {
		return row.Cloud == cloud
	})
}

// where is how an error says of which cloud the list is.
func (s *Starter) where() string {
	if s.Cloud == "" {
		return ""
	}
	return " of " + s.Cloud
}

// machine finds the instance type and its price.
func (x *starting) machine() error {
	list := x.list()
	if x.Cloud != "" && !simulated(x.Cloud) {
		x.assume("instances of %s get the notice of AWS, 120 s: market.replay.notice_s says another one", x.Cloud)
	}
	if x.Estimated != nil {
		if err := x.knownGPU(list); err != nil {
			return err
		}
	}
	if x.Type != "" {
		for _, row := range list {
			if strings.EqualFold(row.Type, x.Type) {
				x.GPU = Accelerator{row.GPU, row.GPUs}
				x.Cloud = row.Cloud
				x.take(row)
				x.USD = cmp.Or(x.USD, row.USD)
				return nil
			}
		}
		if x.USD == 0 || x.GPU.GPU == "" {
			return fmt.Errorf("instance type %q is not on the list of prices%s; "+
				"--gpu TYPE:COUNT and --usd-per-h give its GPUs and price", x.Type, x.where())
		}
		return nil
	}
	if x.GPU.GPU == "" {
		return errors.New("no type of GPU is named: a task file, or --gpu TYPE:COUNT, says which")
	}
	var fit []listedType
	var gpus []string
	for _, row := range list {
		gpus = append(gpus, row.GPU)
		if x.has(row) && row.GPUs == x.GPU.Count {
			fit = append(fit, row)
		}
	}
	if len(fit) == 0 {
		x.Type = strings.ToLower(fmt.Sprintf("%s-x%d", x.GPU.GPU, x.GPU.Count))
		if x.USD > 0 || x.perGPU(list) {
			return nil
		}
		slices.Sort(gpus)
		near := registry.DidYouMean("; ", x.GPU.GPU, slices.Compact(gpus))
		return fmt.Errorf("no instance with %d %s is on the list of prices%s%s; --usd-per-h gives the price of one",
			x.GPU.Count, x.GPU.GPU, x.where(), near)
	}
	cheapest := slices.MinFunc(fit, func(a, b listedType) int { return cmp.Compare(a.USD, b.USD) })
	x.Type = cheapest.Type
	x.GPU.GPU = cheapest.GPU
	x.Cloud = cheapest.Cloud
	x.take(cheapest)
	if x.USD == 0 {
		x.USD = cheapest.USD
		x.assume("%s has the GPUs and costs %.6g USD/h on demand, by a list (calibrate/facts/instance_prices.csv)",
			x.Type, x.USD)
	}
	return nil
}

// knownGPU finds the GPU type of an estimated job.
func (x *starting) knownGPU(list []listedType) (err error) {
	name := x.GPU.GPU
	memory := x.Estimated.MemoryGB
	for _, row := range list {
		if strings.EqualFold(row.Type, x.Type) {
			name = row.GPU
			memory = row.MemoryGB
		}
	}
	if name == "" {
		return nil
	}
	var assumed string
	if x.gpu, assumed, err = transformer.GPUNamed(name, memory); assumed != "" {
		x.assume("%s", assumed)
	}
	return err
}

// take takes over what the list has of an instance type besides its price on demand.
func (x *starting) take(row listedType) {
	x.listed = true
	if row.Spot > 0 { // not NaN
		x.spot = row.Spot
	}
}

// has reports whether a row has the GPUs: of an estimated job with the same memory.
func (x *starting) has(row listedType) bool {
	if x.gpu.Name == "" {
		return strings.EqualFold(row.GPU, x.GPU.GPU)
	}
	gpu, _, err := transformer.GPUNamed(row.GPU, row.MemoryGB)
	return err == nil && gpu == x.gpu
}

// perGPU takes the price of as many GPUs in other instances, where none has this number of them.
func (x *starting) perGPU(list []listedType) bool {
	for _, row := range list {
		usd := row.USD / float64(row.GPUs) * float64(x.GPU.Count)
		if x.has(row) && (x.USD == 0 || usd < x.USD) {
			x.USD = usd
			x.GPU.GPU = row.GPU
			x.Cloud = row.Cloud
		}
	}
	if x.USD == 0 {
		return false
	}
	x.assume("no instance with %d x %s is on the list of prices: "+
		"%.4g USD/h, as much for a GPU as in the cheapest instance with one (--usd-per-h)",
		x.GPU.Count, x.GPU.GPU, x.USD)
	return true
}

// networkNames are how texts name the networks of published speeds.
var networkNames = []struct {
	network string
	pattern *regexp.Regexp
}{
	{"llama-3.1-8b", regexp.MustCompile(`(?i)llama[-_ ]?3([._]1)?[-_ ]?8b`)},
	{"llama-2-70b-lora", regexp.MustCompile(`(?i)llama[-_ ]?2[-_ ]?70b`)},
	{"gpt-neo-2.7b", regexp.MustCompile(`(?i)gpt-neo-2\.7b`)},
	{"opt-30b", regexp.MustCompile(`(?i)opt-30b`)},
	{"opt-350m", regexp.MustCompile(`(?i)opt-350m`)},
	{"bert-large", regexp.MustCompile(`(?i)bert-large`)},
	{"resnet-50", regexp.MustCompile(`(?i)resnet-?50`)},
	{"resnet-152", regexp.MustCompile(`(?i)resnet-?152`)},
}

// speed finds published speeds: of the network that was named, or of one that the text names.
func (x *starting) speed() error {
	named := x.Network != ""
	for _, n := range networkNames {
		if !named && x.Network == "" && n.pattern.MatchString(x.Text) {
			x.Network = n.network
		}
	}
	if x.Network == "" {
		fewer := ""
		if x.elastic() {
			fewer = ", and on fewer in proportion"
		}
		x.assume("the speed is not known: one step a second on %d x %s%s, so that %s of them are the job; "+
			"put measured speeds there", x.Nodes, x.Type, fewer, hours(x.Hours))
		return nil
	}
	speeds, err := parallel.PublishedSpeeds(x.Network, x.GPU.GPU)
	if err != nil && named {
		return err
	}
	x.speeds = speeds
	for _, m := range parallel.OnMachines(speeds, x.Type, x.GPU.Count) {
		if m.Workers <= x.Nodes {
			x.on = append(x.on, m)
		}
	}
	if len(x.on) == 0 || x.on[len(x.on)-1].Workers != x.Nodes {
		var sizes []string
		for _, m := range parallel.OnMachines(speeds, x.Type, x.GPU.Count) {
			sizes = append(sizes, fmt.Sprint(m.Workers))
		}
		if named {
			only := cmp.Or(strings.Join(sizes, ", "), "no number")
			return fmt.Errorf("no published speed of %s on %d x %s (%d %s), only on %s of them: "+
				"--nodes, or leave --network out",
				x.Network, x.Nodes, x.Type, x.Nodes*x.GPU.Count, x.GPU.GPU, only)
		}
		x.assume("the text names %s, which has no published speed on %d %s: one step a second on %d x %s; "+
			"put measured speeds there", x.Network, x.Nodes*x.GPU.Count, x.GPU.GPU, x.Nodes, x.Type)
		x.on = nil
		return nil
	}
	for _, s := range speeds {
		if s.GPUs == x.Nodes*x.GPU.Count {
			x.assume("the network is %s, at the speed of %s (%s): %s", x.Network, s.Source, s.How, s.Conditions)
		}
	}
	return nil
}

// text is the spec.
func (x *starting) text() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Written by marigram init%s. What was assumed:", fromWhat(x.From))
	for _, a := range x.Assumed {
		p("# - %s", a)
	}
	p("name: %s", specName(x.Name))
	if r := x.Recorded; r != nil {
		count := cmp.Or(x.Starts, maxStarts)
		every := math.Ceil(max(1, (r.Hours-x.horizon())/max(1, float64(count-1))))
		p("starts: {every: %.0fh, count: %d}", every, count)
	} else {
		p("seeds: 100")
	}
	p("horizon_s: %.0f  # a run that has not finished by then counts as late", math.Ceil(x.horizon()*3600))
	if x.Model != "" {
		b.WriteString(x.Model)
	} else {
		x.ownModel(p)
	}
	p("objectives:")
	p("  - {name: %s, within: %.0fs, share: 0.95}", hours(x.Within), math.Round(x.Within*3600))
	if x.Policies == nil {
		x.Policies = []string{"ondemand", "reactive", "checkpoint", "uniform-progress", "mdp"}
	}
	p("policies: [{name: %s}]", strings.Join(x.Policies, "}, {name: "))
	p("market:")
	x.market(p)
	return b.String()
}

// elastic reports whether the job trains on fewer instances, too.
func (x *starting) elastic() bool { return x.Least > 0 && x.Least < x.Nodes }

// ownModel writes the model of a job of which no section model is given.
func (x *starting) ownModel(p func(format string, args ...any)) {
	p("model:")
	if x.Estimated == nil {
		p("  data_parallel:")
	}
	switch {
	case x.Estimated != nil:
		x.estimate(p)
	case x.on == nil:
		p("    steps: %.0f  # %s", x.Hours*3600, hours(x.Hours))
		p("    batch: %d", x.Nodes*x.GPU.Count)
		p("    measured:  # two or three sizes of each instance type suffice")
		least := x.Nodes
		if x.elastic() {
			least = x.Least
			p("      - {type: %s, workers: %d, steps_per_s: %.5g}", x.Type, least, float64(least)/float64(x.Nodes))
		}
		p("      - {type: %s, workers: %d, steps_per_s: 1}", x.Type, x.Nodes)
		p("    workers: {min: %d, max: %d}", least, x.Nodes)
	default:
		last := x.on[len(x.on)-1]
		samples := x.Hours * 3600 * last.SamplesPS
		p("    samples: %.0f  # %s at the speed of %d instances", samples, hours(x.Hours), last.Workers)
		p("    batch: %.0f", x.speeds[0].Batch)
		p("    measured:")
		for _, m := range x.on {
			p("      - {type: %s, workers: %d, samples_per_s: %.5g}", m.Type, m.Workers, m.SamplesPS)
		}
		p("    workers: {min: %d, max: %d}", x.on[0].Workers, x.Nodes)
	}
	if x.EveryS > 0 {
		p("    interval_s: %.0f  # between two saves", x.EveryS)
	}
	p("    restart_s: %.0f   # from the loss of an instance until training goes on from the last save", x.RestartS)
	p("    resize_s: 120    # to go on with more or fewer instances")
	p("    save_s: %.0f       # training stops for a save", x.saveS())
}

// market writes the pools and their traces.
func (x *starting) market(p func(format string, args ...any)) {
	r := x.Recorded
	if r == nil {
		p("  synthetic: {zones: 3}")
		p("  pools:")
		p("    - type: %s  # %d x %s", x.Type, x.GPU.Count, x.GPU.GPU)
		if simulated(x.Cloud) && x.Cloud != "aws" { // which a pool is of where none is named
			p("      cloud: %s", x.Cloud)
		}
		x.quotas(p, x.USD)
		if x.spot > 0 {
			p("      spot_usd_per_h: %.6g  # on average", x.spot)
		}
		return
	}
	from := ""
	if !r.From.IsZero() {
		from = fmt.Sprintf(", from: %q", r.From.UTC().Format(time.RFC3339Nano))
	}
	p("  traces: [{name: recorded, path: %q%s}]", r.Path, from)
	byRegion := r.soldByRegion()
	if byRegion {
		p("  on_demand: region  # its price is another one in each")
	}
	p("  pools:")
	sold := map[string]bool{} // regions with a pool on demand
	for i := range r.Pools {
		pool := &r.Pools[i]
		p("    - type: %s  # %d x %s", x.Type, x.GPU.Count, x.GPU.GPU)
		switch {
		case pool.Zone != "":
			p("      zone: %q", pool.Zone)
		case pool.Region != "":
			p("      zone: %q  # a region: its prices are not by zone", pool.Region)
		}
		switch {
		case byRegion && !sold[pool.Region]:
			x.quotas(p, pool.USD)
		case i == 0: // there is one pool on demand
			x.quotas(p, x.USD)
		default:
			p("      quota: %d", x.Nodes)
		}
		sold[pool.Region] = true
		p("      prices: {trace: recorded, pool: %q}", pool.Name)
		if r.Capacity {
			p("      capacity: {trace: recorded, pool: %q}", pool.Name)
		} else {
			p("      capacity: {typical: band}")
		}
	}
}

// quotas writes how many instances of a pool can be had, on spot and on demand, and the price on demand.
func (x *starting) quotas(p func(format string, args ...any), usd float64) {
	p("      quota: %d", x.Nodes)
	p("      on_demand_quota: %d", x.Nodes)
	p("      on_demand_usd_per_h: %.6g", usd)
}

func fromWhat(file string) string {
	if file == "" {
		return ""
	}
	return " from " + file
}

var notName = regexp.MustCompile(`[^a-z0-9-]+`)

// specName is a name that a spec may have.
func specName(name string) string {
	return cmp.Or(strings.Trim(notName.ReplaceAllString(strings.ToLower(name), "-"), "-"), "first")
}

// ParseHours reads 40, 40h or 90m as hours.
func ParseHours(text string) (float64, error) {
	if h, err := strconv.ParseFloat(text, 64); err == nil && h > 0 && h < 1e5 {
		return h, nil
	}
	d, err := ParseDuration(text)
	if err != nil {
		return 0, err
	}
	return d.Hours(), nil
}
