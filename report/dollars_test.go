package report

import (
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// The parts add up to the total to the microdollar, each is a part of a cloud's bill, and none
// is left out.
func TestDollars(t *testing.T) {
	check := near.Count(t)
	rows := []results.Summary{{Policy: "other", Objective: "a", CostSpotUSD: 5, CostUSD: 5}}
	for i := range 3 {
		x := math.Pi + float64(i)
		rows = append(rows, results.Summary{Policy: "p", Objective: "a", CostSpotUSD: x, CostOnDemandUSD: x / 3, CostPSUSD: x / 7, CostStorageUSD: x / 9,
			CostTransferUSD: x / 11, CostDisksUSD: x / 13, CostCheckpointsUSD: x / 17, CostCommitmentsUSD: x / 19, CostTaxUSD: x / 21, CostTopupUSD: x / 23,
			RefundUSD: x / 27})
	}
	d, err := DollarsOf(rows, func(s *results.Summary) bool { return s.Policy == "p" })
	if err != nil || d.Runs != 3 || len(d.Parts) != len(ownParts) {
		t.Fatal(d, err)
	}
	micros, x := 0.0, math.Pi+1
	for _, p := range d.Parts {
		micros += math.Round(p.USD * micro)
		if p.Own == "" {
			t.Errorf("%s is no part of a cloud's bill", p.Part)
		}
	}
	want := x * (1 + 1/3. + 1/7. + 1/9. + 1/11. + 1/13. + 1/17. + 1/19. + 1/21. + 1/23. - 1/27.)
	if micros != math.Round(d.TotalUSD*micro) || check.Off(d.TotalUSD, want, 1e-6) {
		t.Errorf("parts of %v, total %v, want %v", micros/micro, d.TotalUSD, want)
	}
	if got := d.ByOwnPart()[charges.Storage]; check.Off(got, x*(1/9.+1/17.), 3e-6) {
		t.Errorf("storage %v", got)
	}
	if _, err := DollarsOf(rows, func(*results.Summary) bool { return false }); err == nil {
		t.Error("no run, but an answer")
	}
	rows[0].Jobs = 2 // on servers of their own
	if d, err = DollarsOf(rows, func(*results.Summary) bool { return true }); err != nil || d.Parts[0].Part != "servers and spot" ||
		d.Parts[0].Own != charges.Spot {
		t.Error(d.Parts[0], err)
	}
}
