package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Ratio is a quantity of a policy by that of the baseline, both over all pairs.
type Ratio struct {
	Ratio float64  `json:"ratio"`
	CI    Interval `json:"ci"` // bootstrap over starts (over seeds if there is one start)
}

// trained is what pairs of runs cost and trained; sums add up.
type trained struct{ usd, samples, baseUSD, baseSamples float64 }

func (t *trained) add(x trained) {
	t.usd += x.usd
	t.samples += x.samples
	t.baseUSD += x.baseUSD
	t.baseSamples += x.baseSamples
}

// perSample returns the cost of a sample by that of the baseline.
func (t *trained) perSample() float64 { return t.usd / t.samples / (t.baseUSD / t.baseSamples) }

// speed returns the samples by those of the baseline.
func (t *trained) speed() float64 { return t.samples / t.baseSamples }

// ratios compares what was trained, and what a sample cost; runs of one start are
// resampled together, for they share a part of the history. Without two starts or
// seeds, or where nothing was trained, there is none.
func (c *Comparison) ratios(s, baseline *sample, seeds int) {
	size := seeds
	if len(s.cost) == seeds {
		size = 1 // one start: seeds are all the luck there is
	}
	size *= (len(s.cost)/size + mostBlocks - 1) / mostBlocks
	var blocks []trained
	var all trained
	for from := 0; from < len(s.cost); from += size {
		var sum trained
		for i := from; i < min(from+size, len(s.cost)); i++ {
			if !math.IsNaN(s.cost[i] + baseline.cost[i]) {
				sum.add(trained{s.cost[i], s.samples[i], baseline.cost[i], baseline.samples[i]})
			}
		}
		if sum != (trained{}) {
			blocks = append(blocks, sum)
			all.add(sum)
		}
	}
	if len(blocks) < 2 || all.samples == 0 || all.baseSamples == 0 {
		return
	}
	c.PerSample = &Ratio{all.perSample(), bootstrapOf(blocks, (*trained).perSample)}
	c.Samples = &Ratio{all.speed(), bootstrapOf(blocks, (*trained).speed)}
}

// bootstrapOf returns the percentile interval of a ratio of sums, with always the
// same luck. Draws without a ratio, in which nothing was trained, are left out.
func bootstrapOf(blocks []trained, ratio func(*trained) float64) Interval {
	luck := rand.New(rand.NewPCG(1, uint64(len(blocks))))
	var drawn []float64
	for range resamples {
		var sum trained
		for range blocks {
			sum.add(blocks[luck.IntN(len(blocks))])
		}
		if x := ratio(&sum); !math.IsNaN(x) && !math.IsInf(x, 0) {
			drawn = append(drawn, x)
		}
	}
	slices.Sort(drawn)
	return Interval{quantile(drawn, 0.025), quantile(drawn, 0.975)}
}
