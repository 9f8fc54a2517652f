package synth

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// priceWalk makes prices that move in small steps and drift back to a mean,
// between the observed floor and ceiling, as spot prices do since the end of
// bidding. Steps come by a Poisson process; their sizes are those observed; a
// step is the likelier upward the further the price lies below its mean, and in
// the direction of the region's trend, which is drawn anew every TrendDays. A
// step that would leave the range goes the other way. The price knows nothing
// of capacity: recorded correlations of the two are about 0.
//
// What it does not have: runs of steps beyond the trend, hours of the day, and
// correlation across regions.
type priceWalk struct {
	Walks     []poolWalk `json:"walks"`      // one each pool
	Trend     float64    `json:"trend"`      // 0 to .45: how much likelier a step is with the trend
	TrendDays float64    `json:"trend_days"` // above 0
}

// poolWalk is one pool's; without Quantiles the pool has no prices.
type poolWalk struct {
	// Quantiles are of the price over time, equally spaced, from the floor to
	// the ceiling.
	Quantiles []float64 `json:"price_quantiles_nanousd_per_h"`
	// Mean is the price that it drifts back to (the geometric mean over time).
	Mean          float64 `json:"mean_nanousd_per_h"`
	ChangesPerDay float64 `json:"changes_per_day"`
	// Steps are the quantiles of |change| of the price before, equally spaced.
	Steps []float64 `json:"step_quantiles"`
	// Reversion is how much likelier a step towards the mean is, per unit of
	// the logarithm of the distance: P(up) = 1/2 + Reversion ln(mean/price).
	Reversion float64 `json:"reversion_per_log"`
}

var priceEntry = modelEntry{
	name: "price", what: "prices in slow, mean-reverting steps between the observed floor and ceiling",
	blank: func() Model { return new(priceWalk) },
	fit: func(h *trace, opt FitOptions) (Model, error) {
		if !h.hasPrices() {
			return nil, fmt.Errorf("no prices were recorded, expected a trace with them")
		}
		return fitWalk(h, opt), nil
	},
}

const (
	priceQuantiles = 20
	stepQuantiles  = 40
	trendDays      = 4
	maxTrend       = .45
)

func (w *priceWalk) rate([]GeneratorPool) float64 {
	largest := 0.0
	for _, x := range w.Walks {
		largest = max(largest, x.ChangesPerDay/24)
	}
	return largest
}

func (w *priceWalk) check(pools []GeneratorPool) error {
	if !within(w.Trend, 0, maxTrend) || !within(w.TrendDays, 1e-3, 1e6) {
		return fmt.Errorf("trend %v over %v days, expected 0 to %v, .001 to 10^6", w.Trend, w.TrendDays, maxTrend)
	}
	if err := each("walks", len(w.Walks), pools); err != nil {
		return err
	}
	for i, x := range w.Walks {
		if err := x.check(); err != nil {
			return fmt.Errorf("walks[%d] (%s): %w", i, pools[i].Name, err)
		}
	}
	return nil
}

func (w *poolWalk) check() error {
	if len(w.Quantiles) == 0 && len(w.Steps) == 0 {
		return nil
	}
	if err := ascending("price_quantiles_nanousd_per_h", w.Quantiles, traces.MaxPriceNano); err != nil {
		return err
	}
	if len(w.Steps) > 0 {
		if err := ascending("step_quantiles", w.Steps, 1e9); err != nil {
			return err
		}
	}
	moves := len(w.Steps) > 0 && w.ChangesPerDay > 0
	switch {
	case !within(w.ChangesPerDay, 0, 86400) || w.ChangesPerDay > 0 && !moves:
		return fmt.Errorf("changes_per_day %v with %d step_quantiles, expected 0 to 86400, and step sizes", w.ChangesPerDay,
			len(w.Steps))
	case !within(w.Reversion, 0, 1e6):
		return fmt.Errorf("reversion_per_log %v, expected 0 to 10^6", w.Reversion)
	case moves && !(w.Quantiles[0] > 0 && within(w.Mean, w.Quantiles[0], w.Quantiles[len(w.Quantiles)-1])):
		return fmt.Errorf("mean_nanousd_per_h %v, floor %v, expected a floor above 0 and a mean from the floor to the "+
			"ceiling", w.Mean, w.Quantiles[0])
	}
	return nil
}

func ascending(what string, values []float64, largest float64) error {
	if len(values) < 2 || len(values) > 10_001 {
		return fmt.Errorf("%s: %d, expected 2 to 10001", what, len(values))
	}
	low := 0.0
	for i, v := range values {
		if !within(v, low, largest) {
			return fmt.Errorf("%s[%d]: %v, expected %v to %v, ascending", what, i, v, low, largest)
		}
		low = v
	}
	return nil
}

