package plots

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func differences() []Differences {
	nan := math.NaN()
	return []Differences{
		{"loss-0.5-in-12h market.replay.notice_s 30", []Difference{
			{inTime("ondemand"), 24.1, 23.2, 25.3, 200, 0}, {inTime("spotdnn"), -3.2, -5.1, -1.4, 200, 0.71},
			{inTime("parcae"), -0.6, -2.2, 1.1, 200, 0.535}, {PolicyResult{Policy: "parcae-ideal", Oracle: true, Met: 1}, -9, -10.5, -7.7, 200, 0.98}}},
		{"loss-0.5-in-12h market.replay.notice_s 120", []Difference{
			{inTime("ondemand"), 26.3, 25.2, 27.3, 200, 0}, {PolicyResult{Policy: "spotdnn", Met: 0.735, Misses: true}, -5.2, -7.1, -3.4, 200, 0.78},
			{inTime("parcae"), -1.6, nan, nan, 1, 1}, {PolicyResult{Policy: "parcae-ideal", Oracle: true, Met: 1}, -10, -11.5, -8.7, 200, 1}}},
	}
}

// inTime is a policy that always meets its objective.
func inTime(policy string) PolicyResult { return PolicyResult{Policy: policy, Met: 1} }

func pairedFigure(t *testing.T) *canvas.Figure {
	f, err := Paired("notice: cost minus that of reactive", "SYNTHETIC market; bootstrap intervals", "cost minus that of reactive (USD)", differences())
	return must(t, f, err)
}

func TestPaired(t *testing.T) {
	wantTexts(t, pairedFigure(t), "spotdnn, less in 71 % of 200 pairs", "spotdnn, met 73.5 %", "misses the objective",
		"parcae-ideal (knows the future), less in 98 % of 200 pairs", "cost minus that of reactive (USD)", "no difference", "95 % interval")
	for _, spoil := range []func(d *Difference){
		func(d *Difference) { d.Mean = math.NaN() }, func(d *Difference) { d.High = d.Low - 1 }, func(d *Difference) { d.Low = math.NaN() },
		func(d *Difference) { d.High = math.Inf(1) }, func(d *Difference) { d.Wins = 1.1 },
	} {
		all := differences()
		spoil(&all[0].Of[1])
		if _, err := Paired("", "", "", all); err == nil || !strings.Contains(err.Error(), "spotdnn: ") {
			t.Errorf("%+v was drawn: %v", all[0].Of[1], err)
		}
	}
	if _, err := Paired("", "", "", []Differences{{Title: "a"}}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}
