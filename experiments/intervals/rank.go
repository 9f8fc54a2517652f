package intervals

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/marigram/marigram/internal/units"
)

// RankingRow is how a policy does for one objective: what policies are ranked by.
type RankingRow struct {
	Policy string
	Oracle bool    // knows the future: no answer to anybody
	Runs   int     // that did not fail
	Met    float64 // share of them that met the objective
	Cut    bool    // the horizon cut some: their value is not whole
	Value  float64 // mean of what runs are compared by; less is better
	Unit   string  // of Value

	// Hits are the runs that met the objective and Values what they are compared by: what NotDecided tests. nil: not
	// kept.
	Hits, Values *Tally
}

// Meets says whether a share of runs that met an objective is what was asked for:
// all of them, where asked is nil.
func Meets(met float64, asked *float64) bool {
	if asked == nil {
		return met >= 1
	}
	return met >= *asked
}

// Rank returns the places of policies in their order for one objective, the best
// first: those that meet it, the least value first; then those that miss it, the most
// often in time first, and of these the least value; then those that know the future, in
// the same order; then those without runs. Ties stay as they are.
func Rank(all []RankingRow, asked *float64) []int {
	class := func(s *RankingRow) int {
		switch {
		case s.Runs == 0:
			return 4
		case s.Oracle && !Meets(s.Met, asked):
			return 3
		case s.Oracle:
			return 2
		case !Meets(s.Met, asked):
			return 1
		}
		return 0
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		one := &all[i]
		other := &all[j]
		byClass := cmp.Compare(class(one), class(other))
		if byClass == 0 && class(one)%2 == 1 && one.Met != other.Met {
			return cmp.Compare(other.Met, one.Met)
		}
		return cmp.Or(byClass, cmp.Compare(one.Value, other.Value))
	})
	return order
}

// NotDecided returns the first of the policies that may be called the best, -1 if none may, and its rivals, which the
// runs do not tell from it, with a text for each: that they meet the objective less often is not shown by the exact
// sign test, nor that their values are larger by the interval of the paired difference. Both count units that share no
// part of the trace.
func NotDecided(all []RankingRow, asked *float64) (best int, rivals []int, texts []string) {
	best = -1
	may := Best(all, asked)
	for _, i := range Rank(all, asked) {
		if may[i] {
			best = i
			break
		}
	}
	if best < 0 || all[best].Values == nil {
		return best, nil, nil
	}
	first := &all[best]
	for i := range all {
		row := &all[i]
		if i == best || row.Oracle || row.Cut || row.Met == 0 || row.Values == nil {
			continue
		}
		sharesP := row.Hits.SharesPValue(first.Hits)
		if !may[i] && row.Met < first.Met && sharesP < NotShown {
			continue
		}
		difference := row.Values.minus(first.Values)
		if difference.Units() == 0 || difference.Mean() > 0 && difference.PValue() < NotShown {
			continue
		}
		text := fmt.Sprintf("not decided between %[1]s and %[2]s: %[2]s - %[1]s is %[3]s",
			first.Policy, row.Policy, difference.text(row.Unit))
		if row.Met != first.Met {
			text += fmt.Sprintf("; met in %s and %s of the runs (exact sign test, p = %.2g)",
				units.Percent(first.Met), units.Percent(row.Met), sharesP)
		}
		rivals = append(rivals, i)
		texts = append(texts, text)
	}
	return best, rivals, texts
}

// text writes the mean in a unit, with its interval if it has one.
func (t *Tally) text(unit string) string {
	text := units.USD(t.Mean()) + " " + unit
	if interval := t.MeanInterval(); interval != nil {
		text += fmt.Sprintf(" (95 %%: %s to %s)", units.USD(interval.Low), units.USD(interval.High))
	}
	return text
}

// minus returns the differences of two tallies over the units of both, of means where a unit has several runs.
func (t *Tally) minus(other *Tally) (differences Tally) {
	differences.Lasting(max(t.longestS, other.longestS))
	for k, u := range t.units {
		if pair, paired := other.index[u]; paired {
			differences.Add(u, t.sums[k]/t.sizes[k]-other.sums[pair]/other.sizes[pair])
		}
	}
	return differences
}

// Best returns which policies' values may be called the best: those of policies
// that meet the objective or, if none does, that meet it most often. Policies that
// know the future, that never meet it, or whose value is not whole are none.
func Best(all []RankingRow, asked *float64) []bool {
	largest := 0.0
	for i := range all {
		row := &all[i]
		if !row.Oracle && row.Runs > 0 {
			largest = max(largest, row.Met)
		}
	}
	best := make([]bool, len(all))
	for i := range all {
		row := &all[i]
		meets := Meets(row.Met, asked) || !Meets(largest, asked) && row.Met == largest
		best[i] = !row.Oracle && row.Runs > 0 && !row.Cut && row.Met > 0 && meets
	}
	return best
}

