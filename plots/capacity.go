package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// maxPools is how many pools a capacity figure has room for.
const maxPools = 24

// Capacity draws how many machines there were over time, one panel a pool. Of
// more than 24 pools the first are drawn, and the figure says so.
func Capacity(h *Trace) (*canvas.Figure, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	all := h.with(func(p *Pool) []Piece { return p.Count })
	if len(all) == 0 {
		return nil, ErrNothing
	}
	pools := all[:min(len(all), maxPools)]
	f := &canvas.Figure{Width: 7 * vg.Inch, Gap: 13}
	colors, binned := h.regionColors(), 0.0
	for i, p := range pools {
		panel, bin := h.capacity(p, colors(p.Region), i == len(pools)-1, len(pools) <= 6)
		f.Panels, binned = append(f.Panels, []*plot.Plot{panel}), max(binned, bin)
	}
	f.Height = (0.95 + panelHeight(len(pools))*vg.Length(len(pools))) * vg.Inch
	f.Keys = h.regionKeys(pools, true)
	if slices.ContainsFunc(pools, func(p *Pool) bool { return len(unknown(p.Count, h.Hours)) > 0 }) {
		f.Keys = append(f.Keys, canvas.Key{Text: "not known", Fill: canvas.LightGrey})
	}
	f.Title = h.titles("machines per pool", len(pools), len(all), binned)
	return f, nil
}

// panelHeight is the height of a panel among n, inches.
func panelHeight(n int) vg.Length {
	switch {
	case n <= 2:
		return 1.6
	case n <= 6:
		return 0.85
	}
	return 0.62
}

// titles are the lines above a figure of a trace.
func (h *Trace) titles(what string, drawn, all int, binned float64) []string {
	second := canvas.Label(h.About, 110)
	if drawn < all {
		second += fmt.Sprintf("; %d of %d pools drawn", drawn, all)
	}
	if binned > 0 {
		second += fmt.Sprintf("; means over %s h", canvas.ShortNumber(binned))
	}
	return []string{canvas.Label(h.Name, 60) + ": " + what, second}
}

func (h *Trace) capacity(p *Pool, c color.RGBA, lowest, tall bool) (*plot.Plot, float64) {
	pieces, binned := thin(p.Count, h.Hours)
	panel := h.panel("", lowest, 10)
	top := max(p.Cap, 1)
	for _, piece := range pieces {
		top = max(top, piece.Value)
	}
	for _, high := range runs(pieces) {
		low := plotter.XYs{{X: high[0].X, Y: 0}, {X: high[len(high)-1].X, Y: 0}}
		panel.Add(canvas.Area{Low: low, High: high, Fill: canvas.Tint(c, 0.7)})
	}
	for _, b := range unknown(pieces, h.Hours) {
		panel.Add(b)
	}
	panel.Add(heading{canvas.Label(p.Name, 60), p.summary(p.Count)})
	panel.Y.Min, panel.Y.Max, panel.Y.Tick.Marker = 0, headroom*top, canvas.Scale{Step: math.Ceil(top)}
	if tall {
		panel.Y.Tick.Marker = canvas.FitScale(top, 4, canvas.OneTwoFive(1))
	}
	return panel, binned
}

// summary is the mean number, and what was asked for.
func (p *Pool) summary(pieces []Piece) string {
	if p.Cap > 0 {
		return fmt.Sprintf("mean %.3g of %s", meanByTime(pieces), canvas.ShortNumber(p.Cap))
	}
	return fmt.Sprintf("mean %.3g", meanByTime(pieces))
}
