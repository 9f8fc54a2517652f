package plots

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

func ranked() []Ranked {
	return []Ranked{
		{inTime("uniform-progress"), 46.2914, 44.4, 48.2, 35.1, 71.1}, {inTime("time-sliced"), 48.921, 46.5, 51.3, 36, 79.9}, {inTime("greedy"), 49.034,
			45.6, 52.4, 38, 100.1},
		{inTime("ondemand"), 122.511, 122.51, 122.512, 122.5, 122.514},
		{PolicyResult{Policy: "checkpoint", Met: 0.7, Misses: true}, 39.087, 38.6, 39.6, 37, 42.3}, {PolicyResult{Policy: "varuna", Misses: true}, 56.611, math.NaN(),
			math.NaN(), 54, 58.6},
		{PolicyResult{Policy: "parcae-ideal", Oracle: true, Met: 1}, 30, 29, 31, 25, 36},
	}
}

func rankingFigure(t *testing.T) *canvas.Figure {
	f, err := Ranking("in 52 h", "recorded market; 300 runs a policy from 150 starts", new(results.Summary).Metric(), ranked())
	return must(t, f, err)
}

// Those that miss say so next to their cost, and that they are hollow; costs are in cents.
func TestRanking(t *testing.T) {
	wantTexts(t, rankingFigure(t), "uniform-progress", "46.29", "122.51", "39.09, met 70 %", "56.61, met 0 %", "30.00, knows the future",
		"misses the objective", "in 52 h: cost", "cost (USD)")
	f, err := Ranking("", "", (&results.Summary{Jobs: 2}).Metric(), ranked()[:4])
	if text := texts(t, must(t, f, err)); strings.Contains(text, "misses") {
		t.Error("nobody misses, but the figure says so")
	}
	for _, spoil := range []func(r *Ranked){
		func(r *Ranked) { r.Mean = math.NaN() }, func(r *Ranked) { r.High = r.Low - 1 }, func(r *Ranked) { r.Low = math.NaN() },
		func(r *Ranked) { r.P95 = math.Inf(1) },
	} {
		all := ranked()
		spoil(&all[1])
		if _, err := Ranking("", "", new(results.Summary).Metric(), all); err == nil || !strings.Contains(err.Error(), "time-sliced: ") {
			t.Errorf("%+v was drawn: %v", all[1], err)
		}
	}
	if _, err := Ranking("", "", new(results.Summary).Metric(), nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}
