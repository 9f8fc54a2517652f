package intervals

import (
	"math/rand/v2"
	"slices"
)

// Stratum is what policies scored on the units of one kind: a number a unit and policy, the less the better.
// Units are independent of each other; the policies of a unit are pairs.
type Stratum [][]float64

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
	policies, units := len(strata[0][0]), 0
	for _, s := range strata {
		units += len(s)
	}
	places := make([]Place, policies)
	scores := scored(strata, func(s Stratum, k int) int { return k })
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
		scores := scored(strata, func(s Stratum, _ int) int { return draw.IntN(len(s)) })
		ranks := ranked(scores)
		for p, score := range scores {
			draws[0][p] = append(draws[0][p], score)
			draws[1][p] = append(draws[1][p], score-scores[with])
			draws[2][p] = append(draws[2][p], ranks[p])
		}
	}
	for p := range places {
		at := &places[p]
		at.ScoreCI, at.MinusCI = middle(draws[0][p], units), middle(draws[1][p], units)
		rank := middle(draws[2][p], units)
		at.RankLow, at.RankTop = int(rank.Low), int(rank.High)
	}
	return places
}

// scored returns the scores of all policies, of the units that pick names.
func scored(strata []Stratum, pick func(s Stratum, k int) int) []float64 {
	scores := make([]float64, len(strata[0][0]))
	for _, s := range strata {
		for k := range s {
			for p, x := range s[pick(s, k)] {
				scores[p] += x / float64(len(s)*len(strata))
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
