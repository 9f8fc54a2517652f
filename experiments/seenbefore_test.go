package experiments

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// What was recorded of a pool before a run can be seen; what is assumed or drawn of it cannot.
func TestSeenBeforeIsRecorded(t *testing.T) {
	dir, write := ownModel(t)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	write("prices.json", awsPrice("2024-01-01T04:00:00", "2024-01-01T00:00:00"))
	write("counts.csv", minutes(start, 240, 300, 300))
	for capacity, seen := range map[string]bool{
		"capacity: {trace: counts}": true,
		"capacity: {trace: counts}, replay: {adapter: launch_only, lifetime: {distribution: exponential, mean_h: 1}}": false,
		"capacity: {typical: band}": false,
		"capacity: {typical: high}": false,
	} {
		write("spec.yaml", `name: x
horizon_s: 7200
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive}]
market:
  traces:
    - {name: prices, path: prices.json}
    - {name: counts, path: counts.csv, polarity: 1=available}
  pools:
    - {type: x.large, quota: 1, prices: {trace: prices, pool: z-1a/x.large}, `+capacity+`}
`)
		s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		markets, err := market.Whole(s)
		if err != nil {
			t.Fatal(err)
		}
		one, err := markets.For(1)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: one, Jobs: simtest.Jobs(1), Policy: ondemand.New(), Start: sim.At(7200)})
		if err != nil {
			t.Fatal(err)
		}
		before := w.View().SeenBefore(0, time.Hour)
		if (before.Held+sim.MachineTime(before.Waited/time.Microsecond) > 0) != seen {
			t.Errorf("%s: %+v before the run, expected some of it: %v", capacity, before, seen)
		}
	}
}
