package tune

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// check runs the winner once on blocks that chose nothing. How many are run is settled before: that there is one check,
// whose size does not depend on what it sees, is what makes its interval exact.
func (t *tuning) check(ctx context.Context, a *Answer) error {
	if a.winner < 0 {
		return nil
	}
	raced := &a.Settings[a.winnerRow]
	size := t.blocks.fresh
	if t.blocks.unit == results.BySeed {
		size = checkSize(raced.Met, raced.Blocks, a.Share, a.Alpha, t.blocks.fresh)
	}
	if a.Max > 0 && t.runs+int64(size) > a.Max {
		return nil
	}
	t.stage("check", 1, 1)
	chunks, err := t.run(ctx, []request{{candidates: []int{a.winner}, stage: checkingStage, from: 0, to: size}})
	if err != nil {
		return err
	}
	a.Runs.Check = int64(size)
	a.addCheck(rowsOf(chunks))
	if raced.MeanUSD != nil && a.CostUSD != nil {
		if warning := t.blocks.compareParts(*raced.MeanUSD, *a.CostUSD); warning != "" {
			a.Warnings = append(a.Warnings, warning)
		}
	}
	return nil
}

// rowsOf returns all runs of chunks in their order.
func rowsOf(chunks []*chunk) (rows []results.SweepRow) {
	for _, c := range chunks {
		rows = append(rows, c.rows...)
	}
	return rows
}

// addCheck says what the runs of the check came to. Starts that share a part of the trace count once.
func (a *Answer) addCheck(rows []results.SweepRow) {
	var usd, met intervals.Tally
	for i := range rows {
		run := &rows[i].Summary
		if rows[i].Error != "" { // it has no cost, and nothing is said of the share
			text := fmt.Sprintf("a run of the check failed, seed %d: %s", run.Seed, rows[i].Error)
			a.Warnings = append(a.Warnings, text)
			a.Met = 0
			return
		}
		usd.AddRun(run, run.CostUSD)
		met.AddRunHit(run, run.Met)
		if run.Met {
			a.Met++
		}
	}
	a.Fresh = len(rows)
	a.CostUSD = new(usd.Mean())
	a.CostCI = usd.MeanInterval()
	a.MetCI = new(met.ExactShare())
	hits, independent := met.IndependentHits()
	if showsShare(hits, independent, a.Share, a.Alpha) {
		a.Verdict = Proven
	}
	if independent < a.Fresh {
		a.Warnings = append(a.Warnings, intervals.Overlap(startsOf(rows), longestOf(rows)))
	}
}

func startsOf(rows []results.SweepRow) (startsS []float64) {
	for i := range rows {
		startsS = append(startsS, rows[i].StartS)
	}
	return startsS
}

func longestOf(rows []results.SweepRow) (longestS float64) {
	for i := range rows {
		longestS = max(longestS, rows[i].LastedS())
	}
	return longestS
}

// showsShare reports whether hits of n independent runs show a share: where the true one is lower they do so with
// probability alpha at most.
func showsShare(hits, n int, share, alpha float64) bool {
	return n > 0 && intervals.LowerShare(hits, n, alpha) >= share
}

// power is the probability with which a check is to show a share that is as the race showed it.
const power = 0.95

// checkSize returns how many fresh blocks a check takes to show a share with probability power, where the true one is
// as the race showed it with hits of n blocks; at most largest, and as many as the race had where the race showed no
// more than the share asked for.
func checkSize(hits, n int, share, alpha float64, largest int) int {
	shown := (float64(hits) + 1) / (float64(n) + 2)
	if shown <= share {
		return min(n, largest)
	}
	smallest := int(math.Ceil(math.Log(alpha) / math.Log(share))) // with fewer runs even no miss shows the share
	for size := smallest; size < largest; size += max(size/8, 1) {
		misses := float64(missesAllowed(size, share, alpha))
		if (distuv.Binomial{N: float64(size), P: 1 - shown}).CDF(misses) >= power {
			return size
		}
	}
	return largest
}

// missesAllowed returns with how many misses of n runs the others still show a share; -1 if with none.
func missesAllowed(n int, share, alpha float64) int {
	low := -1
	high := n
	for high-low > 1 {
		middle := (low + high) / 2
		if showsShare(n-middle, n, share, alpha) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
