package experiments

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Markets makes the markets of a spec: one of its own for each seed if it is
// synthetic, one and the same for all if it is recorded. It is safe for
// concurrent use.
type Markets struct {
	// Name is for the results; it says synthetic where the market is.
	Name string
	// Replay names the assumptions under which the histories are replayed.
	Replay string
	// Warnings are doubts about the market, for the user.
	Warnings []string
	// Inputs are the files that were read.
	Inputs []traces.SourceFile

	spec     *Spec
	recorded *sim.Market
	pools    []traces.SyntheticPool
	of       []int // by synthetic pool: its PoolSpec
}

// Markets reads the histories and checks that a market can be made of them.
func (s *Spec) Markets() (*Markets, error) {
	m := &Markets{spec: s}
	if s.Market.Synthetic != nil {
		m.synthetic()
		_, err := m.For(uint64(s.Seed))
		return m, err
	}
	return m, m.record()
}

// For returns the market for a seed.
func (m *Markets) For(seed uint64) (*sim.Market, error) {
	if m.recorded != nil {
		return m.recorded, nil
	}
	horizon := seconds(m.spec.HorizonS)
	tape, err := traces.DefaultSynthetic().Tape(seed, m.pools, horizon)
	if err != nil {
		return nil, err
	}
	var all []sim.History
	for i := range m.pools {
		p := &m.spec.Market.Pools[m.of[i]]
		hs, _, err := m.spec.replay(p).Histories(tape, traces.Window{}, i)
		if err != nil {
			return nil, err
		}
		m.spec.dress(&hs[0].Pool, p, "synthetic")
		all = append(all, hs[0])
	}
	return sim.NewMarket(sim.Time(0).Add(horizon), m.spec.withOnDemand(all))
}

func (m *Markets) synthetic() {
	x := m.spec.Market.Synthetic
	m.Name = "synthetic"
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		machines := x.Machines
		if machines == 0 {
			machines = *p.Quota
		}
		like := traces.SyntheticPool{InstanceType: p.Type, OnDemandNano: int64(p.OnDemandUSDPerH * 1e9), Cap: machines}
		for _, pool := range traces.SyntheticPools(max(x.Regions, 1), defaultTo(x.Zones, 2), like) {
			m.pools, m.of = append(m.pools, pool), append(m.of, i)
		}
	}
	m.Replay = "synthetic market, " + m.spec.replays()
}

// replays names the assumptions of all pools, once where they are the same.
func (s *Spec) replays() string {
	var each []string
	first := s.replay(&s.Market.Pools[0]).String()
	same := true
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		same = same && s.replay(p).String() == first
		each = append(each, p.Type+" "+s.replay(p).String())
	}
	if same {
		return first
	}
	return strings.Join(each, "; ")
}

func defaultTo(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// source is a history that was read.
type source struct {
	tape *traces.Tape
	gaps []traces.GapRow
	from int64 // us UTC: the start of a run
}

func (m *Markets) record() error {
	sources := map[string]source{}
	var names []string
	for i := range m.spec.Market.Histories {
		h := &m.spec.Market.Histories[i]
		src, err := m.read(h)
		if err != nil {
			return m.spec.at(fmt.Sprintf("$.market.histories[%d]", i), "%v", err)
		}
		sources[h.Name] = src
		names = append(names, h.Name)
	}
	m.Name = strings.Join(names, "+")
	end := sim.Time(0).Add(seconds(m.spec.HorizonS))
	var all []sim.History
	shortest := ""
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		h, until, err := m.join(p, sources)
		if err != nil {
			return m.spec.at(fmt.Sprintf("$.market.pools[%d]", i), "%v", err)
		}
		if until < end {
			end, shortest = until, h.Name
		}
		all = append(all, h)
	}
	if shortest != "" {
		m.warn("the history of %s ends %v into the run, before the horizon", shortest, end.Sub(0).Round(time.Second))
	}
	if m.spec.Seeds > 1 {
		m.warn("all seeds replay one window of the histories: they differ in boot times, victims and missing notices only")
	}
	var err error
	m.recorded, err = sim.NewMarket(end, m.spec.withOnDemand(all))
	return err
}

