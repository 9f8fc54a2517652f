package describe

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Statistics describes a set. What the set cannot tell is absent.
//
// A drop event is one step at which the count falls, or one instant at which
// machines go that were not given back; its bulk is the number of machines that it takes. The mean time
// between preemptions (MTBP) is available machine-hours per machine dropped.
type Statistics struct {
	TraceID   string           `json:"trace_id"`
	Semantics string           `json:"semantics"`
	First     string           `json:"first"`      // start of the observation
	Last      string           `json:"last"`       // its end
	Hours     float64          `json:"hours"`      // between the two
	ZoneHours float64          `json:"zone_hours"` // pool-hours with known capacity
	Pools     []PoolStatistics `json:"pools"`
	Falls

	Availability *float64         `json:"availability,omitempty"` // machine-hours available of those asked for
	Probes       *ProbeStatistics `json:"launch_probes,omitempty"`

	Lifetimes      *LifetimeStatistics            `json:"lifetimes,omitempty"`
	LifetimesByGPU map[string]*LifetimeStatistics `json:"lifetimes_by_gpu,omitempty"`

	Correlations      []Correlation `json:"correlations,omitempty"`
	CorrelationNote   string        `json:"correlation_note,omitempty"` // why there are none
	AvailabilitySame  *float64      `json:"corr_availability_same_region,omitempty"`
	AvailabilityCross *float64      `json:"corr_availability_cross_region,omitempty"`
	PriceSame         *float64      `json:"corr_price_same_region,omitempty"`
	PriceCross        *float64      `json:"corr_price_cross_region,omitempty"`
}

// Falls describes how machines are lost.
type Falls struct {
	DropEvents    int         `json:"drop_events"`
	DropInstances int         `json:"drop_instances"`
	Bulk          map[int]int `json:"bulk,omitempty"`                // drop events by machines taken
	BulkMean      *float64    `json:"bulk_mean,omitempty"`           // machines of a drop event
	BulkPlural    *float64    `json:"bulk_at_least_two,omitempty"`   // share of drop events that take two or more
	DropsPerHour  *float64    `json:"drops_per_zone_hour,omitempty"` // drop events an hour of known capacity
	MTBPHours     *float64    `json:"mtbp_h,omitempty"`              // of a machine
	// MTBPCaveat is true where the loss is of capacity that could be launched
	// or of unknown meaning, not of machines that ran.
	MTBPCaveat bool `json:"mtbp_is_launch_probe,omitempty"`
}

// PoolStatistics describes one pool.
type PoolStatistics struct {
	Pool    string  `json:"pool"`
	Region  string  `json:"region,omitempty"`
	Rows    int     `json:"rows"`    // of capacity, or events
	Changes int     `json:"changes"` // of the count, the first value included
	First   string  `json:"first,omitempty"`
	Last    string  `json:"last,omitempty"` // last row
	Hours   float64 `json:"hours"`          // of known capacity
	Ones    int     `json:"ones"`           // rows with at least one machine
	Sum     int64   `json:"sum"`            // of the counts of all rows
	Min     int     `json:"min"`
	Peak    int     `json:"peak"`
	Cap     int     `json:"cap,omitempty"`
	TimeAvg float64 `json:"time_avg"` // machines, time weighted
	Adds    int     `json:"add,omitempty"`
	Removes int     `json:"remove,omitempty"`

	Gaps     int     `json:"gaps,omitempty"`      // stretches in which nothing is known
	GapHours float64 `json:"gap_hours,omitempty"` // of the observation
	Falls

	Availability *float64            `json:"availability,omitempty"` // time average of cap
	Probes       *ProbeStatistics    `json:"launch_probes,omitempty"`
	Lifetimes    *LifetimeStatistics `json:"lifetimes,omitempty"`
	Price        *PriceStatistics    `json:"price,omitempty"`
}

// PriceStatistics describes the prices of one pool, USD per hour.
type PriceStatistics struct {
	Rows          int      `json:"rows"`
	Changes       int      `json:"effective_changes_incl_first"`
	Heartbeats    int      `json:"heartbeats"`
	First         string   `json:"first"`
	Last          string   `json:"last"` // last row
	Min           float64  `json:"min_usd_per_hour"`
	Max           float64  `json:"max_usd_per_hour"`
	Mean          *float64 `json:"mean_usd_per_hour,omitempty"` // time weighted
	ChangesPerDay *float64 `json:"changes_per_day,omitempty"`   // the first not included
	StepMedian    *float64 `json:"step_median,omitempty"`       // of |change|/price before
	StepP95       *float64 `json:"step_p95,omitempty"`
	StepMax       *float64 `json:"step_max,omitempty"`
	OnDemand      *float64 `json:"on_demand_usd_per_hour,omitempty"`
	OverOnDemand  *float64 `json:"price_over_on_demand,omitempty"` // mean price of on-demand
	MinOver       *float64 `json:"min_over_on_demand,omitempty"`
	MaxOver       *float64 `json:"max_over_on_demand,omitempty"`
}

