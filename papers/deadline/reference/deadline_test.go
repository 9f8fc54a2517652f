package reference

import (
	"github.com/marigram/marigram/internal/testutil"
	"slices"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim/simtest"
)

func availabilities(t testing.TB, zone string) []bool {
	t.Helper()
	var out []bool
	for _, r := range testutil.PublishedTable(t, "skynomad-aws-v100-availability", zone+"_v100_1.csv")[1:] {
		out = append(out, r[1] != "0")
	}
	return out
}

// Every row of the oracle: an independent implementation on the same sequences.
func TestDeadlineReplays(t *testing.T) {
	check := near.Count(t)
	rules := Rules()
	rows := testutil.Table(t, "papers/deadline/testdata/deadline_policies.csv")
	zones := map[string][]bool{}
	for i, r := range rows[1:] {
		k := slices.IndexFunc(rules, func(x PublishedRule) bool { return x.Name == r[6] })
		start, err := strconv.Atoi(r[1])
		if err != nil || k < 0 {
			t.Fatalf("row %d: %v", i+2, r)
		}
		job := Job{TickS: testutil.Number(t, r[2]), WorkS: 3600 * testutil.Number(t, r[3]), DeadlineS: 3600 * testutil.Number(t, r[4]),
			ChangeoverS: 3600 * testutil.Number(t, r[5]), SpotUSDPerH: 0.9731, OnDemandUSDPerH: 3.06}
		if zones[r[0]] == nil {
			zones[r[0]] = availabilities(t, r[0])
		}
		got, err := job.Replay(&rules[k], zones[r[0]][start:])
		if err != nil {
			t.Errorf("row %d: %v", i+2, err)
			continue
		}
		if check.Off(got.CostUSD, testutil.Number(t, r[7]), 1e-6) || check.Off(got.CompletionS/3600, testutil.Number(t, r[8]), 1e-6) ||
			strconv.Itoa(got.Launches) != r[9] || strconv.Itoa(got.Preemptions) != r[10] {
			t.Errorf("row %d: %+v, want %v", i+2, got, r)
		}
	}
}

func BenchmarkDeadline(b *testing.B) {
	rules := Rules()
	seq := make([]bool, 1000)
	for i := range seq {
		seq[i] = i/37%2 == 0
	}
	job := Job{600, 48 * 3600, 60 * 3600, 720, 0.9731, 3.06}
	ticks, start := 0, simtest.CPUTime()
	for b.Loop() {
		r, err := job.Replay(&rules[2], seq)
		if err != nil {
			b.Fatal(err)
		}
		ticks += r.Ticks
	}
	b.ReportMetric(float64(ticks)/(simtest.CPUTime()-start).Seconds(), "ticks/cpu-s")
}
