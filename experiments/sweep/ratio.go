package sweep

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
)

// Ratio is a quantity of a policy by that of the baseline, both over all pairs.
type Ratio struct {
	Ratio float64            `json:"ratio"`
	CI    intervals.Interval `json:"ci"` // bootstrap over units
}

const (
	resamples = 2000
	// maxBlocks bounds what is drawn: more units are cut into that many blocks of
	// neighbours. The sum of a thousand sums is normal for all purposes.
	maxBlocks = 1000
)

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

// bootstrap returns the percentile interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13)
// of a ratio of sums over units, with always the same random numbers. Of units that overlap in the trace it draws as
// many as are independent. Draws without a ratio, in which nothing was trained, are left out.
func bootstrap(units []trained, independent int, ratio func(*trained) float64) intervals.Interval {
	blocks := blocks(units)
	draws := rand.New(rand.NewPCG(1, uint64(len(blocks))))
	drawnBlocks := max(len(blocks)*independent/len(units), 1)
	var drawn []float64
	for range resamples {
		var sum trained
		for range drawnBlocks {
			sum.add(blocks[draws.IntN(len(blocks))])
		}
		if x := ratio(&sum); stats.Finite(x) {
			drawn = append(drawn, x)
		}
	}
	slices.Sort(drawn)
	return intervals.Interval{
		Low:   stats.NearestRank(drawn, 0.025),
		High:  stats.NearestRank(drawn, 0.975),
		Units: independent,
	}
}

// blocks cuts units into at most maxBlocks blocks of neighbours and sums these up.
func blocks(units []trained) []trained {
	size := (len(units) + maxBlocks - 1) / maxBlocks
	sums := make([]trained, 0, maxBlocks)
	for block := range slices.Chunk(units, size) {
		var sum trained
		for _, u := range block {
			sum.add(u)
		}
		sums = append(sums, sum)
	}
	return sums
}

// sample is the runs of one policy in a group, by start and seed.
type sample struct {
	policy         string
	oracle, many   bool
	capacity       string    // how it was replayed
	value, samples []float64 // value: by the metric; NaN: failed, or not there
	missed         []bool
	bound          results.Ceiling
	longest        float64 // run, s
	failed         int
	unfinished, n  int
	warnings       []string // those that all its runs have
	warned         string   // those of its last run
}

func (s *sample) add(r *results.SweepRow, at int, metric *results.Metric) {
	s.n++
	s.longest = max(s.longest, r.LastedS())
	s.warn(r.Warnings)
	s.bound.Add(&r.Summary)
	s.oracle = r.Oracle
	s.many = r.ManyJobs()
	s.capacity = r.Capacity()
	s.value[at] = metric.Of(&r.Summary)
	s.missed[at] = !r.Met
	s.samples[at] = 0
	if !s.many {
		s.samples[at] = r.Samples
	}
	if !r.Finished {
		s.unfinished++
	}
}

// warn keeps the warnings that one more run has as well.
func (s *sample) warn(text string) {
	if s.n > 1 && text == s.warned {
		return
	}
	s.warned = text
	list := slices.DeleteFunc(strings.Split(text, "; "), func(w string) bool { return w == "" })
	if s.n == 1 {
		s.warnings = list
		return
	}
	s.warnings = slices.DeleteFunc(s.warnings, func(w string) bool { return !slices.Contains(list, w) })
}
