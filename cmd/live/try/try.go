// Package try answers what a job costs at recorded prices, from a file and five numbers, without a file system: it is what the page
// Try of the site runs in a browser.
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
	USD       float64 `json:"usd"`       // of an instance for an hour on demand, where the file does not say; 0: as the file says
}

// Read reads a file that a user has: of any format of a market. Errors name file, line and what was expected.
func Read(name string, data []byte) (*Market, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s has %d bytes, expected at most %d: a part of the time, or marigram on your machine", name, len(data), MaxBytes)
	}
	set, _, err := formats.ImportBytes(name, data, traces.Options{MaxFileBytes: MaxBytes})
	if err != nil {
		return nil, err
	}
	return of(name, set)
}

// Recorded reads the market of the site, which Packed packed and gzip compressed.
func Recorded(name string, data []byte) (*Market, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if data, err = io.ReadAll(r); err != nil {
		return nil, err
	}
	sets, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	if sets[name] == nil {
		return nil, fmt.Errorf("no trace %s, expected that of the site", name)
	}
	return of("pulled:"+name, sets[name])
}

func of(path string, set *traces.Set) (*Market, error) {
	m := &Market{path: path, set: set, Notes: set.Manifest.Notes, Hours: float64(set.Manifest.TEndUs-set.Manifest.TStartUs) / 3.6e9}
	priced, counted := map[int32]bool{}, map[int32]bool{}
	for i := range set.Prices {
		priced[set.Prices[i].PoolID] = true
	}
	for i := range set.Capacity {
		counted[set.Capacity[i].PoolID] = true
	}
	for i, p := range set.Pools {
		if p.GPUCount == 0 || p.GPUType == "" || !priced[int32(i)] {
			continue
		}
		m.add(&p, counted[int32(i)])
	}
	if len(m.Types) == 0 {
		return nil, fmt.Errorf("%s has no prices of an instance type with GPUs, expected those of p3.2xlarge, g5.xlarge or others (aws ec2 "+
			"describe-spot-price-history --instance-types)", path)
	}
	slices.SortStableFunc(m.Types, func(a, b Type) int { return cmp.Compare(len(b.pools), len(a.pools)) })
	return m, nil
}

// add adds a pool to its type.
func (m *Market) add(p *traces.Pool, counted bool) {
	i := slices.IndexFunc(m.Types, func(t Type) bool {
		return t.Type == p.InstanceType && t.Region == p.Region && t.Cloud == p.Cloud && t.Capacity == counted
	})
	pool := spec.RecordedPool{Name: p.Name, Zone: p.Zone, Region: p.Region}
	if p.OnDemandNano != nil {
		pool.USD = traces.USD(*p.OnDemandNano)
	}
	if i < 0 {
		t := Type{Type: p.InstanceType, Region: p.Region, Cloud: p.Cloud, GPU: p.GPUType, GPUs: int(p.GPUCount), USD: pool.USD, Capacity: counted}
		m.Types, i = append(m.Types, t), len(m.Types)
	}
	m.Types[i].pools = append(m.Types[i].pools, pool)
}

