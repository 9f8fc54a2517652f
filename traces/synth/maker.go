package synth

import (
	"math"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// What the draws of a synthetic market are for.
const (
	purposeShock      = sim.PurposeUser + 100 + iota // when the next shock comes
	purposeFactor                                    // a factor of the copula
	purposeLevel                                     // a pool's own number at a shock
	purposeSingleStep                                // whether and which way a shock is a single step
	purposePool                                      // what a pool is like
	purposeMove                                      // when the price moves next
	purposeStep                                      // by how much
	purposeSide                                      // which way
	purposeTrend                                     // a region's trend
)

// priceGrain is the unit of synthetic prices, nano-USD: AWS prints six decimals.
const priceGrain = 1000

// maker makes one synthetic market.
type maker struct {
	Synthetic
	dice   sim.Rand
	end    int64 // us
	global []shock
	names  []string // of regions met so far
	shocks [][]shock
}

// shock is a new value of a factor.
type shock struct {
	t int64
	z float64
}

// factor returns the values of a factor: one at time 0 and one at each shock.
func (m *maker) factor(entity uint64, perHour float64) []shock {
	list := make([]shock, 0, 4+int(1.5*perHour*float64(m.end)/series.HourUs))
	list = append(list, shock{0, m.dice.Normal(purposeFactor, entity, 0)})
	for t, k := int64(0), uint64(0); ; k++ {
		if t = m.later(t, purposeShock, entity, k, perHour); t >= m.end {
			return list
		}
		list = append(list, shock{t, m.dice.Normal(purposeFactor, entity, k+1)})
	}
}

// later returns the first instant after t of a Poisson process; the end if none comes before it.
func (m *maker) later(t int64, p sim.Purpose, entity, k uint64, perHour float64) int64 {
	wait := math.Ceil(m.dice.Exponential(p, entity, k) / perHour * series.HourUs)
	if !(wait < float64(m.end-t)) {
		return m.end
	}
	return t + max(1, int64(wait))
}

func (m *maker) region(name string) []shock {
	for i, n := range m.names {
		if n == name {
			return m.shocks[i]
		}
	}
	m.names = append(m.names, name)
	m.shocks = append(m.shocks, m.factor(sim.NameEntity(name), m.RegionShocks))
	return m.shocks[len(m.shocks)-1]
}

// eventList is what happens to one pool: the factors as they stand, and the pool's
// own next shock.
type eventList struct {
	global, region []shock // the first is in force
	own            int64
}

// next returns the instant of the next shock, whose factors it puts in force,
// and whether the shock is the pool's alone.
func (a *eventList) next() (t int64, alone bool) {
	t = a.own
	alone = true
	for _, f := range [...]*[]shock{&a.global, &a.region} {
		if len(*f) > 1 && (*f)[1].t <= t {
			t = (*f)[1].t
			alone = false
		}
	}
	for _, f := range [...]*[]shock{&a.global, &a.region} {
		for len(*f) > 1 && (*f)[1].t <= t {
			*f = (*f)[1:]
		}
	}
	return t, alone
}

// levels returns a pool's levels.
func (m *maker) levels(entity uint64, region []shock, limit int) []series.Step {
	rate := m.GlobalShocks + m.RegionShocks + m.PoolShocks
	steps := make([]series.Step, 0, 8+int(1.2*rate*float64(m.end)/series.HourUs))
	m.course(entity, region, m.lean(entity), limit, func(t int64, n int, _ *eventList) {
		if v := float64(n); len(steps) == 0 || v != steps[len(steps)-1].V {
			steps = append(steps, series.Step{T: t, V: v})
		}
	})
	return steps
}

// lean is how well stocked a pool is, in the copula's units.
func (m *maker) lean(entity uint64) float64 {
	return m.Dispersion * m.dice.Normal(purposePool, entity, 0)
}

// course calls see with a pool's level at 0 and at each shock.
func (m *maker) course(entity uint64, region []shock, lean float64, limit int, see func(t int64, n int, a *eventList)) {
	a := eventList{global: m.global, region: region, own: m.later(0, purposeShock, entity, 0, m.PoolShocks)}
	n := m.draw(&a, lean, entity, 0, limit)
	see(0, n, &a)
	for k := uint64(1); ; k++ {
		t, alone := a.next()
		if t >= m.end {
			return
		}
		if t == a.own {
			a.own = m.later(t, purposeShock, entity, k, m.PoolShocks)
		}
		if u := m.dice.Uniform(purposeSingleStep, entity, k); alone && limit > 1 && u < m.SingleStep {
			n = singleStep(n, limit, u < m.SingleStep/2)
		} else {
			n = m.draw(&a, lean, entity, k, limit)
		}
		see(t, n, &a)
	}
}

// draw draws a level through the copula. The dispersion between pools widens the normal
// number, which is narrowed again, so that the average pool has the masses
// Empty and Full.
func (m *maker) draw(a *eventList, lean float64, entity, k uint64, limit int) int {
	z := math.Sqrt(m.GlobalShare)*a.global[0].z + math.Sqrt(m.RegionShare)*a.region[0].z +
		math.Sqrt(1-m.GlobalShare-m.RegionShare)*m.dice.Normal(purposeLevel, entity, k)
	return m.level((z+lean)/math.Sqrt(1+m.Dispersion*m.Dispersion), limit)
}

// level turns a normal number into a level.
func (m *maker) level(z float64, limit int) int {
	u := .5 * math.Erfc(-z/math.Sqrt2)
	between := 1 - m.Empty - m.Full
	switch {
	case u < m.Empty:
		return 0
	case u >= 1-m.Full:
		return limit
	case limit == 1: // nothing lies between: half of it is up
		return int(math.Round((u - m.Empty) / between))
	}
	return min(limit-1, 1+int((u-m.Empty)/between*float64(limit-1)))
}

// singleStep moves a level by one, away from the bounds.
func singleStep(n, limit int, down bool) int {
	if n == limit || down && n > 0 {
		return n - 1
	}
	return n + 1
}

// prices returns a pool's prices, USD per hour.
func (m *maker) prices(entity, region uint64, onDemand int64) []series.Step {
	low := math.Ceil(m.Floor*float64(onDemand)/priceGrain) * priceGrain
	high := math.Max(low, math.Floor(m.Ceiling*float64(onDemand)/priceGrain)*priceGrain)
	u := m.dice.Uniform(purposePool, entity, 1)
	mean := low + (high-low)*u*u // most pools lie near the floor, as in the published sets
	perDay := m.ChangesMin + (m.ChangesMax-m.ChangesMin)*m.dice.Uniform(purposePool, entity, 2)
	nano := math.Round(mean/priceGrain) * priceGrain
	steps := make([]series.Step, 1, 4+int(1.5*perDay*float64(m.end)/series.HourUs/24))
	steps[0] = series.Step{T: 0, V: nano / traces.NanoPerUSD}
	for t, k := int64(0), uint64(0); ; k++ {
		if t = m.later(t, purposeMove, entity, k, perDay/24); t >= m.end {
			return steps
		}
		if v := m.move(nano, mean, low, high, t, entity, region, k); v != nano {
			nano = v
			steps = append(steps, series.Step{T: t, V: nano / traces.NanoPerUSD})
		}
	}
}

// move returns the price after the k-th step. At a bound it steps away.
func (m *maker) move(nano, mean, low, high float64, t int64, entity, region, k uint64) float64 {
	size := math.Min(m.StepMax, m.StepMedian*math.Exp(m.StepSpread*m.dice.Normal(purposeStep, entity, k)))
	days := float64(t) / (24 * series.HourUs)
	trend := m.Trend
	if m.dice.Uniform(purposeTrend, region, uint64(days/m.TrendDays)) < .5 {
		trend = -trend
	}
	rises := .5 + trend + m.Reversion*math.Log(mean/nano)
	up := m.dice.Uniform(purposeSide, entity, k) < math.Max(.05, math.Min(.95, rises))
	if nano == low {
		up = true
	} else if nano == high {
		up = false
	}
	if !up {
		size = -size
	}
	v := math.Round(nano*(1+size)/priceGrain) * priceGrain
	return math.Max(low, math.Min(high, v))
}