func (m *Markets) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// warnGaps warns of what is not known of a pool of a source during a run.
func (m *Markets) warnGaps(what string, s source, pool int) {
	unknown := time.Duration(0)
	until := s.from + int64(m.spec.HorizonS*1e6)
	for _, g := range s.gaps {
		if overlap := min(g.TEnd, until) - max(g.TStart, s.from); int(g.PoolID) == pool && overlap > 0 {
			unknown += time.Duration(overlap) * time.Microsecond
		}
	}
	if unknown > 0 {
		m.warn("%s: nothing is known for %v of the run: what was known last is taken to hold", what, unknown.Round(time.Second))
	}
}

func (m *Markets) read(h *HistorySpec) (source, error) {
	opt := traces.Options{AllowTruncated: h.AllowTruncated, Polarity: traces.Polarity(h.Polarity), Disorder: traces.Disorder(h.Disorder)}
	var set *traces.Set
	var err error
	switch pulled := strings.HasPrefix(h.Path, traces.PulledPrefix); {
	case pulled && h.Format != "":
		err = fmt.Errorf("format %q for %s, expected none: it was converted when it was pulled", h.Format, h.Path)
	case pulled:
		set, _, err = traces.Load(h.Path, opt)
	case h.Format == "":
		set, _, err = traces.Load(m.spec.path(h.Path), opt)
	default:
		set, _, err = traces.Import(h.Format, []string{m.spec.path(h.Path)}, opt)
	}
	if err != nil {
		return source{}, err
	}
	m.Inputs = append(m.Inputs, set.Manifest.Source.Files...)
	src := source{tape: traces.NewTape(set), gaps: set.Gaps, from: set.Manifest.TStartUs + int64(h.FromS*1e6)}
	if h.From != "" {
		t, err := time.Parse(time.RFC3339, h.From)
		if err != nil {
			return src, err
		}
		src.from = t.UnixMicro()
	}
	if src.from < set.Manifest.TStartUs || src.from >= set.Manifest.TEndUs {
		return src, fmt.Errorf("the run would begin at %s, the history goes from %s to %s", stamp(src.from), stamp(set.Manifest.TStartUs), stamp(set.Manifest.TEndUs))
	}
	return src, nil
}

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339) }

// join makes the history of one pool: prices of one source, capacity of another
// perhaps, each on the run's own clock. That they belong together is an
// assumption, which the results say.
func (m *Markets) join(p *PoolSpec, sources map[string]source) (h sim.History, end sim.Time, err error) {
	prices := sources[p.Prices.History]
	priced, err := prices.pool(p.Prices.Pool)
	if err != nil {
		return h, 0, fmt.Errorf("prices: %w", err)
	}
	replay := m.spec.replay(p)
	adapter := replay.String()
	replay.Adapter, replay.N, replay.Copies = traces.Unlimited, *p.Quota, 0
	hs, end, err := replay.Histories(prices.tape, traces.Window{From: prices.from}, priced)
	if err != nil {
		return h, 0, fmt.Errorf("prices: %w", err)
	}
	h = hs[0]
	h.Capacity = nil
	m.spec.dress(&h.Pool, p, "")
	if h.Prices[0].At > 0 {
		m.warn("%s: no price is known for the first %v of the run: the first one known is taken to hold", h.Name, h.Prices[0].At.Sub(0).Round(time.Second))
	}
	m.warnGaps(h.Name+", prices", prices, priced)
	said := fmt.Sprintf("%s: prices %s/%s from %s", h.Name, p.Prices.History, prices.tape.Pools()[priced].Name, stamp(prices.from))
	if p.Capacity != nil {
		held := sources[p.Capacity.History]
		counted, err := held.pool(p.Capacity.Pool)
		if err != nil {
			return h, 0, fmt.Errorf("capacity: %w", err)
		}
		replay = m.spec.replay(p)
		replay.FlatPrice = 1 // of a price that is not used
		hs, until, err := replay.Histories(held.tape, traces.Window{From: held.from}, counted)
		if err != nil {
			return h, 0, fmt.Errorf("capacity: %w", err)
		}
		h.Capacity, h.Nodes = hs[0].Capacity, hs[0].Nodes
		end = min(end, until)
		m.warnGaps(h.Name+", capacity", held, counted)
		said += fmt.Sprintf(", capacity %s/%s from %s by %s", p.Capacity.History, held.tape.Pools()[counted].Name, stamp(held.from), adapter)
	} else {
		said += ", capacity not recorded: unlimited, never revoked"
		m.warn("%s has no record of capacity: its instances are never revoked", h.Name)
	}
	m.Replay = strings.TrimPrefix(m.Replay+"; "+said, "; ")
	return h, end, nil
}

