package synth

import (
	"errors"
	"fmt"
	"time"

	"github.com/marigram/marigram/traces"
)

// Synthetic makes spot markets with the statistics of the published traces. Its
// exported fields are its settings; DefaultSynthetic gives the calibrated ones.
// Nothing it makes was observed: cloud and semantics say "synthetic".
//
// Capacity. Each pool has a level, piecewise constant. Shocks come by Poisson
// processes, one for the world, one for each region and one for each pool. At a
// shock the level of every pool concerned is drawn anew through a Gaussian
// copula: a normal number made of the world's factor, the region's factor and
// the pool's own number (the shares add up to the correlation of two pools) is
// turned into a level with masses at nothing and at the cap, uniform between.
// A shock of the world or of a region draws that factor anew. So losses come in
// bulk, and zones of a region go up and down together. Some shocks of a pool
// only move it by a single step: one machine more or less.
//
// Price. The logarithm of the price moves by lognormal steps at the instants of
// a Poisson process, back towards a mean of the pool's own, and with a trend
// that the pools of a region share, between a floor and a ceiling. It knows
// nothing of capacity: since the end of bidding they are uncorrelated.
//
// Sources of the published figures, computed from the data: for capacity the
// GCP H100 probes of up to 16 machines, and the AWS V100 zones of 1, 4 and 16
// machines, of andylizf/skynomad-artifact at 62b9aaa1; for price its V100
// prices, and those of stanford-futuredata/training_on_a_dime at 85f65957.
type Synthetic struct {
	// GlobalShocks, RegionShocks and PoolShocks are how often levels are drawn
	// anew, per hour. Published: .19 to .82 drop events per zone-hour; about a
	// third of all draws are falls.
	GlobalShocks float64 `json:"global_shocks_per_hour"`
	RegionShocks float64 `json:"region_shocks_per_hour"`
	PoolShocks   float64 `json:"pool_shocks_per_hour"`
	// GlobalShare and RegionShare are the parts of the copula's variance that
	// all pools and the pools of a region have in common. Published
	// correlations: .0 to .2 across regions, .2 to .8 within.
	GlobalShare float64 `json:"global_share"`
	RegionShare float64 `json:"region_share"`
	// Empty and Full are the shares of time with nothing and with the cap.
	// Published: .233 and .436 (H100, 16 machines), .37 and .46 (V100, 16).
	Empty float64 `json:"empty"`
	Full  float64 `json:"full"`
	// SingleStep is the share of a pool's own shocks that move its level by one.
	// Published: 12 % (V100) to 24 % (H100) of drop events take one machine.
	SingleStep float64 `json:"single_step_share"`
	// Dispersion is the spread between pools: the standard deviation, in the
	// copula's units, of how well stocked each is. Published zone means lie
	// between .11 and .998.
	Dispersion float64 `json:"dispersion"`

	// Floor and Ceiling bound the price, as shares of the on-demand price.
	// Published: .300 to .603 (V100, 2023).
	Floor   float64 `json:"price_floor"`
	Ceiling float64 `json:"price_ceiling"`
	// ChangesMin and ChangesMax bound how often a pool's price moves, per day;
	// each pool has a rate of its own between them. Published: .88 to 4.2.
	ChangesMin float64 `json:"price_changes_per_day_min"`
	ChangesMax float64 `json:"price_changes_per_day_max"`
	// StepMedian, StepSpread and StepMax are the median of a step relative to
	// the price, the standard deviation of its logarithm, and the largest.
	// Published: median .22 %, 95th percentile 1.3 %, largest 3.8 %.
	StepMedian float64 `json:"price_step_median"`
	StepSpread float64 `json:"price_step_spread"`
	StepMax    float64 `json:"price_step_max"`
	// Reversion is how much likelier a step is towards the mean, per unit of
	// the logarithm of the price's distance from it.
	Reversion float64 `json:"price_reversion"`
	// Trend is how much likelier a step is in the direction of the region's
	// trend, which is drawn anew every TrendDays. Published correlation of
	// prices of p3.2xlarge: .83 within a region, .14 across.
	Trend     float64 `json:"price_trend"`
	TrendDays float64 `json:"price_trend_days"`
}

// DefaultSynthetic returns the calibrated settings; TestSyntheticStatistics
// holds them to the published ranges.
func DefaultSynthetic() Synthetic {
	return Synthetic{
		GlobalShocks: .04, RegionShocks: .35, PoolShocks: .80,
		GlobalShare: .12, RegionShare: .42,
		Empty: .31, Full: .43, SingleStep: .10, Dispersion: .30,
		Floor: .30, Ceiling: .60, ChangesMin: .9, ChangesMax: 4.2,
		StepMedian: .0022, StepSpread: 1.08, StepMax: .038,
		Reversion: 2, Trend: .35, TrendDays: 4,
	}
}

