package plots

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// overlaidRun is a run of some hours that loses an instance in the middle, of two pools.
func overlaidRun(policy string, hours float64) results.Run {
	finish := 3600 * hours
	r := results.Run{Summary: results.Summary{Scenario: "night", Policy: policy, Finished: true, FinishS: &finish, CostUSD: 3 * hours}}
	const n = 20
	for i := range n {
		for pool := range 2 {
			held := int32(2)
			if i > n/2 && pool == 0 {
				held = 1
			}
			r.Spans = append(r.Spans, results.Span{Pool: string(rune('a' + pool)), StartS: finish * float64(i) / n, EndS: finish * float64(i+1) / n, Ready: held,
				Progress: float64(i+1) / n, CostUSD: 3 * hours * float64(i+1) / n})
		}
	}
	return r
}

func observedFigure(t *testing.T) *canvas.Figure {
	f, err := Observed(overlaidRun("observed", 12), []results.Run{overlaidRun("recorded", 11.5)})
	return must(t, f, err)
}

func TestObserved(t *testing.T) {
	f := observedFigure(t)
	svg, err := f.SVG()
	if err != nil || !strings.Contains(string(svg), "observed finished after 12 h, 36.00 USD; simulated finished after 11.5 h, 34.50 USD") {
		t.Errorf("%v, %s", err, f.Title)
	}
	var many []results.Run
	for i := range 20 {
		many = append(many, overlaidRun("recorded", 10+float64(i)/5))
	}
	if f, err = Observed(overlaidRun("observed", 12), many); err != nil || len(f.Title) != 1 || f.Keys[1].Text != "simulated, 20 runs" {
		t.Errorf("%v, %v", err, f)
	}
}

func TestObservedRefuses(t *testing.T) {
	good, bad, none := overlaidRun("observed", 1), overlaidRun("recorded", 1), overlaidRun("recorded", 1)
	bad.Spans[3].CostUSD = math.NaN()
	bad.Spans[2].CostUSD = math.NaN()
	none.Spans = nil
	for _, list := range [][]results.Run{nil, {bad}, {none}} {
		if _, err := Observed(good, list); err == nil {
			t.Errorf("%d runs: no error", len(list))
		}
	}
}
