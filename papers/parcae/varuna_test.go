package parcae

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim"
)

// Nine of twelve costs of Varuna in Table 2 are open as "not explained": with none of the restart and save times that
// are public (five networks of Oobleck's artifact), and none of these intervals between saves, is any network within
// the tolerance in all four hours. If one is, say so in the claims: they are explained then.
func TestVarunaIsNotExplained(t *testing.T) {
	spec, err := papers.OpenSpec("parcae/costs")
	if err != nil {
		t.Fatal(err)
	}
	var in costInputs
	if err := spec.Inputs(&in); err != nil {
		t.Fatal(err)
	}
	published := map[string]float64{}
	for _, c := range papers.Published() {
		published[c.Name] = c.Published
	}
	market, err := in.World.market(pipeline.ParcaeTrace())
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, network := range in.Shown {
		_, m, err := in.Replay.forecast(network)
		if err != nil {
			t.Fatal(err)
		}
		least, best := math.Inf(1), ""
		for _, table := range []string{"BERT-Large", "GPT-2", "GPT-3-Medium", "GPT-3-2.7b", "GPT-3-6.7b"} {
			for _, steps := range []int{10, 20, 50, 100, 200, 500, 1000} {
				in.Varuna.Table = table
				in.Varuna.Settings = map[string]any{"save_every_steps": steps}
				worst, err := worstOfVaruna(&in, network, m, market, published)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if worst < least {
					least = worst
					best = table
					t.Logf("%s: restarts of %s, a save every %d steps: up to %.0f %% off", network, best, steps, 100*worst)
				}
			}
		}
		if least <= 0.15 {
			t.Errorf("%s is within 15 %% in all four hours with the restarts of %s: the claims say that nothing explains them", network, best)
		}
	}
	t.Logf("%d networks, restart times and intervals", tried)
}

// worstOfVaruna returns the largest error of Varuna's four costs of a network, relative to the published ones.
func worstOfVaruna(in *costInputs, network string, m *pipeline.Parcae, market *sim.Market, published map[string]float64) (float64, error) {
	systems, err := in.systems(network)
	if err != nil {
		return 0, err
	}
	worst := 0.0
	for _, hour := range pipeline.ParcaeSegments() {
		usd, err := in.cost(&systems[0], market, m, network, hour)
		if err != nil {
			return 0, err
		}
		claim := "parcae/costs/" + network + "-" + strings.ToLower(hour.Name) + "-varuna"
		if published[claim] == 0 {
			return 0, fmt.Errorf("no claim %s", claim)
		}
		worst = max(worst, math.Abs(usd/published[claim]-1))
	}
	return worst, nil
}
