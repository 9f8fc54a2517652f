package synth

import (
	"maps"
	"math"
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

// Table says how what a generator makes agrees with a recorded trace.
type Table struct {
	Model   string   `json:"law"`
	TraceID string   `json:"trace_id"` // the recorded trace
	SHA256  string   `json:"sha256"`   // of it
	Seeds   int      `json:"seeds"`    // traces made, each as long as the recorded one
	Hours   float64  `json:"hours"`    // of one
	Rows    []FitRow `json:"rows"`
	Passes  bool     `json:"passes"` // every required row fits, and there is one
	Notes   []string `json:"notes,omitempty"`
}

// FitRow compares one statistic.
type FitRow struct {
	Statistic string   `json:"statistic"`
	Unit      string   `json:"unit"`
	Recorded  *float64 `json:"recorded,omitempty"`  // absent: not recorded
	Generated *float64 `json:"generated,omitempty"` // of all seeds together; absent: the model does not make it
	// Spread is the standard deviation between seeds.
	Spread *float64 `json:"spread,omitempty"`
	// Tolerance is the largest difference that fits: absolute, or of the
	// recorded value (relative).
	Tolerance float64 `json:"tolerance"`
	Relative  bool    `json:"relative"`
	// Required rows make the verdict of the table; the others are reported.
	Required bool   `json:"required"`
	Verdict  string `json:"verdict"` // fits, differs, not made, not recorded
}

// Verdicts.
const (
	verdictFits         = "fits"
	verdictDiffers      = "differs"
	verdictNotGenerated = "not made"
	verdictNotRecorded  = "not recorded"
)

// statistic is a row of every table: what is compared, and how near is near.
//
// Distances are Kolmogorov's: the largest difference of two distribution
// functions, recorded 0.
type statistic struct {
	name, unit string
	tolerance  float64
	relative   bool
	required   bool
}

var (
	statAvailability = statistic{"availability", "1", .05, false, true}
	statMachines     = statistic{"machines of a pool, mean over time", "machines", .15, true, true}
	statLevels       = statistic{"time at each level, distance, worst pool", "1", .10, false, true}
	statDrops        = statistic{"drop events per zone-hour", "1/h", .15, true, true}
	statMTBP         = statistic{"mean time between preemptions", "h", .15, true, true}
	statBulkMean     = statistic{"machines of a drop event", "machines", .15, true, true}
	statBulk         = statistic{"sizes of drop events, distance", "1", .10, false, true}
	statSame         = statistic{"correlation of availability within regions", "1", .10, false, true}
	statCross        = statistic{"correlation of availability across regions", "1", .10, false, true}
	statIntervals    = statistic{"hours between drop events of a pool, distance", "1", .10, false, false}
	statLifetimes    = statistic{"lifetimes of machines, distance of survival curves", "1", .10, false, false}
	statPrice        = statistic{"price, mean of pools", "USD/h", .05, true, true}
	statChanges      = statistic{"price changes per pool and day", "1/d", .15, true, true}
	statStepMedian   = statistic{"price step, median", "1", .20, true, true}
	statStepP95      = statistic{"price step, 95th percentile", "1", .20, true, true}
	statStepMax      = statistic{"price step, largest", "1", .20, true, true}
	statPriceSame    = statistic{"correlation of prices within regions", "1", .15, false, false}
	statPriceCross   = statistic{"correlation of prices across regions", "1", .15, false, false}
)

var statistics = []statistic{
	statAvailability, statMachines, statLevels, statDrops, statMTBP, statBulkMean, statBulk, statSame, statCross,
	statIntervals, statLifetimes, statPrice, statChanges, statStepMedian, statStepP95, statStepMax, statPriceSame,
	statPriceCross,
}

// fill writes the rows and the verdict.
func (t *Table) fill(have, generated map[statistic]float64, seeds []map[statistic]float64) {
	required := 0
	t.Passes = true
	for _, s := range statistics {
		r := FitRow{Statistic: s.name, Unit: s.unit, Tolerance: s.tolerance, Relative: s.relative, Required: s.required,
			Verdict: verdictNotRecorded}
		want, recorded := have[s]
		got, generated := generated[s]
		if !recorded && !generated {
			continue
		}
		if recorded {
			r.Recorded = &want
		}
		if generated {
			r.Generated, r.Spread = &got, spread(s, seeds)
		}
		if recorded {
			r.Verdict = s.verdict(want, got, generated)
		}
		if s.required && recorded && generated {
			required++
			t.Passes = t.Passes && r.Verdict == verdictFits
		}
		t.Rows = append(t.Rows, r)
	}
	t.Passes = t.Passes && required > 0
}

func (s statistic) verdict(want, got float64, generated bool) string {
	allowed := s.tolerance
	if s.relative {
		allowed *= math.Abs(want)
	}
	switch {
	case !generated:
		return verdictNotGenerated
	case math.Abs(got-want) <= allowed:
		return verdictFits
	}
	return verdictDiffers
}

// spread returns the standard deviation between seeds; nil of fewer than two.
func spread(s statistic, seeds []map[statistic]float64) *float64 {
	var n, sum, squares float64
	for _, v := range seeds {
		if x, ok := v[s]; ok {
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	if n < 2 {
		return nil
	}
	d := math.Sqrt(max(0, squares-sum*sum/n) / (n - 1))
	return &d
}
