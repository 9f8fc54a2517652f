package synth

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces/replay"
)

// A course is the market that Trace makes: the same levels at the same instants.
func TestCourseIsTheTrace(t *testing.T) {
	pools := SyntheticPools(2, 2, SyntheticPool{InstanceType: "a", OnDemandNano: 1e9, Cap: 7})
	for seed := range uint64(5) {
		s := DefaultSynthetic()
		c, err := s.Course(seed, 0, pools, 24*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		var made []replay.Series = s.make(seed, pools, syntheticPools(pools), (24 * time.Hour).Microseconds())
		for p := range pools {
			n := -1
			for _, x := range made[p].Counts {
				for n+1 < c.Len() && c.states[n+1].t <= x.T {
					n++
				}
				if at, levels := c.At(n); int64(at) != x.T || levels[p] != int(x.V) {
					t.Errorf("seed %d, pool %d: level %v at %d us, the course has %d at %d", seed, p, x.V, x.T, levels[p], at)
				}
			}
		}
	}
}

// What the law says is what happens: over many courses, the changes to each regime less the integral of their rates
// have a mean of 0, also where they are weighed by what was known before.
func TestCourseRates(t *testing.T) {
	check := near.Count(t)
	onOff := DefaultSynthetic()
	onOff.GlobalShocks, onOff.RegionShocks, onOff.GlobalShare, onOff.RegionShare, onOff.SingleStep, onOff.Dispersion = 0, 0, 0, 0, 0, 0
	onOff.Empty, onOff.Full, onOff.PoolShocks = 0.25, 0.75, 2
	shocked := DefaultSynthetic()
	shocked.GlobalShocks, shocked.RegionShocks, shocked.SingleStep = 0.5, 0.5, 0.4
	for name, s := range map[string]Synthetic{"default": DefaultSynthetic(), "on and off": onOff, "shocked": shocked} {
		for _, pools := range [][]SyntheticPool{
			SyntheticPools(2, 1, SyntheticPool{InstanceType: "a", OnDemandNano: 1e9, Cap: 3}),
			SyntheticPools(1, 2, SyntheticPool{InstanceType: "a", OnDemandNano: 1e9, Cap: 1}),
		} {
			regime := func(levels []int) int { return min(levels[0], 2) + 3*min(levels[1], 2) }
			const n, regimes = 1000, 9
			var sum, squares [2][regimes]float64
			rates := make([]float64, regimes)
			for seed := range uint64(n) {
				c, err := s.Course(seed, 0, pools, 3*time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				var out [2][regimes]float64
				for i := range c.Len() {
					at, levels := c.At(i)
					until := 3.0
					if i+1 < c.Len() {
						until = float64(c.states[i+1].t) / 3.6e9
					}
					c.Rates(i, 4, regime, rates)
					known := [2]float64{1, float64(i%2) + float64(levels[0])}
					for r := range regimes {
						x := -rates[r] * (until - float64(at)/3.6e9)
						if i+1 < c.Len() && regime(c.states[i+1].levels) == r {
							x++
						}
						out[0][r] += x * known[0]
						out[1][r] += x * known[1]
					}
				}
				for k := range out {
					for r, x := range out[k] {
						sum[k][r] += x
						squares[k][r] += x * x
					}
				}
			}
			for k := range sum {
				for r := range regimes {
					if off := math.Sqrt(squares[k][r] + 1e-9); check.Off(sum[k][r], 0, 4.5*off) {
						t.Errorf("%s: changes to regime %d are %.1f standard errors from their rates", name, r, sum[k][r]/off)
					}
				}
			}
		}
	}
}
