package skynomad

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
)

// The availability of the facts is that of the recorded probes: at least one of 16 H100
// could be launched in the round. Rounds 696 to 755 hold what 695 found, as the authors' do.
func TestHistoriesAreTheProbes(t *testing.T) {
	zones, err := zonesByName()
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2025, 10, 4, 0, 10, 0, 0, time.UTC)
	equal, off := 0, 0
	for _, r := range testutil.Rows(t, "traces/skynomad-gcp-h100-probes/probes.csv") {
		at, err := time.Parse(time.RFC3339, r["scheduled_at_utc"])
		if err != nil {
			t.Fatal(err)
		}
		z, round := zones[r["zone"]], int(at.Sub(first).Round(10*time.Minute)/(10*time.Minute))
		if round < 0 || z == nil || round >= len(z.Available) || round >= 696 && round <= 755 {
			continue
		}
		if z.Available[round] == (testutil.Number(t, r["instances_created"]) >= 1) {
			equal++
		} else {
			off++
		}
	}
	if off > 0 || equal < 10_000 {
		t.Errorf("%d rounds are as they were probed, %d are not", equal, off)
	}
}
