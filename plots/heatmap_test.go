package plots

import (
	"errors"
	"math"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func heatMaps() *HeatMaps {
	h := &HeatMaps{Name: "small", About: "SYNTHETIC market; loss-0.5-in-12h; means of 20 runs; *: some did not finish, their cost is that until then",
		What:   "mean cost (USD)",
		Across: "replay: notice (s)", Up: "pools 0: quota", AcrossV: []string{"0", "30", "60", "120", "300"}, UpV: []string{"4", "8", "16"}}
	for k, policy := range []string{"reactive", "spotdnn", "parcae-ideal"} {
		m := HeatMap{Title: policy}
		for j := range h.UpV {
			var row []Cell
			for i := range h.AcrossV {
				row = append(row, Cell{Mean: 20 + 6*float64(j) - 1.7*float64(i) + 4*float64(k), Marked: k == 0 && j == 2 && i == 0})
			}
			m.Cells = append(m.Cells, row)
		}
		h.Maps = append(h.Maps, m)
	}
	h.Maps[1].Cells[1][3].Mean = math.NaN()
	for i := range h.AcrossV[:3] {
		h.Maps[0].Cells[0][i].Misses, h.Maps[0].Cells[0][i].Met = true, 0.35+0.25*float64(i)
	}
	return h
}

func heatFigure(t *testing.T) *canvas.Figure {
	f, err := heatMaps().Draw()
	return must(t, f, err)
}

func TestHeatMaps(t *testing.T) {
	wantTexts(t, heatFigure(t), "small: mean cost (USD)", "replay: notice (s)", "pools 0: quota", "spotdnn", "no number", "32*", "13.2", "35 %",
		"hollow: misses the objective", "15", "20", "25", "30", "35", "40")
	for _, spoil := range []func(h *HeatMaps){
		func(h *HeatMaps) { h.UpV = nil }, func(h *HeatMaps) { h.AcrossV = make([]string, MaxValues+1) }, func(h *HeatMaps) { h.Maps[0].Cells = h.Maps[0].Cells[:2] },
		func(h *HeatMaps) { h.Maps[2].Cells[0] = nil }, func(h *HeatMaps) { h.Maps[2].Cells[0][0].Mean = math.Inf(1) },
	} {
		h := heatMaps()
		spoil(h)
		if _, err := h.Draw(); err == nil {
			t.Error("maps were drawn that are not whole")
		}
	}
	h := heatMaps()
	h.Maps, h.AcrossV, h.UpV = []HeatMap{{Cells: [][]Cell{{{Mean: math.NaN()}}}}}, h.AcrossV[:1], h.UpV[:1]
	if _, err := h.Draw(); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	h.Maps[0].Cells[0][0].Mean = 7 // one number has one shade
	f, err := h.Draw()
	wantTexts(t, must(t, f, err), "7")
}
