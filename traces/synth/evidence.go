package synth

import (
	"maps"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
	"gonum.org/v1/gonum/stat"
)

// evidence is what one or several traces say, for comparison.
type evidence struct {
	own                        bool // of recorded evidence: what it is compared with has the same pools
	names                      []string
	hours                      []float64             // of known counts, by pool
	levels                     []map[float64]float64 // hours at each level, by pool
	machineHours, capHours     float64
	poolHours                  float64
	drops, lost                float64
	bulk                       map[float64]float64
	intervals                  weights
	capped                     bool // caps were asked for, not only seen
	lifetimes                  describe.Ages
	curve                      describe.Survival // of lifetimes, of recorded evidence
	longest                    float64           // h, of a trace
	price, pricedPools         float64
	changes, pricedDays        float64
	steps                      []float64
	same, cross, psame, pcross mean
}

// measureSet takes the evidence of a set.
func measureSet(s *traces.Set) evidence {
	h := newTrace(s)
	h.correlated = describe.Correlate(s)
	return measure(h, nil)
}

// measure takes the evidence of a trace. weights, where given, scale the hours of
// each pool.
func measure(h *trace, weights []float64) evidence {
	e := evidence{bulk: map[float64]float64{}, longest: float64(h.span()) / series.HourUs}
	e.capped = h.capped
	var intervals []weight
	for i := range h.courses {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		e.names = append(e.names, h.set.Pools[i].Name)
		intervals = e.addCourse(&h.courses[i], w, intervals)
		e.lifetimes.Add(h.lifetimes[i])
		e.addPrices(h.prices[i], h.priced[i])
	}
	e.intervals = summed(intervals)
	st := &h.correlated
	e.same.add(st.AvailabilitySame)
	e.cross.add(st.AvailabilityCross)
	e.psame.add(st.PriceSame)
	e.pcross.add(st.PriceCross)
	return e
}

// weights returns by how much the hours of a generator's pools are scaled to
// those of the recorded trace whose evidence this is; nil if the pools are
// not the same.
func (e *evidence) weights(pools []GeneratorPool) []float64 {
	if len(pools) != len(e.names) {
		return nil
	}
	out := make([]float64, len(pools))
	for i, p := range pools {
		if p.Name != e.names[i] && p.Name != "synthetic-"+e.names[i] {
			return nil
		}
		out[i] = e.hours[i] / e.longest
	}
	return out
}

// addCourse adds what a pool's machines did, and returns its spells after those of other pools.
func (e *evidence) addCourse(c *course, w float64, intervals []weight) []weight {
	at := map[float64]float64{}
	for _, p := range c.spans {
		at[p.V] += p.Hours()
	}
	hours := c.hours()
	e.levels, e.hours = append(e.levels, at), append(e.hours, hours)
	e.machineHours += w * c.machineHours()
	e.capHours += w * hours * float64(c.top)
	e.poolHours += w * hours
	last := int64(-1)
	for _, m := range c.moves {
		if m.gone == 0 {
			continue
		}
		e.drops += w
		e.lost += w * float64(m.gone)
		e.bulk[float64(m.gone)] += w
		if last >= 0 {
			intervals = append(intervals, weight{float64(m.t-last) / series.HourUs, w})
		}
		last = m.t
	}
	return intervals
}

func (e *evidence) addPrices(prices []series.Step, spans []series.Piece) {
	hours, sum := 0.0, 0.0
	for _, p := range spans {
		hours += p.Hours()
		sum += p.V * p.Hours()
	}
	if hours == 0 {
		return
	}
	e.price += sum / hours / traces.NanoPerUSD
	e.pricedPools++
	e.pricedDays += hours / 24
	for i := 1; i < len(prices); i++ {
		e.changes++
		if was := prices[i-1].V; was > 0 {
			e.steps = append(e.steps, max(was, prices[i].V)/was-min(was, prices[i].V)/was)
		}
	}
}

// add joins the evidence of another trace of the same pools.
func (e *evidence) add(o evidence) {
	if e.levels == nil {
		o.lifetimes, o.steps = append(e.lifetimes, o.lifetimes...), append(e.steps, o.steps...)
		*e = o
		return
	}
	for i := range e.levels {
		e.hours[i] += o.hours[i]
		join(e.levels[i], o.levels[i])
	}
	join(e.bulk, o.bulk)
	e.intervals = e.intervals.with(o.intervals)
	e.machineHours, e.capHours, e.poolHours = e.machineHours+o.machineHours, e.capHours+o.capHours, e.poolHours+o.poolHours
	e.drops, e.lost = e.drops+o.drops, e.lost+o.lost
	e.lifetimes, e.steps = append(e.lifetimes, o.lifetimes...), append(e.steps, o.steps...)
	e.price, e.pricedPools = e.price+o.price, e.pricedPools+o.pricedPools
	e.changes, e.pricedDays = e.changes+o.changes, e.pricedDays+o.pricedDays
	e.same.join(o.same)
	e.cross.join(o.cross)
	e.psame.join(o.psame)
	e.pcross.join(o.pcross)
}

func join(a, b map[float64]float64) {
	for _, x := range slices.Sorted(maps.Keys(b)) {
		a[x] += b[x]
	}
}

// values returns the statistics, those that are distances from the recorded
// evidence.
func (e *evidence) values(recorded *evidence) map[statistic]float64 {
	out := map[statistic]float64{}
	put := func(s statistic, a, b float64) {
		if b > 0 {
			out[s] = a / b
		}
	}
	if recorded.capped {
		put(statAvailability, e.machineHours, e.capHours)
	} else {
		put(statMachines, e.machineHours, e.poolHours)
	}
	put(statDrops, e.drops, e.poolHours)
	put(statMTBP, e.machineHours, e.lost)
	put(statBulkMean, e.lost, e.drops)
	put(statSame, e.same.sum, e.same.n)
	put(statCross, e.cross.sum, e.cross.n)
	put(statPrice, e.price, e.pricedPools)
	put(statChanges, e.changes, e.pricedDays)
	put(statPriceSame, e.psame.sum, e.psame.n)
	put(statPriceCross, e.pcross.sum, e.pcross.n)
	e.addDistances(out, recorded)
	if len(e.steps) > 0 {
		slices.Sort(e.steps)
		for s, p := range map[statistic]float64{statStepMedian: .5, statStepP95: .95, statStepMax: 1} {
			out[s] = stat.Quantile(p, stat.Empirical, e.steps, nil)
		}
	}
	return out
}

func (e *evidence) addDistances(out map[statistic]float64, recorded *evidence) {
	if d, ok := distance(e.bulk, recorded.bulk); ok {
		out[statBulk] = d
	}
	if d, ok := e.intervals.distance(recorded.intervals); ok {
		out[statIntervals] = d
	}
	for i := range e.levels {
		if !recorded.own {
			break
		}
		if d, ok := distance(e.levels[i], recorded.levels[i]); ok {
			out[statLevels] = max(out[statLevels], d)
		}
	}
	if d, ok := e.lifetimes.Distance(recorded.curve, recorded.curve.LastLoss()); ok {
		out[statLifetimes] = d
	}
}
