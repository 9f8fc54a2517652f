// Package try answers what a job costs at recorded prices, from a file and five numbers, without a file system: it is
// what the page Try of the site runs in a browser.
package try

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/report"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	_ "github.com/marigram/marigram/traces/formats/clouds" // the formats that it reads
	_ "github.com/marigram/marigram/traces/formats/pools"
)

// MaxBytes is the largest file, and the largest text that one unpacks to.
const MaxBytes = 64 << 20

// Market is a recorded market.
type Market struct {
	Types []Type   `json:"types"` // those with GPUs whose number is known, the one with the most pools first
	Hours float64  `json:"hours"` // of the record
	Notes []string `json:"notes"` // of the import
	path  string   // as the spec names it
	set   *traces.Set
	last  *results.Set // of Run
}

// Type is an instance type of one region.
type Type struct {
	Type     string  `json:"type"`
	Region   string  `json:"region"`
	Cloud    string  `json:"cloud"`
	GPU      string  `json:"gpu"`
	GPUs     int     `json:"gpus"`
	USD      float64 `json:"usd"` // on demand; 0 if it is not known
	Capacity bool    `json:"capacity"`
	pools    []spec.RecordedPool
}

// Job is what a page asks for.
type Job struct {
	Type      int     `json:"type"`      // place in Market.Types
	GPUs      int     `json:"gpus"`      // in all
	Hours     float64 `json:"hours"`     // of training on that many GPUs on demand
	EveryS    float64 `json:"everyS"`    // between two checkpoints; 0: Young's interval
	RestartS  float64 `json:"restartS"`  // from a loss until training goes on
	DeadlineH float64 `json:"deadlineH"` // hours
	// of an instance for an hour on demand, where the file does not say; 0: as the file says
	USD float64 `json:"usd"`
}

// Read reads a file that a user has: of any format of a market. Errors name file, line and what was expected.
func Read(name string, data []byte) (*Market, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s has %d bytes, expected at most %d: a part of the time, or marigram on your machine",
			name, len(data), MaxBytes)
	}
	set, _, err := formats.ImportBytes(name, data, traces.Options{MaxFileBytes: MaxBytes})
	if err != nil {
		return nil, err
	}
	return Of(name, set)
}

// Recorded reads the market of the site, which Packed packed and gzip compressed.
func Recorded(name string, data []byte) (*Market, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if data, err = io.ReadAll(unzipped); err != nil {
		return nil, err
	}
	sets, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	if sets[name] == nil {
		return nil, fmt.Errorf("no trace %s, expected that of the site", name)
	}
	return Of("pulled:"+name, sets[name])
}

// Of is the market of a trace, which specs name by its path.
func Of(path string, set *traces.Set) (*Market, error) {
	hours := float64(set.Manifest.TEndUs-set.Manifest.TStartUs) / 3.6e9
	market := &Market{path: path, set: set, Notes: set.Manifest.Notes, Hours: hours}
	priced := map[int32]bool{}
	counted := map[int32]bool{}
	for i := range set.Prices {
		priced[set.Prices[i].PoolID] = true
	}
	for i := range set.Capacity {
		counted[set.Capacity[i].PoolID] = true
	}
	for i, pool := range set.Pools {
		if pool.GPUCount == 0 || pool.GPUType == "" || !priced[int32(i)] {
			continue
		}
		market.add(&pool, counted[int32(i)])
	}
	if len(market.Types) == 0 {
		return nil, fmt.Errorf("%s has no prices of an instance type with GPUs, "+
			"expected those of p3.2xlarge, g5.xlarge or others "+
			"(aws ec2 describe-spot-price-history --instance-types)", path)
	}
	slices.SortStableFunc(market.Types, func(a, b Type) int { return cmp.Compare(len(b.pools), len(a.pools)) })
	return market, nil
}

