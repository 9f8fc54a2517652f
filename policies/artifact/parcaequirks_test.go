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
	whole := calibrate.MigrationQuirks{LastStageOnly: true, IdleRegroup: true}
	for _, c := range []struct {
		name      string
		migration calibrate.MigrationQuirks
		drop      bool
		objective policies.ParcaeObjective
		want      [3]float64
	}{
		{"last stage only", calibrate.MigrationQuirks{IdleRegroup: true}, true, 0, [3]float64{}},
		{"idle regroup", calibrate.MigrationQuirks{LastStageOnly: true}, true, 0, [3]float64{}},
		{"drop remainder", whole, false, 0, [3]float64{}},
		{"all", calibrate.MigrationQuirks{}, false, 0, [3]float64{}},
		{"liveput", whole, true, policies.ParcaeLiveput, [3]float64{}},
	} {
		for k, network := range parcaeNetworks {
			p := asPublished(t, network, ParcaeProactive)
			published := total(p.Replay(calibrate.ParcaeHistory()))
			m := p.Model.(*calibrate.Parcae)
			m.Quirks = c.migration
			p.Planner = policies.NewParcaePlanner(m, 32, 60)
			p.Planner.DropRemainder, p.DropRemainder, p.Planner.Objective = c.drop, c.drop, c.objective
			if got := 100 * (total(p.Replay(calibrate.ParcaeHistory()))/published - 1); math.Abs(got-c.want[k]) > 0.005 {
				t.Errorf("%s, %s: %+.2f %%, want %+.2f", c.name, network, got, c.want[k])
			}
		}
	}
}

func total(m []ParcaeMinute) float64 { return m[len(m)-1].Samples }
