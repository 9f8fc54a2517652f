package rules

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// A job that cannot meet its deadline any more does not make the rule forget that of another, which the cheap model
// would miss.
func TestPossibleDeadlines(t *testing.T) {
	check := near.Count(t)
	in := share.Input{GPUs: []int{1, 1}, Price: []float64{1, 10}, Jobs: []share.Job{
		{ID: 0, GPUs: 1, Speed: []float64{1, 2}, Weight: 1, Left: 150, Time: 100}, // needs 1.5 steps/s
		{ID: 1, GPUs: 1, Speed: []float64{1, 2}, Weight: 1, Left: 500, Time: 100}, // needs 5
	}}
	for possible, want := range map[bool]float64{true: 1.5, false: 0} {
		var x share.Shares
		(&MaxSum{PerDollar: true, Deadlines: true, Possible: possible}).Share(&in, &x)
		got := Speed(in.Jobs[0].Speed, x.X[0])
		if possible && check.Below(got, want-1e-9) || !possible && check.Alike(got, 1.5, 1e-9) {
			t.Errorf("possible %v: %v steps/s", possible, got)
		}
	}
}
