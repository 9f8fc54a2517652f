package advise

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/marigram/marigram/internal/stats"
)

// ranks are where an outcome lies among continuations: the ranks that it takes, from 0 to 1, over which it is spread
// evenly. Beyond all of them it lies outside of 0 to 1, by its distance over what is typically yet to come: the median
// times the share that is not done.
type ranks struct {
	Low  float64 `json:"low" min:"-1e12" max:"1e12"`
	High float64 `json:"high" min:"-1e12" max:"1e12"`
}

// within returns how much of an outcome lies in the middle of its continuations, of a level such as 0.9; a level above 1
// goes beyond all of them. It is 0 or 1, and a part of 1 where it ends alike with continuations that lie on the edge.
// That is the probability with which the randomised probability integral transform of it, in which ties are spread
// evenly over what they take, lies there (Czado, Gneiting and Held, Biometrics 65(4), 2009). If it is drawn as the
// continuations are, its expectation is the level, however many end alike.
func (r ranks) within(level float64) float64 {
	return max(min(r.High, (1+level)/2)-max(r.Low, (1-level)/2), 0) / (r.High - r.Low)
}

// least is the level from which on all of an outcome is within.
func (r ranks) least() float64 { return max(1-2*r.Low, 2*r.High-1) }

// forecast is what continuations say of one number: a cost, or a finish.
type forecast struct {
	sorted []float64
	scale  float64 // what is typically yet to come
	least  float64 // what it is at least, by now
	most   float64 // a finish that does not come by here is none; +Inf: there is no such end
}

// newForecast makes the forecast of numbers, of which a share is done and some is spent or over.
func newForecast(numbers []float64, done, soFar, most float64) *forecast {
	f := &forecast{most: most}
	for _, x := range numbers {
		f.sorted = append(f.sorted, min(x, most))
	}
	slices.Sort(f.sorted)
	const smallest = 1e-9 // of a scale: a job that is free
	f.scale = max(stats.OuterRank(f.sorted, 0.5)*(1-done), smallest)
	f.least = min(soFar, f.sorted[0])
	return f
}

// tied returns the ranks of an outcome, within 0 to 1.
func (f *forecast) tied(x float64) ranks {
	x = min(x, f.most)
	below, _ := slices.BinarySearch(f.sorted, x*(1-rounding))
	upto := sort.Search(len(f.sorted), func(i int) bool { return f.sorted[i] > x*(1+rounding) })
	n := float64(len(f.sorted) + 1)
	return ranks{float64(below) / n, float64(upto+1) / n}
}

// rank returns the ranks of an outcome.
func (f *forecast) rank(x float64) ranks {
	x = min(x, f.most)
	at := f.tied(x)
	beyond := 0.0
	if first := f.sorted[0]; x < first*(1-rounding) {
		beyond = (x - first) / f.scale
	}
	if last := f.sorted[len(f.sorted)-1]; x > last*(1+rounding) {
		beyond = (x - last) / f.scale
	}
	return ranks{at.Low + beyond, at.High + beyond}
}

// at is the inverse of rank: what has a rank.
func (f *forecast) at(rank float64) float64 {
	x := stats.OuterRank(f.sorted, max(min(rank, 1), 0)) + (rank-max(min(rank, 1), 0))*f.scale
	return max(min(x, f.most), f.least)
}

// width is that of the interval of a level.
func (f *forecast) width(level float64) float64 { return f.at((1+level)/2) - f.at((1-level)/2) }

// quantiles returns the median and the ends of two intervals, of levels for 90 and for 50 %; nil for a finish that does
// not come.
func (f *forecast) quantiles(ninety, fifty float64) Quantiles {
	at := func(rank float64) *float64 {
		if x := f.at(rank); x < f.most {
			return &x
		}
		return nil
	}
	return Quantiles{at((1 - ninety) / 2), at((1 - fifty) / 2), at(0.5), at((1 + fifty) / 2), at((1 + ninety) / 2)}
}

// Adaptive conformal inference: how fast the share that may miss follows what did (gamma of Gibbs and Candes), the
// outcomes before which intervals stay as they are, and those, the last, that intervals are made to hold.
const (
	adaption    = 0.1
	fewOutcomes = 20
	lastOnes    = 30
)

// targets are the shares that may miss: of the cost the intervals of 90 and of 50 %, then of the finish.
var targets = [4]float64{0.1, 0.5, 0.1, 0.5}

// adaptive adapts one interval to what became of predictions (Gibbs and Candes, Adaptive Conformal Inference Under
// Distribution Shift, NeurIPS 2021, equation 2). The score of an outcome is the level from which on it is within: where
// it ends alike with continuations, it is spread over levels as it is over ranks.
type adaptive struct {
	target float64 // share that may miss
	alpha  float64 // share of the last outcomes that may miss, for target of those to come to do
}