func (w *priceWalk) make(m *making) {
	for i := range w.Walks {
		if len(w.Walks[i].Quantiles) > 0 {
			m.generated[i].prices = w.walk(&w.Walks[i], m, sim.NameEntity(m.pools[i].Name), sim.NameEntity(m.pools[i].Region))
		}
	}
}

// walk makes a pool's prices.
func (w *priceWalk) walk(x *poolWalk, m *making, id, region uint64) []series.Step {
	nano := math.Round(interpolate(x.Quantiles, m.dice.Uniform(purposeBegin, id, 1)))
	prices := []series.Step{{V: nano}}
	for t, k := int64(0), uint64(0); ; k++ {
		if t = later(m.dice, t, m.end, purposeWalk, id, k, x.ChangesPerDay/24); t >= m.end {
			return prices
		}
		trend := w.Trend
		if m.dice.Uniform(purposeRegion, region, uint64(float64(t)/(24*series.HourUs*w.TrendDays))) < .5 {
			trend = -trend
		}
		if v := x.move(m, nano, trend, id, k); v != nano {
			nano = v
			prices = append(prices, series.Step{T: t, V: v})
		}
	}
}

// move returns the price after the k-th step.
func (x *poolWalk) move(m *making, nano, trend float64, id, k uint64) float64 {
	low, high := x.Quantiles[0], x.Quantiles[len(x.Quantiles)-1]
	size := interpolate(x.Steps, m.dice.Uniform(purposeWalkSize, id, k))
	rises := .5 + trend + x.Reversion*math.Log(x.Mean/nano)
	up := m.dice.Uniform(purposeWalkSide, id, k) < math.Max(.02, math.Min(.98, rises))
	above, below := grained(nano*(1+size)), grained(nano*(1-size))
	switch {
	case up && above <= high || below < low && above <= high:
		return above
	case below >= low:
		return below
	case high-nano > nano-low:
		return high
	}
	return low
}

func fitWalk(h *trace, opt FitOptions) *priceWalk {
	w := &priceWalk{Walks: make([]poolWalk, len(h.prices)), TrendDays: trendDays}
	for i := range h.prices {
		if len(h.priced[i]) > 0 {
			w.Walks[i] = walkOf(h.prices[i], h.priced[i])
		}
	}
	w.fitTrend(h, opt)
	return w
}

// walkOf describes the prices of a pool.
func walkOf(prices []series.Step, spans []series.Piece) poolWalk {
	var values, hours []float64
	total, logs := 0.0, 0.0
	for _, p := range spans {
		values, hours = append(values, p.V), append(hours, p.Hours())
		total += p.Hours()
		logs += p.Hours() * math.Log(math.Max(1, p.V))
	}
	x := poolWalk{Quantiles: stats.Weighted(values, hours, priceQuantiles)}
	low, high := x.Quantiles[0], x.Quantiles[priceQuantiles]
	x.Mean = math.Max(low, math.Min(high, math.Exp(logs/total)))
	x.addSteps(prices, total)
	return x
}

// addSteps takes sizes and frequency of the steps, and by least squares how
// their direction depends on the distance from the mean.
func (x *poolWalk) addSteps(prices []series.Step, hours float64) {
	var sizes, ones []float64
	xy, xx := 0.0, 0.0
	for i := 1; i < len(prices); i++ {
		was, is := prices[i-1].V, prices[i].V
		if was <= 0 || is <= 0 {
			continue
		}
		sizes, ones = append(sizes, math.Abs(is-was)/was), append(ones, 1)
		distance, side := math.Log(x.Mean/was), .5
		if is < was {
			side = -.5
		}
		xy, xx = xy+distance*side, xx+distance*distance
	}
	if len(sizes) == 0 || hours == 0 || x.Quantiles[0] <= 0 {
		return
	}
	x.Steps = stats.Weighted(sizes, ones, stepQuantiles)
	x.ChangesPerDay = math.Min(86400, float64(len(sizes))/hours*24)
	if xx > 0 {
		x.Reversion = math.Max(0, math.Min(1e6, xy/xx))
	}
}

// fitTrend fits the trend to the mean correlation of prices within regions, by
// simulation.
func (w *priceWalk) fitTrend(h *trace, opt FitOptions) {
	want := describe.Correlate(h.set).PriceSame
	if want == nil {
		return
	}
	pools := generatorPools(h)
	dropMachines(pools)
	w.Trend = solve(*want, maxTrend, func(x float64) *float64 {
		w.Trend = x
		return meanPriceCorrelation(w, pools, opt.fitSeeds(), time.Duration(h.span())*time.Microsecond)
	})
}

func meanPriceCorrelation(model Model, pools []GeneratorPool, seeds int, span time.Duration) *float64 {
	var prices mean
	for seed := range uint64(seeds) {
		m := newMaking(pools, seed, span.Microseconds())
		model.make(m)
		prices.add(m.trace().correlated.PriceSame)
	}
	return prices.value()
}
