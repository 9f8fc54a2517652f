package artifact

import (
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/policies"
)

// What each slip of the public code is worth, and settings beside them: samples
// against the published way, percent, as DEVIATIONS.md has them.
func TestParcaeQuirksWorth(t *testing.T) {
	if testing.Short() {
		t.Skip("twelve replays of 683 minutes: not with -short")
	}
	published := [3]float64{}
	for k, network := range parcaeNetworks {
		published[k] = total(asPublished(t, network, ParcaeProactive).Replay(calibrate.ParcaeHistory()))
	}
	whole := calibrate.MigrationQuirks{LastStageOnly: true, IdleRegroup: true}
	for _, c := range []struct {
		name      string
		migration calibrate.MigrationQuirks
		drop      bool
		objective policies.ParcaeObjective
		want      [3]float64
	}{
		{"last stage only", calibrate.MigrationQuirks{IdleRegroup: true}, true, 0, [3]float64{-0.14, 0, -1.25}},
		{"idle regroup", calibrate.MigrationQuirks{LastStageOnly: true}, true, 0, [3]float64{0, 0.01, 0}},
		{"drop remainder", whole, false, 0, [3]float64{0, 0, 0}},
		{"all", calibrate.MigrationQuirks{}, false, 0, [3]float64{-0.13, 0.01, -1.25}},
		{"liveput", whole, true, policies.ParcaeLiveput, [3]float64{-0.68, -1.35, -0.94}},
	} {
		for k, network := range parcaeNetworks {
			p := asPublished(t, network, ParcaeProactive)
			m := p.Model.(*calibrate.Parcae)
			m.Quirks = c.migration
			p.Planner = policies.NewParcaePlanner(m, 32, 60)
			p.Planner.DropRemainder, p.DropRemainder, p.Planner.Objective = c.drop, c.drop, c.objective
			if got := 100 * (total(p.Replay(calibrate.ParcaeHistory()))/published[k] - 1); math.Abs(got-c.want[k]) > 0.005 {
				t.Errorf("%s, %s: %+.2f %%, want %+.2f", c.name, network, got, c.want[k])
			}
		}
	}
}

func total(m []ParcaeMinute) float64 { return m[len(m)-1].Samples }
