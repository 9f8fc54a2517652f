package describe

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Stats describes a set.
func Stats(s *traces.Set) Statistics {
	m := &s.Manifest
	out := Statistics{
		TraceID: m.TraceID, Semantics: m.Semantics, First: traces.Stamp(m.TStartUs), Last: traces.Stamp(m.TEndUs),
		Hours: float64(m.TEndUs-m.TStartUs) / series.HourUs,
	}
	n := len(s.Pools)
	prices := series.ByPool(s.Prices, n)
	capacity := series.ByPool(s.Capacity, n)
	events := series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
	gaps := series.GapsByPool(s.Gaps, n)
	out.Probes = probeStatistics(s.Probes, m.Semantics)
	out.Jobs = Jobs(s)
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
		p.Faults = faultStatistics(events[i], m)
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
	held := semantics == traces.SemanticsHeld || semantics == traces.SemanticsAutoscaling ||
		semantics == traces.SemanticsLifetimes || semantics == traces.SemanticsSynthetic
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
	p.Rows = len(rows)
	p.First = traces.Stamp(rows[0].T)
	p.Last = traces.Stamp(rows[len(rows)-1].T)
	p.Min = math.MaxInt
	for i, r := range rows {
		n := int(r.Available)
		p.Sum += int64(n)
		p.Min = min(p.Min, n)
		p.Peak = max(p.Peak, n)
		p.Cap = max(p.Cap, int(r.Cap))
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
	p.Rows = len(rows)
	p.First = traces.Stamp(rows[0].T)
	p.Last = traces.Stamp(rows[len(rows)-1].T)
	gone := 0
	up := map[string]bool{}
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
	p.Changes = len(steps)
	p.Min = math.MaxInt
	for _, s := range steps {
		p.Min = min(p.Min, int(s.V))
		p.Peak = max(p.Peak, int(s.V))
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
	q.Min = traces.USD(slices.MinFunc(rows, byPrice).PriceNanoUSD)
	q.Max = traces.USD(slices.MaxFunc(rows, byPrice).PriceNanoUSD)
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
		q.OverOnDemand = ratio(sum, hours*od)
		q.MinOver = ratio(q.Min, od)
		q.MaxOver = ratio(q.Max, od)
	}
	p.Price = q
}

// addSteps counts the changes and takes the quantiles of their relative sizes.
func (q *PriceStatistics) addSteps(rows []traces.PriceRow) {
	var sizes []float64
	q.Changes = 1
	for i := 1; i < len(rows); i++ {
		was := rows[i-1].PriceNanoUSD
		is := rows[i].PriceNanoUSD
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
	at := func(share float64) *float64 { return stats.FiniteOrNil(stats.NearestRank(sizes, share)) }
	q.StepMedian = at(.5)
	q.StepP95 = at(.95)
	q.StepMax = at(1)
}
