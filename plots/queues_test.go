package plots

import (
	"errors"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// lendingRun is a run in which speech borrows of vision's GPUs, and gives them back.
func lendingRun() results.Run {
	end := 7200.0
	r := results.Run{Summary: results.Summary{Policy: "kueue", Scenario: "study", Objective: "jobs", Seed: 1, FinishS: &end}}
	for _, x := range []struct {
		at     float64
		inputs string
	}{
		{0, "speech 8 GPUs used; speech 4 GPUs nominal; vision 0 GPUs used; vision 4 GPUs nominal"},
		{1800, "speech 0 GPUs used; speech 4 GPUs nominal; vision 4 GPUs used; vision 4 GPUs nominal"},
		{3600, "speech 8 GPUs used; speech 4 GPUs nominal; vision 0 GPUs used; vision 4 GPUs nominal"},
		{7200, "speech 0 GPUs used; speech 4 GPUs nominal; vision 0 GPUs used; vision 4 GPUs nominal"},
	} {
		r.Decisions = append(r.Decisions, results.Decision{AtS: x.at, Inputs: x.inputs})
	}
	return r
}

func queuesFigure(t *testing.T) *canvas.Figure {
	f, err := QueueUse([]results.Run{lendingRun()})
	return must(t, f, err)
}

func TestNoQueues(t *testing.T) {
	if _, err := QueueUse([]results.Run{{Decisions: []results.Decision{{Inputs: "slack 4 s"}}}}); !errors.Is(err, ErrNothing) {
		t.Errorf("error %v, expected that there is nothing to draw", err)
	}
}
