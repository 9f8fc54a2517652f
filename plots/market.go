package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// maxTypes is how many instance types a price figure has room for.
const maxTypes = 12

// onDemandLine is the list price.
var onDemandLine = draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{4, 2}}

// Prices draws what machines cost over time: one panel an instance type, one
// line a pool, one colour a region. The list price is drawn where it is within
// reach of the others, and else only written. Of more than 12 types the first
// are drawn, and the figure says so.
func Prices(h *Trace) (*canvas.Figure, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	all := h.with(func(p *Pool) []Piece { return p.Price })
	if len(all) == 0 {
		return nil, ErrNothing
	}
	types := slices.Compact(slices.Sorted(each(all, func(p *Pool) string { return p.Type })))
	types = types[:min(len(types), maxTypes)]
	pools := slices.DeleteFunc(slices.Clone(all), func(p *Pool) bool { return !slices.Contains(types, p.Type) })
	cols := 1
	if len(types) > 3 {
		cols = 2
	}
	f := &canvas.Figure{Width: 7 * vg.Inch, Gap: 16}
	binned, listed := 0.0, false
	for i, typ := range types {
		if i%cols == 0 {
			f.Panels = append(f.Panels, make([]*plot.Plot, cols))
		}
		panel, bin, list := h.prices(pools, typ, i+cols >= len(types), 10/cols)
		f.Panels[i/cols][i%cols] = panel
		binned, listed = max(binned, bin), listed || list
	}
	f.Height = (0.95 + 1.6*vg.Length(len(f.Panels))) * vg.Inch
	f.Keys = h.regionKeys(pools, false)
	if listed {
		f.Keys = append(f.Keys, canvas.Key{Text: "on demand", Line: &onDemandLine})
	}
	f.Title = h.titles("price of a machine (USD/h)", len(pools), len(all), binned)
	return f, nil
}

// prices draws the pools of one type; listed is true where the list price is a
// line.
func (h *Trace) prices(pools []*Pool, typ string, lowest bool, ticks int) (panel *plot.Plot, binned float64, listed bool) {
	panel = h.panel("", lowest, ticks)
	colors := h.regionColors()
	low, high, list, n := maxNumber, 0.0, 0.0, 0
	for _, p := range pools {
		if p.Type != typ {
			continue
		}
		pieces, bin := thin(p.Price, h.Hours)
		binned, list, n = max(binned, bin), max(list, p.OnDemand), n+1
		for _, points := range runs(pieces) {
			panel.Add(canvas.Line(points, draw.LineStyle{Color: colors(p.Region), Width: 0.8}))
		}
		for _, piece := range pieces {
			low, high = min(low, piece.Value), max(high, piece.Value)
		}
	}
	listed = list > 0 && list <= 1.3*high
	if listed {
		high = max(high, list)
		panel.Add(canvas.Line(plotter.XYs{{X: 0, Y: list}, {X: h.Hours, Y: list}}, onDemandLine))
	}
	panel.Add(heading{typeText(typ, n), listText(list)})
	h.priceAxis(panel, low, high)
	return panel, binned, listed
}

func typeText(typ string, pools int) string {
	typ = canvas.Label(cmp.Or(typ, "unknown type"), 40)
	if pools == 1 {
		return typ + ", 1 pool"
	}
	return fmt.Sprintf("%s, %d pools", typ, pools)
}

func listText(list float64) string {
	if list == 0 {
		return ""
	}
	return "on demand " + canvas.Number(list)
}

// priceAxis fits the axis to the prices: from 0 where they reach down to a third
// of the highest, since small changes are what is to be seen.
func (h *Trace) priceAxis(p *plot.Plot, low, high float64) {
	if low < high/3 {
		low = 0
	}
	spread := max(high-low, 0.02*high, 1e-6)
	ticks := canvas.FitScale(spread*1.1, 4, canvas.OneTwoFive(1e-9))
	p.Y.Min, p.Y.Max = max(0, low-0.05*spread), high+0.05*spread
	p.Y.Tick.Marker = ticks
}