// add adds a pool to its type.
func (m *Market) add(p *traces.Pool, counted bool) {
	at := slices.IndexFunc(m.Types, func(t Type) bool {
		return t.Type == p.InstanceType && t.Region == p.Region && t.Cloud == p.Cloud && t.Capacity == counted
	})
	pool := spec.RecordedPool{Name: p.Name, Zone: p.Zone, Region: p.Region}
	if p.OnDemandNano != nil {
		pool.USD = traces.USD(*p.OnDemandNano)
	}
	if at < 0 {
		at = len(m.Types)
		m.Types = append(m.Types, Type{
			Type:     p.InstanceType,
			Region:   p.Region,
			Cloud:    p.Cloud,
			GPU:      p.GPUType,
			GPUs:     int(p.GPUCount),
			USD:      pool.USD,
			Capacity: counted,
		})
	}
	m.Types[at].pools = append(m.Types[at].pools, pool)
}

// Spec returns the spec of a job as YAML, and what was assumed.
func (m *Market) Spec(j Job) (text []byte, assumed []string, err error) {
	if j.Type < 0 || j.Type >= len(m.Types) {
		return nil, nil, fmt.Errorf("instance type %d, expected one of %d", j.Type, len(m.Types))
	}
	t := &m.Types[j.Type]
	usd := cmp.Or(j.USD, t.USD)
	switch {
	case j.GPUs < 1 || j.GPUs%t.GPUs != 0 || j.GPUs/t.GPUs > 1000:
		err = fmt.Errorf("%d GPUs: expected a multiple of the %d of %s, at most 1000 instances", j.GPUs, t.GPUs, t.Type)
	case !(j.Hours > 0 && j.Hours <= 10000):
		err = fmt.Errorf("%v hours on demand: expected more than 0, at most 10000", j.Hours)
	case !(j.DeadlineH >= j.Hours && j.DeadlineH <= 20000):
		err = fmt.Errorf("a deadline of %v h: expected at least the %v h of training on demand, at most 20000",
			j.DeadlineH, j.Hours)
	case j.EveryS != 0 && !(j.EveryS >= 1 && j.EveryS <= 604800):
		err = fmt.Errorf("a checkpoint every %v s: expected 1 to 604800, or 0 for Young's interval", j.EveryS)
	case !(j.RestartS > 0 && j.RestartS <= 86400):
		err = fmt.Errorf("a restart of %v s: expected more than 0, at most 86400", j.RestartS)
	case !(usd > 0 && usd < 1e5):
		err = fmt.Errorf("the price of %s on demand is not known: expected USD for an hour", t.Type)
	}
	if err != nil {
		return nil, nil, err
	}
	s := spec.Starter{
		Name:     "mine",
		USD:      usd,
		Nodes:    j.GPUs / t.GPUs,
		Hours:    j.Hours,
		Within:   j.DeadlineH,
		RestartS: j.RestartS,
		EveryS:   j.EveryS,
		// mdp takes longer than all of these
		Policies: []string{"ondemand", "reactive", "checkpoint", "uniform-progress"},
	}
	m.Into(&s, t)
	return s.Write()
}

// Into has a first spec replay the market on the instances of a type.
func (m *Market) Into(s *spec.Starter, t *Type) {
	s.Type = t.Type
	s.GPU = spec.Accelerator{GPU: t.GPU, Count: t.GPUs}
	s.Recorded = m.recorded(t)
	if s.USD > 0 { // it is given, and the same in all regions
		for i := range s.Recorded.Pools {
			s.Recorded.Pools[i].USD = s.USD
		}
	}
	s.USD = cmp.Or(s.USD, s.Recorded.Pools[0].USD)
}

// IntoLast is Into with no more than the last days of the record, where they are known. It returns when they begin and
// end; zero where the record has no dates.
func (m *Market) IntoLast(s *spec.Starter, t *Type, days float64) (from, to time.Time) {
	m.Into(s, t)
	if m.set.Manifest.ClockKind == traces.ClockRelative {
		return from, to
	}
	from = s.Recorded.From
	if from.IsZero() {
		from = time.UnixMicro(m.set.Manifest.TStartUs)
	}
	to = from.Add(time.Duration(s.Recorded.Hours * float64(time.Hour)))
	if s.Recorded.Hours > 24*days {
		s.Recorded.Hours = 24 * days
		from = to.Add(-time.Duration(24 * days * float64(time.Hour)))
		s.Recorded.From = from
	}
	return from, to
}