// Stats describes a set.
func Stats(s *traces.Set) Statistics {
	m := &s.Manifest
	out := Statistics{
		TraceID: m.TraceID, Semantics: m.Semantics, First: traces.Stamp(m.TStartUs), Last: traces.Stamp(m.TEndUs),
		Hours: float64(m.TEndUs-m.TStartUs) / series.HourUs,
	}
	n := len(s.Pools)
	prices, capacity, events := series.ByPool(s.Prices, n), series.ByPool(s.Capacity, n), series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
	gaps := series.GapsByPool(s.Gaps, n)
	out.Probes = probeStatistics(s.Probes, m.Semantics)
	var machineHours, capHours float64
	for i := range s.Pools {
		p := PoolStatistics{Pool: s.Pools[i].Name, Region: s.Pools[i].Region}
		p.addGaps(gaps[i], m)
		p.Probes = probeStatistics(probes[i], m.Semantics)
		if len(capacity[i]) == 0 {
			capacity[i] = launchable(probes[i], m.Semantics)
		}
		p.addCapacity(capacity[i], gaps[i], m)
		p.addEvents(events[i], gaps[i], m)
		p.addPrices(prices[i], gaps[i], m.TEndUs, s.Pools[i].OnDemandNano)
		p.Falls.finish(p.Hours, p.TimeAvg*p.Hours, m.Semantics)
		out.Falls.add(p.Falls)
		out.ZoneHours += p.Hours
		machineHours += p.TimeAvg * p.Hours
		capHours += float64(p.Cap) * p.Hours
		out.Pools = append(out.Pools, p)
	}
	out.Falls.finish(out.ZoneHours, machineHours, m.Semantics)
	out.Availability = ratio(machineHours, capHours)
	out.addLifetimes(s)
	out.correlate(s, capacity, events, prices, gaps)
	return out
}

// ratio returns a/b, nil where b is 0.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	r := a / b
	return &r
}

func (f *Falls) drop(machines int) {
	if f.Bulk == nil {
		f.Bulk = map[int]int{}
	}
	f.DropEvents++
	f.DropInstances += machines
	f.Bulk[machines]++
}

func (f *Falls) add(g Falls) {
	for size, n := range g.Bulk {
		if f.Bulk == nil {
			f.Bulk = map[int]int{}
		}
		f.Bulk[size] += n
	}
	f.DropEvents += g.DropEvents
	f.DropInstances += g.DropInstances
}

func (f *Falls) finish(hours, machineHours float64, semantics string) {
	plural := f.DropEvents - f.Bulk[1]
	f.BulkMean = ratio(float64(f.DropInstances), float64(f.DropEvents))
	f.BulkPlural = ratio(float64(plural), float64(f.DropEvents))
	f.DropsPerHour = ratio(float64(f.DropEvents), hours)
	f.MTBPHours = ratio(machineHours, float64(f.DropInstances))
	held := semantics == traces.SemanticsHeld || semantics == traces.SemanticsAutoscaling || semantics == traces.SemanticsLifetimes || semantics == traces.SemanticsSynthetic
	f.MTBPCaveat = f.MTBPHours != nil && !held
}

func (p *PoolStatistics) addGaps(gaps []traces.GapRow, m *traces.Manifest) {
	for _, g := range gaps {
		if us := min(g.TEnd, m.TEndUs) - max(g.TStart, m.TStartUs); us > 0 {
			p.Gaps++
			p.GapHours += float64(us) / series.HourUs
		}
	}
}

func (p *PoolStatistics) addCapacity(rows []traces.CapacityRow, gaps []traces.GapRow, m *traces.Manifest) {
	if len(rows) == 0 {
		return
	}
	p.Rows, p.First, p.Last = len(rows), traces.Stamp(rows[0].T), traces.Stamp(rows[len(rows)-1].T)
	p.Min = math.MaxInt
	for i, r := range rows {
		n := int(r.Available)
		p.Sum += int64(n)
		p.Min, p.Peak, p.Cap = min(p.Min, n), max(p.Peak, n), max(p.Cap, int(r.Cap))
		if n > 0 {
			p.Ones++
		}
		if i == 0 || r.Available != rows[i-1].Available {
			p.Changes++
		}
		if i == 0 {
			continue
		}
		if was := min(rows[i-1].Available, r.Cap); r.Available < was { // of those still asked for
			p.drop(int(was - r.Available))
		}
	}
	p.average(series.CapacitySteps(rows), gaps, m.TEndUs)
	p.Availability = ratio(p.TimeAvg, float64(p.Cap))
}