// pool returns a pool of the source by name; an empty name means its only one.
func (s *source) pool(name string) (int, error) {
	pools := s.tape.Pools()
	if name == "" && len(pools) == 1 {
		return 0, nil
	}
	var names []string
	for i, p := range pools {
		if p.Name == name {
			return i, nil
		}
		names = append(names, p.Name)
	}
	err := fmt.Errorf("no pool %q in the history; there are %d", name, len(names))
	if near := Nearest(name, names); near != "" {
		return 0, fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return 0, fmt.Errorf("%w: %s", err, strings.Join(names[:min(len(names), 12)], ", "))
}

// replay returns the assumption under which a pool's history is replayed.
func (s *Spec) replay(p *PoolSpec) traces.Replay {
	x := s.Market.Replay
	if p.Replay != nil {
		x = *p.Replay
	}
	r := traces.Replay{NoticeMissing: x.NoticeMissing, Scale: x.Scale, Copies: x.Copies, Bid: x.BidUSDPerH, N: *p.Quota, Notice: sim.DefaultNotice(p.Cloud)}
	if x.Adapter != "" {
		r.Adapter, _ = traces.AdapterNamed(x.Adapter)
	}
	r.Victim, _ = victim(x.Victim)
	if x.NoticeS != nil {
		r.Notice = seconds(*x.NoticeS)
	}
	return r
}

const (
	defaultBootMedianS = 126 // spotDNN Fig. 9: from the notice to the take-over's start
	defaultBootSpread  = 0.1 // CM-DARE start-up log
)

// dress gives a pool what the spec says of it.
func (s *Spec) dress(pool *sim.Pool, p *PoolSpec, cloud string) {
	if p.Cloud != "" {
		cloud = p.Cloud
	}
	if cloud != "" {
		pool.Cloud = cloud
	}
	if p.Zone != "" {
		pool.Zone = p.Zone
	}
	pool.InstanceType = p.Type
	pool.Name = strings.TrimPrefix(pool.Zone+"/"+p.Type, "/")
	pool.Quota = *p.Quota
	pool.OnDemandPrice = p.OnDemandUSDPerH
	b := &s.Market.Boot
	pool.Boot = sim.Boot{Median: seconds(valueOr(b.MedianS, defaultBootMedianS)), Spread: valueOr(b.Spread, defaultBootSpread)}
}

// withOnDemand adds the on-demand pools, one an instance type, behind the spot
// pools.
func (s *Spec) withOnDemand(spot []sim.History) []sim.History {
	all := spot
	seen := map[string]bool{}
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		if p.OnDemandQuota == 0 || seen[p.Type] {
			continue
		}
		seen[p.Type] = true
		pool := sim.Pool{OnDemand: true}
		s.dress(&pool, p, "")
		pool.Name, pool.Quota, pool.Zone = "on-demand/"+p.Type, p.OnDemandQuota, ""
		all = append(all, sim.History{Pool: pool, Prices: []sim.Price{{USD: p.OnDemandUSDPerH}}})
	}
	return all
}