// Study is the study of a spec on the market.
func (m *Market) Study(s *spec.Spec) (*experiments.Study, error) {
	on, err := market.Given(s, map[string]*traces.Set{s.Market.Traces[0].Name: m.set})
	if err != nil {
		return nil, err
	}
	return experiments.NewStudyOn(s, on)
}

// IntoAll is Into with one instance type in all its regions: that with the most pools that the first of the machines
// fits which the market has. It is an error if the market has none of them.
func (m *Market) IntoAll(s *spec.Starter, machines []spec.Machine) error {
	for i := range machines {
		if all := m.everywhere(&machines[i]); all != nil {
			m.Into(s, &all[0])
			return nil
		}
	}
	var there []string
	for i := range m.Types {
		name := fmt.Sprintf("%s:%d", m.Types[i].GPU, m.Types[i].GPUs)
		if !slices.Contains(there, name) {
			there = append(there, name)
		}
	}
	asked := machines[0]
	what := fmt.Sprintf("%s:%d", asked.GPU, asked.Count)
	for _, more := range []string{asked.InstanceType, asked.Cloud, asked.Region, asked.Zone} {
		if more != "" {
			what += ", " + more
		}
	}
	return fmt.Errorf("%s has no prices of %s, expected one of %s", m.path, what, strings.Join(there, ", "))
}

// everywhere returns the types that a machine fits, each with its pools in all regions, the one with the most pools
// first.
func (m *Market) everywhere(machine *spec.Machine) (all []Type) {
	for i := range m.Types {
		fitting := m.Types[i]
		fitting.pools = fitting.fitting(machine)
		if fitting.pools == nil {
			continue
		}
		at := slices.IndexFunc(all, func(o Type) bool {
			return o.Type == fitting.Type && o.Cloud == fitting.Cloud && o.Capacity == fitting.Capacity
		})
		if at < 0 {
			all = append(all, fitting)
			continue
		}
		all[at].pools = append(all[at].pools, fitting.pools...)
	}
	slices.SortStableFunc(all, func(a, b Type) int { return cmp.Compare(len(b.pools), len(a.pools)) })
	return all
}

// fitting returns the pools of a type that a machine fits.
func (t *Type) fitting(machine *spec.Machine) (pools []spec.RecordedPool) {
	asks := func(want, has string) bool { return want != "" && !strings.EqualFold(want, has) }
	if asks(machine.GPU, t.GPU) || machine.GPU != "" && machine.Count != t.GPUs || asks(machine.InstanceType, t.Type) ||
		t.Cloud != "" && asks(machine.Cloud, t.Cloud) {
		return nil
	}
	for _, pool := range t.pools {
		if pool.Region != "" && asks(machine.Region, pool.Region) || pool.Zone != "" && asks(machine.Zone, pool.Zone) {
			continue
		}
		pools = append(pools, pool)
	}
	return pools
}

// recorded returns the market as a first spec replays it: the pools of a type, the cheapest on spot first, from when
// all of them have prices. Those whose prices begin in the second half of the record, or end in the first, are left
// out, since they would take the other half of it away.
func (m *Market) recorded(t *Type) *spec.Recorded {
	replayed := &spec.Recorded{Path: m.path, Capacity: t.Capacity}
	first, mean := m.prices(t)
	last := m.priceEnds()
	end := int64(0)
	begin := m.set.Manifest.TEndUs
	for _, pool := range t.pools {
		begin = min(begin, first[pool.Name])
		end = max(end, last[pool.Name])
	}
	middle := begin + (end-begin)/2
	from := m.set.Manifest.TStartUs
	for _, pool := range t.pools {
		if first[pool.Name] > middle || last[pool.Name] <= middle {
			replayed.Short = append(replayed.Short, pool.Name)
			continue
		}
		replayed.Pools = append(replayed.Pools, pool)
		from = max(from, first[pool.Name])
		end = min(end, last[pool.Name])
	}
	if len(replayed.Pools) == 0 { // one after the other: that with the longest record
		longest := slices.MaxFunc(t.pools, func(a, b spec.RecordedPool) int {
			return cmp.Compare(last[a.Name]-first[a.Name], last[b.Name]-first[b.Name])
		})
		replayed.Pools = append(replayed.Pools, longest)
		replayed.Short = slices.DeleteFunc(replayed.Short, func(name string) bool { return name == longest.Name })
		from = max(from, first[longest.Name])
		end = last[longest.Name]
	}
	slices.SortStableFunc(replayed.Pools,
		func(a, b spec.RecordedPool) int { return cmp.Compare(mean[a.Name], mean[b.Name]) })
	if from > m.set.Manifest.TStartUs && m.set.Manifest.ClockKind != traces.ClockRelative {
		replayed.From = time.UnixMicro(from)
	} else {
		from = m.set.Manifest.TStartUs
	}
	replayed.Hours = float64(end-from) / 3.6e9
	return replayed
}