// level returns the level that holds 1 - alpha of these outcomes and of the one to come; all of these at most.
func (a *adaptive) level(last []ranks) float64 {
	low := 0.0
	high := 0.0
	for _, r := range last {
		high = max(high, r.least())
	}
	wanted := (1 - a.alpha) * float64(len(last)+1)
	for range 60 { // halves: what is left is below the rounding of a level
		middle := (low + high) / 2
		held := 0.0
		for _, r := range last {
			held += r.within(middle)
		}
		if held < wanted {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// issued is what was known when a prediction was made, of the four intervals of targets.
type issued struct {
	known  int        // outcomes
	levels [4]float64 // that the intervals have
	missed [4]float64 // share of the last outcomes that the intervals as they are miss, ties by their ranks
}

// adapts reports whether enough was known.
func (i *issued) adapts() bool { return i.known >= fewOutcomes }

// issue returns what was known at each prediction: the outcomes of the runs that were over by then.
func issue(rows []Score) []issued {
	type event struct {
		atS float64
		row int // of the prediction; of the outcome it is less than 0, -1 - row
	}
	events := make([]event, 0, 2*len(rows))
	for i := range rows {
		events = append(events, event{rows[i].KnownS, -1 - i}, event{rows[i].NowS, i})
	}
	slices.SortFunc(events, func(x, y event) int { return cmp.Or(cmp.Compare(x.atS, y.atS), cmp.Compare(x.row, y.row)) })
	var adapted [4]adaptive
	for k, target := range targets {
		adapted[k] = adaptive{target, target}
	}
	var outcomes [2][]ranks // of cost and finish
	out := make([]issued, len(rows))
	for _, e := range events {
		if e.row < 0 {
			row := -1 - e.row
			ranked := [2]ranks{rows[row].Cost, rows[row].Finish}
			for k := range adapted {
				if was := &out[row]; was.adapts() {
					missed := 1 - ranked[k/2].within(was.levels[k])
					adapted[k].alpha += adaption * (adapted[k].target - missed)
				}
			}
			outcomes[0] = append(outcomes[0], ranked[0])
			outcomes[1] = append(outcomes[1], ranked[1])
			continue
		}
		now := &out[e.row]
		now.known = len(outcomes[0])
		for k := range adapted {
			last := outcomes[k/2][max(now.known-lastOnes, 0):]
			now.levels[k] = 1 - targets[k]
			for _, r := range last {
				now.missed[k] += (1 - r.within(1-targets[k])) / float64(len(last))
			}
			if now.adapts() {
				now.levels[k] = adapted[k].level(last)
			}
		}
		for k := 0; k < len(adapted); k += 2 { // each has a history of its own, and one contains the other
			now.levels[k] = max(now.levels[k], now.levels[k+1])
		}
	}
	return out
}

// issueAt returns what is known at an instant, in seconds from the beginning of the market.
func (s *Scores) issueAt(nowS float64) *issued {
	all := issue(append(slices.Clip(s.Rows), Score{NowS: nowS, KnownS: math.Inf(1), Cost: ranks{0, 1}, Finish: ranks{0, 1}}))
	return &all[len(s.Rows)]
}

// Calibration says how intervals were widened for what became of earlier predictions.
type Calibration struct {
	Outcomes int      `json:"outcomes" jsonschema:"predictions whose outcome is known by now"`
	Last     int      `json:"last" jsonschema:"of these the last, which widen the intervals"`
	Cost90   Adjusted `json:"cost_90" jsonschema:"the interval of 90 % of the cost: usd.p05 to p95"`
	Cost50   Adjusted `json:"cost_50" jsonschema:"the interval of 50 % of the cost"`
	Finish90 Adjusted `json:"finish_90" jsonschema:"the interval of 90 % of the finish"`
	Finish50 Adjusted `json:"finish_50" jsonschema:"the interval of 50 % of the finish"`
}

// Adjusted is how one interval was adapted.
type Adjusted struct {
	Missed float64  `json:"missed" jsonschema:"share of the last outcomes that were outside of their interval as it was; those that end alike with its end in part"`
	Level  float64  `json:"level" jsonschema:"share of the continuations, in the middle, that the interval spans now; above 1 it goes beyond all of them"`
	Times  *float64 `json:"times" jsonschema:"its width, in widths of the interval as it was; null: that had none"`
}

// levels are those of the four intervals.
func (c *Calibration) levels() [4]float64 {
	return [4]float64{c.Cost90.Level, c.Cost50.Level, c.Finish90.Level, c.Finish50.Level}
}

// calibrate widens the intervals of forecasts.
func calibrate(cost, finish *forecast, known *issued) (usd, finishS Quantiles, c *Calibration) {
	c = &Calibration{Outcomes: known.known, Last: min(known.known, lastOnes)}
	for k, to := range [...]*Adjusted{&c.Cost90, &c.Cost50, &c.Finish90, &c.Finish50} {
		of := [...]*forecast{cost, finish}[k/2]
		to.Missed = known.missed[k]
		to.Level = known.levels[k]
		if width := of.width(1 - targets[k]); width > 0 {
			to.Times = new(of.width(to.Level) / width)
		}
	}
	return cost.quantiles(c.Cost90.Level, c.Cost50.Level), finish.quantiles(c.Finish90.Level, c.Finish50.Level), c
}