// Spec returns the spec of a job as YAML, and what was assumed.
func (m *Market) Spec(j Job) (text []byte, assumed []string, err error) {
	if j.Type < 0 || j.Type >= len(m.Types) {
		return nil, nil, fmt.Errorf("instance type %d, expected one of %d", j.Type, len(m.Types))
	}
	t := &m.Types[j.Type]
	switch usd := cmp.Or(j.USD, t.USD); {
	case j.GPUs < 1 || j.GPUs%t.GPUs != 0 || j.GPUs/t.GPUs > 1000:
		return nil, nil, fmt.Errorf("%d GPUs: expected a multiple of the %d of %s, at most 1000 instances", j.GPUs, t.GPUs, t.Type)
	case !(j.Hours > 0 && j.Hours <= 10000):
		return nil, nil, fmt.Errorf("%v hours on demand: expected more than 0, at most 10000", j.Hours)
	case !(j.DeadlineH >= j.Hours && j.DeadlineH <= 20000):
		return nil, nil, fmt.Errorf("a deadline of %v h: expected at least the %v h of training on demand, at most 20000", j.DeadlineH, j.Hours)
	case j.EveryS != 0 && !(j.EveryS >= 1 && j.EveryS <= 604800):
		return nil, nil, fmt.Errorf("a checkpoint every %v s: expected 1 to 604800, or 0 for Young's interval", j.EveryS)
	case !(j.RestartS > 0 && j.RestartS <= 86400):
		return nil, nil, fmt.Errorf("a restart of %v s: expected more than 0, at most 86400", j.RestartS)
	case !(usd > 0 && usd < 1e5):
		return nil, nil, fmt.Errorf("the price of %s on demand is not known: expected USD for an hour", t.Type)
	default:
		s := spec.Starter{Name: "mine", USD: usd, Nodes: j.GPUs / t.GPUs, Hours: j.Hours, Within: j.DeadlineH, RestartS: j.RestartS, EveryS: j.EveryS,
			Policies: []string{"ondemand", "reactive", "checkpoint", "uniform-progress"}} // mdp takes longer than all runs of these
		m.Into(&s, t)
		return s.Write()
	}
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

// IntoAll is Into with one instance type in all its regions: that with the most pools that the first of the machines fits which the market
// has. It is an error if the market has none of them.
func (m *Market) IntoAll(s *spec.Starter, machines []spec.Machine) error {
	for i := range machines {
		if all := m.everywhere(&machines[i]); all != nil {
			m.Into(s, &all[0])
			return nil
		}
	}
	asked, there := machines[0], []string{}
	for i := range m.Types {
		if name := fmt.Sprintf("%s:%d", m.Types[i].GPU, m.Types[i].GPUs); !slices.Contains(there, name) {
			there = append(there, name)
		}
	}
	what := fmt.Sprintf("%s:%d", asked.GPU, asked.Count)
	for _, more := range []string{asked.InstanceType, asked.Cloud, asked.Region, asked.Zone} {
		if more != "" {
			what += ", " + more
		}
	}
	return fmt.Errorf("%s has no prices of %s, expected one of %s", m.path, what, strings.Join(there, ", "))
}

// everywhere returns the types that a machine fits, each with its pools in all regions, the one with the most pools first.
func (m *Market) everywhere(machine *spec.Machine) (all []Type) {
	for i := range m.Types {
		t := m.Types[i]
		if t.pools = t.fitting(machine); t.pools == nil {
			continue
		}
		k := slices.IndexFunc(all, func(o Type) bool { return o.Type == t.Type && o.Cloud == t.Cloud && o.Capacity == t.Capacity })
		if k < 0 {
			all = append(all, t)
			continue
		}
		all[k].pools = append(all[k].pools, t.pools...)
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
	for _, p := range t.pools {
		if p.Region != "" && asks(machine.Region, p.Region) || p.Zone != "" && asks(machine.Zone, p.Zone) {
			continue
		}
		pools = append(pools, p)
	}
	return pools
}

// recorded returns the market as a first spec replays it: the pools of a type, the cheapest on spot first, from when all of them have
// prices. Those whose prices begin in the second half of the record are left out, since they would take the other half of it away.
func (m *Market) recorded(t *Type) *spec.Recorded {
	r := &spec.Recorded{Path: m.path, Capacity: t.Capacity}
	first, mean := m.prices(t)
	end := m.set.Manifest.TEndUs
	begin := end
	for _, p := range t.pools {
		begin = min(begin, first[p.Name])
	}
	from := m.set.Manifest.TStartUs
	for _, p := range t.pools {
		if first[p.Name]-begin > (end-begin)/2 {
			r.Late = append(r.Late, p.Name)
			continue
		}
		r.Pools = append(r.Pools, p)
		from = max(from, first[p.Name])
	}
	slices.SortStableFunc(r.Pools, func(a, b spec.RecordedPool) int { return cmp.Compare(mean[a.Name], mean[b.Name]) })
	if from > m.set.Manifest.TStartUs && m.set.Manifest.ClockKind != traces.ClockRelative {
		r.From = time.UnixMicro(from)
	} else {
		from = m.set.Manifest.TStartUs
	}
	r.Hours = float64(end-from) / 3.6e9
	return r
}

// prices returns when the prices of the pools of a type begin, in microseconds since 1970, and their means over time, in dollars per hour.
func (m *Market) prices(t *Type) (first map[string]int64, mean map[string]float64) {
	first, mean = map[string]int64{}, map[string]float64{}
	for _, q := range describe.Stats(m.set).Pools {
		if q.Price == nil || q.Price.Mean == nil {
			continue
		}
		mean[q.Pool] = *q.Price.Mean
	}
	for i := range m.set.Prices {
		name := m.set.Pools[m.set.Prices[i].PoolID].Name
		if _, seen := first[name]; !seen {
			first[name] = m.set.Prices[i].T
		}
	}
	return first, mean
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
	s, err := spec.Parse("mine.yaml", text)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return a, err
	}
	study, err := m.study(s)
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
	all, err := experiments.Assumptions(ctx, s, map[string][]experiments.Aggregate{experiments.Assumed(s): experiments.Aggregates(set.Summaries)}, m.study)
	if err != nil {
		return a, err
	}
	m.last, a.Runs = set, len(set.Summaries)*max(1, len(all))
	if len(all) == 0 {
		a.Verdict = strings.Join(report.Verdicts(set), "\n")
		return a, nil
	}
	var said strings.Builder
	term.Assumptions(&said, all)
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

func (m *Market) study(s *spec.Spec) (*experiments.Study, error) {
	on, err := market.Given(s, map[string]*traces.Set{s.Market.Traces[0].Name: m.set})
	if err != nil {
		return nil, err
	}
	return experiments.NewStudyOn(s, on)
}