// addEvents describes a pool of single machines. The number asked for is not
// recorded in events, so that they have no availability.
func (p *PoolStatistics) addEvents(rows []traces.InstanceEventRow, gaps []traces.GapRow, m *traces.Manifest) {
	if len(rows) == 0 || p.Rows > 0 {
		return
	}
	p.Rows, p.First, p.Last = len(rows), traces.Stamp(rows[0].T), traces.Stamp(rows[len(rows)-1].T)
	gone, up := 0, map[string]bool{}
	for i, r := range rows {
		switch {
		case r.Comes() && !up[r.InstanceID]:
			up[r.InstanceID] = true
			p.Adds++
		case r.Goes() && up[r.InstanceID]:
			delete(up, r.InstanceID)
			p.Removes++
			if r.Reason != traces.ReasonUser {
				gone++
			}
		}
		if last := i+1 == len(rows) || rows[i+1].T != r.T; last && gone > 0 {
			p.drop(gone)
			gone = 0
		}
	}
	steps := series.EventSteps(rows)
	p.Changes, p.Min = len(steps), math.MaxInt
	for _, s := range steps {
		p.Min, p.Peak = min(p.Min, int(s.V)), max(p.Peak, int(s.V))
	}
	if len(steps) == 0 {
		p.Min = 0
	}
	p.average(steps, gaps, m.TEndUs)
}

func (p *PoolStatistics) average(steps []series.Step, gaps []traces.GapRow, end int64) {
	var sum float64
	for x := range series.Pieces(steps, gaps, end) {
		p.Hours += x.Hours()
		sum += x.V * x.Hours()
	}
	if p.Hours > 0 {
		p.TimeAvg = sum / p.Hours
	}
}

func (p *PoolStatistics) addPrices(rows []traces.PriceRow, gaps []traces.GapRow, end int64, onDemand *int64) {
	if len(rows) == 0 {
		return
	}
	q := &PriceStatistics{Rows: len(rows), First: traces.Stamp(rows[0].T), Last: traces.Stamp(rows[len(rows)-1].T)}
	byPrice := func(a, b traces.PriceRow) int { return cmp.Compare(a.PriceNanoUSD, b.PriceNanoUSD) }
	q.Min, q.Max = traces.USD(slices.MinFunc(rows, byPrice).PriceNanoUSD), traces.USD(slices.MaxFunc(rows, byPrice).PriceNanoUSD)
	q.addSteps(rows)
	var hours, sum float64
	for x := range series.Pieces(series.PriceSteps(rows), gaps, end) {
		hours += x.Hours()
		sum += x.V * x.Hours()
	}
	q.Mean = ratio(sum, hours)
	q.ChangesPerDay = ratio(float64(q.Changes-1), hours/24)
	if onDemand != nil && *onDemand > 0 {
		od := traces.USD(*onDemand)
		q.OnDemand = &od
		q.OverOnDemand, q.MinOver, q.MaxOver = ratio(sum, hours*od), ratio(q.Min, od), ratio(q.Max, od)
	}
	p.Price = q
}

// addSteps counts the changes and takes the quantiles of their relative sizes.
func (q *PriceStatistics) addSteps(rows []traces.PriceRow) {
	var sizes []float64
	q.Changes = 1
	for i := 1; i < len(rows); i++ {
		was, is := rows[i-1].PriceNanoUSD, rows[i].PriceNanoUSD
		if was == is {
			q.Heartbeats++
			continue
		}
		q.Changes++
		if was > 0 {
			sizes = append(sizes, math.Abs(float64(is-was))/float64(was))
		}
	}
	slices.Sort(sizes)
	q.StepMedian, q.StepP95, q.StepMax = quantile(sizes, .5), quantile(sizes, .95), quantile(sizes, 1)
}

// quantile returns the q-quantile of ascending numbers: the smallest that at
// least that share does not exceed.
func quantile(sorted []float64, q float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	i := max(0, int(math.Ceil(q*float64(len(sorted))))-1)
	return &sorted[i]
}