// prices returns when the prices of the pools of a type begin, in microseconds since 1970, and their means over time,
// in dollars per hour.
func (m *Market) prices(t *Type) (first map[string]int64, mean map[string]float64) {
	first = map[string]int64{}
	mean = map[string]float64{}
	for _, pool := range describe.Stats(m.set).Pools {
		if pool.Price == nil || pool.Price.Mean == nil {
			continue
		}
		mean[pool.Pool] = *pool.Price.Mean
	}
	for i := range m.set.Prices {
		name := m.set.Pools[m.set.Prices[i].PoolID].Name
		if _, seen := first[name]; !seen {
			first[name] = m.set.Prices[i].T
		}
	}
	return first, mean
}

// priceEnds returns until when each pool was observed: a gap that lasts until the end of the record ends that of its
// pool.
func (m *Market) priceEnds() map[string]int64 {
	last := map[string]int64{}
	for i := range m.set.Pools {
		last[m.set.Pools[i].Name] = m.set.Manifest.TEndUs
	}
	for i := range m.set.Gaps {
		gap := &m.set.Gaps[i]
		if gap.TEnd >= m.set.Manifest.TEndUs {
			name := m.set.Pools[gap.PoolID].Name
			last[name] = min(last[name], gap.TStart)
		}
	}
	return last
}

// Answer is what runs say before anything is drawn.
type Answer struct {
	Verdict     string `json:"verdict"`     // which policy is the best, or why none is called that
	Assumptions string `json:"assumptions"` // the table of three assumptions of capacity; empty where it was recorded
	Runs        int    `json:"runs"`
}

// Run runs a spec on the market. Page then draws it.
func (m *Market) Run(ctx context.Context, text []byte) (a Answer, err error) {
	m.last = nil
	parsed, err := spec.Parse("mine.yaml", text)
	if err == nil {
		err = parsed.Validate()
	}
	if err != nil {
		return a, err
	}
	study, err := m.Study(parsed)
	if err != nil {
		return a, err
	}
	study.Timelines = 1
	set, err := study.Run(ctx)
	if err != nil {
		return a, err
	}
	if set.Provenance, err = study.Provenance("of the site", "", []string{"marigram", "run", "mine.yaml"}); err != nil {
		return a, err
	}
	known := map[string][]experiments.Aggregate{experiments.Assumed(parsed): experiments.Aggregates(set.Summaries)}
	all, err := experiments.Assumptions(ctx, parsed, known, m.Study)
	if err != nil {
		return a, err
	}
	spot, err := experiments.SpotOrOnDemand(ctx, parsed, all, m.Study)
	if err != nil {
		return a, err
	}
	m.last = set
	a.Runs = len(set.Summaries) * max(1, len(all))
	if len(all) == 0 {
		a.Verdict = strings.Join(report.Verdicts(set), "\n")
		return a, nil
	}
	var said strings.Builder
	term.Assumptions(&said, all, spot)
	a.Assumptions, a.Verdict, _ = strings.Cut(strings.TrimSpace(said.String()), "\n\n")
	return a, nil
}

// Page is the page of marigram report on what was run last.
func (m *Market) Page() (string, error) {
	if m.last == nil {
		return "", errors.New("nothing was run, expected Run first")
	}
	var html strings.Builder
	err := report.Page(&html, m.last)
	return html.String(), err
}
