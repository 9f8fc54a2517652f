package plots

import (
	"testing"

	"github.com/marigram/marigram/experiments/stragglers"
	"github.com/marigram/marigram/plots/canvas"
)

// slowSteps is a job of three replicas of two stages, one worker of which is slow.
func slowSteps(t *testing.T) *canvas.Figure {
	var rows []stragglers.Operation
	for rank := range int32(3) {
		for stage := range int32(2) {
			factor := 1.0
			if rank == 1 && stage == 1 {
				factor = 1.6
			}
			add := func(kind string, sequence int32, start, duration float64) {
				rows = append(rows, stragglers.Operation{DPRank: rank, Stage: stage, Rank: 2*rank + stage, Step: 7, Type: kind,
					StartS: start, Duration: duration, Sequence: sequence, Model: stage})
			}
			for batch := range int32(4) {
				at := float64(stage) + float64(batch)*factor
				add("forward-compute", batch, at, factor)
				add("backward-compute", batch, 20+at-2*float64(stage)+float64(batch)*factor, 2*factor)
				if stage == 0 {
					add("forward-send", batch, at+factor, 0)
					add("backward-recv", batch, 20+at, 0)
				} else {
					add("forward-recv", batch, at, 0)
					add("backward-send", batch, 20+at+3*factor, 0)
				}
			}
			add("gc", 0, 50, 0)
			add("optimizer-clip-main-grad", 0, 50, 0.2)
		}
	}
	job, err := stragglers.New(stragglers.Meta{Name: "made up", DP: 3, PP: 2, TP: 1, DSP: 1, VPP: 1}, rows)
	if err != nil {
		t.Fatal(err)
	}
	analysis, err := job.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	figure, err := Stragglers("made up", analysis)
	return must(t, figure, err)
}

func TestStragglers(t *testing.T) {
	wantTexts(t, slowSteps(t), "made up: S of each worker, and one step", "dp rank", "as it was", "ideal", "backward")
}