// SyntheticPool is a pool to make.
type SyntheticPool struct {
	Region, Zone string
	InstanceType string
	GPU          string
	GPUs         int   // in one machine
	OnDemandNano int64 // on-demand price, nano-USD per hour, above 0
	Cap          int   // most machines, at least 1
}

// SyntheticPools returns like pools in zones of regions: synthetic-1a,
// synthetic-1b, ..., synthetic-2a, ...; at most 26 zones a region.
func SyntheticPools(regions, zones int, like SyntheticPool) []SyntheticPool {
	var pools []SyntheticPool
	for r := range regions {
		for z := range min(zones, 26) {
			p := like
			p.Region = fmt.Sprintf("synthetic-%d", r+1)
			p.Zone = p.Region + string(rune('a'+z))
			pools = append(pools, p)
		}
	}
	return pools
}

// MeanPrice returns the mean of the pools' prices as a share of the on-demand price: most are near the floor.
func (s Synthetic) MeanPrice() float64 { return s.Floor + float64((s.Ceiling-s.Floor)/3) }

// Check returns what is wrong with the settings.
func (s Synthetic) Check() error {
	in := func(x, low, high float64) bool { return x >= low && x <= high }
	switch {
	case !in(s.GlobalShocks, 0, 3600) || !in(s.RegionShocks, 0, 3600) || !in(s.PoolShocks, 0, 3600):
		return fmt.Errorf("shocks per hour (%v, %v, %v), expected 0 to 3600",
			s.GlobalShocks, s.RegionShocks, s.PoolShocks)
	case !in(s.GlobalShare, 0, 1) || !in(s.RegionShare, 0, 1-s.GlobalShare):
		return fmt.Errorf("shares %v and %v of the copula, expected at least 0, together at most 1",
			s.GlobalShare, s.RegionShare)
	case !in(s.Empty, 0, 1) || !in(s.Full, 0, 1-s.Empty):
		return fmt.Errorf("shares of time empty %v and full %v, expected at least 0, together at most 1",
			s.Empty, s.Full)
	case !in(s.SingleStep, 0, 1) || !in(s.Dispersion, 0, 10):
		return fmt.Errorf("single_step_share %v and dispersion %v, expected 0 to 1 and 0 to 10",
			s.SingleStep, s.Dispersion)
	case !in(s.Floor, 1e-3, 10) || !in(s.Ceiling, s.Floor, 10):
		return fmt.Errorf("price floor %v and ceiling %v, expected .001 to 10, the floor not above the ceiling",
			s.Floor, s.Ceiling)
	case !in(s.ChangesMin, 0, 86400) || !in(s.ChangesMax, s.ChangesMin, 86400):
		return fmt.Errorf("price changes per day %v to %v, expected 0 to 86400, ascending",
			s.ChangesMin, s.ChangesMax)
	case !in(s.StepMedian, 0, 1) || !in(s.StepSpread, 0, 10) || !in(s.StepMax, 0, 1):
		return fmt.Errorf("price step %v, spread %v, largest %v, expected 0 to 1, 0 to 10, 0 to 1",
			s.StepMedian, s.StepSpread, s.StepMax)
	case !in(s.Reversion, 0, 1000) || !in(s.Trend, 0, 1) || !in(s.TrendDays, 1e-3, 1e6):
		return fmt.Errorf("price reversion %v, trend %v over %v days, expected 0 to 1000, 0 to 1, .001 to 10^6",
			s.Reversion, s.Trend, s.TrendDays)
	}
	return nil
}

// maxSynthetic bounds the events made for one pool.
const maxSynthetic = 10_000_000

func (s Synthetic) check(pools []SyntheticPool, span time.Duration) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("synthetic market: %w", err)
	}
	rate := s.GlobalShocks + s.RegionShocks + s.PoolShocks + s.ChangesMax/24
	if span < time.Microsecond || rate*span.Hours() > maxSynthetic {
		return fmt.Errorf("synthetic market: span %v, expected above 0 and at most %d events a pool",
			span, maxSynthetic)
	}
	names := make(map[string]bool, len(pools))
	for i, p := range pools {
		name := traces.PoolName(p.Zone, p.InstanceType, "")
		if name == "" || p.Region == "" || names[name] {
			return fmt.Errorf("synthetic pool %d: region %q, zone %q, type %q, expected all three, and no pool twice",
				i, p.Region, p.Zone, p.InstanceType)
		}
		names[name] = true
		priced := p.OnDemandNano >= 1e6 && p.OnDemandNano <= traces.MaxPriceNano
		if p.Cap < 1 || p.Cap > traces.MaxMachines || p.GPUs < 0 || !priced {
			return fmt.Errorf("synthetic pool %s: cap %d, GPUs %d, on-demand price %d nano-USD/h, expected "+
				"a cap from 1 to %d and a price from .001 to 10000 USD/h",
				name, p.Cap, p.GPUs, p.OnDemandNano, traces.MaxMachines)
		}
	}
	if len(pools) == 0 {
		return errors.New("synthetic market: no pools")
	}
	return nil
}