// The verdicts.
const (
	Proven    = "proven"
	Missed    = "missed"
	Undecided = "not decided"
)

// Verdict says whether runs are in time in at least a share of all cases, above 0
// and at most 1, as far as the interval of the share that was tells: Proven where it
// does not go below, Missed where it lies below, else Undecided. A share of 1 is
// never proven.
func (i Interval) Verdict(share float64) string {
	switch {
	case i.Low >= share:
		return Proven
	case i.High < share:
		return Missed
	}
	return Undecided
}

// Min returns the least number of units that can prove a share: all runs are in
// time. It is 0 for a share of 1, which none can.
func Min(share float64) int {
	if share >= 1 {
		return 0
	}
	n := max(int(normal975*normal975*share/(1-share)), 1) // where n/(n+z²) is the share
	for wilson(1, n).Verdict(share) != Proven {
		n++
	}
	return n
}

// Stratum is what policies scored on the units of one kind: a number a unit and policy, the less the better.
// The policies of a unit are pairs.
type Stratum struct {
	Scores      [][]float64 // by unit and policy
	Independent int         // of the units: as many are drawn (Tally.Independent)
}

// Place is how a policy does over all strata, each of which counts the same: the mean of their means. Intervals
// are of a bootstrap that draws the units of each stratum anew, for all policies alike (Efron and Tibshirani,
// An Introduction to the Bootstrap, 1993, chapter 8).
type Place struct {
	Score   float64  `json:"score"`
	ScoreCI Interval `json:"score_ci"`
	Minus   float64  `json:"minus"` // score less that of the policy that all are compared with
	MinusCI Interval `json:"minus_ci"`
	Rank    int      `json:"rank"` // from 1; equal scores have the same
	RankLow int      `json:"rank_low"`
	RankTop int      `json:"rank_high"`
}

const resamples = 2000

// Places ranks policies by what they scored; each is compared with one of them, by its number. There is at least
// one stratum, and each has a unit. The same numbers give the same places.
func Places(strata []Stratum, with int) []Place {
	policies := len(strata[0].Scores[0])
	units := 0
	for _, s := range strata {
		units += s.Independent
	}
	places := make([]Place, policies)
	scores := scored(strata, Stratum.all)
	ranks := ranked(scores)
	for p := range places {
		places[p] = Place{Score: scores[p], Minus: scores[p] - scores[with], Rank: int(ranks[p])}
	}
	draws := [3][][]float64{}
	for i := range draws {
		draws[i] = make([][]float64, policies)
	}
	draw := rand.New(rand.NewPCG(1, uint64(units)))
	for range resamples {
		scores := scored(strata, func(s Stratum) []int { return s.drawn(draw) })
		ranks := ranked(scores)
		for p, score := range scores {
			draws[0][p] = append(draws[0][p], score)
			draws[1][p] = append(draws[1][p], score-scores[with])
			draws[2][p] = append(draws[2][p], ranks[p])
		}
	}
	for p := range places {
		at := &places[p]
		at.ScoreCI = middle(draws[0][p], units)
		at.MinusCI = middle(draws[1][p], units)
		rank := middle(draws[2][p], units)
		at.RankLow = int(rank.Low)
		at.RankTop = int(rank.High)
	}
	return places
}

// all are the numbers of all units.
func (s Stratum) all() []int {
	units := make([]int, len(s.Scores))
	for k := range units {
		units[k] = k
	}
	return units
}

// drawn are the numbers of units that are drawn with replacement, as many as are independent.
func (s Stratum) drawn(draw *rand.Rand) []int {
	units := make([]int, s.Independent)
	for k := range units {
		units[k] = draw.IntN(len(s.Scores))
	}
	return units
}

// scored returns the scores of all policies, of the units that pick names.
func scored(strata []Stratum, pick func(s Stratum) []int) []float64 {
	scores := make([]float64, len(strata[0].Scores[0]))
	for _, s := range strata {
		units := pick(s)
		for _, k := range units {
			for p, x := range s.Scores[k] {
				scores[p] += x / float64(len(units)*len(strata))
			}
		}
	}
	return scores
}

// ranked returns the ranks of scores.
func ranked(scores []float64) []float64 {
	sorted := slices.Sorted(slices.Values(scores))
	ranks := make([]float64, len(scores))
	for p, x := range scores {
		below, _ := slices.BinarySearch(sorted, x)
		ranks[p] = float64(1 + below)
	}
	return ranks
}

// middle is the interval that holds 95 % of the draws, which it sorts.
func middle(draws []float64, units int) Interval {
	slices.Sort(draws)
	tail := len(draws) / 40
	return Interval{draws[tail], draws[len(draws)-1-tail], units}
}
