package intervals

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// recordedCosts are the costs in USD of six policies from 181 starts, 6 h apart, in each of six zones: runs of
// papers/ours/policies/zone.yaml with starts: {every_s: 21600}, by commit a10538f3.
const recordedCosts = "experiments/intervals/testdata/costs.csv"

// differences are, by zone, what one policy costs more than another from each start.
func differences(t *testing.T, rows []map[string]string, policy, than string) (zones [][]float64) {
	t.Helper()
	number := func(row map[string]string, column string) float64 {
		x, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range rows {
		zone := int(number(row, "zone"))
		if zone == len(zones) {
			zones = append(zones, nil)
		}
		zones[zone] = append(zones[zone], number(row, policy)-number(row, than))
	}
	return zones
}

// Of paired differences as runs on a record have them, drawn 42 at a time, intervals hold the mean as often as said:
// in every zone and for every pair of policies, more often than Student's. Where a record is drawn in blocks of five days,
// so that days resemble their neighbours, they hold less, which docs/design/039 measures beside other methods.
func TestCoverageOnRecordedCosts(t *testing.T) {
	const n = 42
	rows := testutil.Rows(t, recordedCosts)
	luck := rand.New(rand.NewPCG(20261130, n))
	cases := 0
	var mean, blocks, byStudents float64
	for _, pair := range [][2]string{{"spotdnn-safe", "mdp"}, {"skynomad", "mdp"}, {"ondemand", "mdp"}, {"spotdnn", "mdp"}} {
		for zone, all := range differences(t, rows, pair[0], pair[1]) {
			truth := stat.Mean(all, nil)
			const tries = 200
			held := 0
			heldInBlocks := 0
			heldByStudents := 0
			for range tries {
				var apart, together Tally
				x := make([]float64, n)
				for i := range n {
					x[i] = all[luck.IntN(len(all))]
					apart.Add(Unit{Seed: int64(i)}, x[i])
				}
				from := 0
				for i := range n {
					if i%5 == 0 { // starts a day apart, of five days
						from = luck.IntN(len(all))
					}
					together.Add(Unit{Seed: int64(i)}, all[(from+4*(i%5))%len(all)])
				}
				count(&held, *apart.MeanInterval(), truth)
				count(&heldInBlocks, *together.MeanInterval(), truth)
				count(&heldByStudents, students(x), truth)
			}
			if share := float64(held) / tries; share < 0.87 {
				t.Errorf("%s less %s, zone %d: %v of the intervals hold the mean, expected at least 0.87", pair[0], pair[1], zone, share)
			}
			cases++
			mean += float64(held) / tries
			blocks += float64(heldInBlocks) / tries
			byStudents += float64(heldByStudents) / tries
		}
	}
	mean /= float64(cases)
	blocks /= float64(cases)
	byStudents /= float64(cases)
	t.Logf("%d cases: %.3f of the intervals, in blocks %.3f, Student's %.3f", cases, mean, blocks, byStudents)
	near.Abs(t, "share of the intervals that hold the mean", mean, 0.96, 0.015)
	if cases != 24 || !(blocks > 0.87) || !(mean > byStudents) {
		t.Errorf("%d cases: %v, in blocks %v, Student's %v", cases, mean, blocks, byStudents)
	}
}
