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
func Capacity(trace *Trace) (*canvas.Figure, error) {
	if err := trace.check(); err != nil {
		return nil, err
	}
	all := trace.with(func(p *Pool) []Piece { return p.Count })
	if len(all) == 0 {
		return nil, ErrNothing
	}
	pools := all[:min(len(all), maxPools)]
	figure := &canvas.Figure{Width: 7 * vg.Inch, Gap: 13}
	colors := trace.regionColors()
	binned := 0.0
	for i, pool := range pools {
		panel, bin := trace.capacity(pool, colors(pool.Region), i == len(pools)-1, len(pools) <= 6)
		figure.Panels = append(figure.Panels, []*plot.Plot{panel})
		binned = max(binned, bin)
	}
	figure.Height = (0.95 + panelHeight(len(pools))*vg.Length(len(pools))) * vg.Inch
	figure.Keys = trace.regionKeys(pools, true)
	if slices.ContainsFunc(pools, func(p *Pool) bool { return len(unknown(p.Count, trace.Hours)) > 0 }) {
		figure.Keys = append(figure.Keys, canvas.Key{Text: "not known", Fill: canvas.LightGrey})
	}
	figure.Title = trace.titles("machines per pool", len(pools), len(all), binned)
	return figure, nil
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
	about := canvas.Label(h.About, 110)
	if drawn < all {
		about += fmt.Sprintf("; %d of %d pools drawn", drawn, all)
	}
	if binned > 0 {
		about += fmt.Sprintf("; means over %s h", canvas.ShortNumber(binned))
	}
	return []string{canvas.Label(h.Name, 60) + ": " + what, about}
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
	for _, gap := range unknown(pieces, h.Hours) {
		panel.Add(gap)
	}
	panel.Add(heading{canvas.Label(p.Name, 60), p.summary(p.Count)})
	ticks := canvas.Scale{Step: math.Ceil(top)}
	if tall {
		ticks = canvas.FitScale(top, 4, canvas.OneTwoFive(1))
	}
	canvas.SetAxis(&panel.Y, 0, headroom*top, ticks)
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
func Prices(trace *Trace) (*canvas.Figure, error) {
	if err := trace.check(); err != nil {
		return nil, err
	}
	all := trace.with(func(pool *Pool) []Piece { return pool.Price })
	if len(all) == 0 {
		return nil, ErrNothing
	}
	types := slices.Compact(slices.Sorted(each(all, func(pool *Pool) string { return pool.Type })))
	types = types[:min(len(types), maxTypes)]
	pools := slices.DeleteFunc(slices.Clone(all), func(pool *Pool) bool { return !slices.Contains(types, pool.Type) })
	cols := 1
	if len(types) > 3 {
		cols = 2
	}
	figure := &canvas.Figure{Width: 7 * vg.Inch, Gap: 16}
	binned := 0.0
	listed := false
	for i, typ := range types {
		if i%cols == 0 {
			figure.Panels = append(figure.Panels, make([]*plot.Plot, cols))
		}
		panel, bin, list := trace.prices(pools, typ, i+cols >= len(types), 10/cols)
		figure.Panels[i/cols][i%cols] = panel
		binned = max(binned, bin)
		listed = listed || list
	}
	figure.Height = (0.95 + 1.6*vg.Length(len(figure.Panels))) * vg.Inch
	figure.Keys = trace.regionKeys(pools, false)
	if listed {
		figure.Keys = append(figure.Keys, canvas.Key{Text: "on demand", Line: &onDemandLine})
	}
	figure.Title = trace.titles("price of a machine (USD/h)", len(pools), len(all), binned)
	return figure, nil
}

// prices draws the pools of one type; listed is true where the list price is a
// line.
func (h *Trace) prices(pools []*Pool, typ string, lowest bool, ticks int) (panel *plot.Plot, binned float64,
	listed bool) {
	panel = h.panel("", lowest, ticks)
	colors := h.regionColors()
	prices := extent{low: maxNumber}
	list := 0.0
	drawn := 0
	for _, pool := range pools {
		if pool.Type != typ {
			continue
		}
		pieces, bin := thin(pool.Price, h.Hours)
		binned = max(binned, bin)
		list = max(list, pool.OnDemand)
		drawn++
		for _, points := range runs(pieces) {
			panel.Add(canvas.Line(points, draw.LineStyle{Color: colors(pool.Region), Width: 0.8}))
		}
		for _, piece := range pieces {
			prices.include(piece.Value)
		}
	}
	listed = list > 0 && list <= 1.3*prices.high
	if listed {
		prices.high = max(prices.high, list)
		panel.Add(canvas.Horizontal(list, 0, h.Hours, onDemandLine))
	}
	panel.Add(heading{typeText(typ, drawn), listText(list)})
	setPrices(&panel.Y, prices)
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

// setPrices fits the axis to the prices: from 0 where they reach down to a third
// of the highest, since small changes are what is to be seen.
func setPrices(axis *plot.Axis, prices extent) {
	if prices.low < prices.high/3 {
		prices.low = 0
	}
	spread := max(prices.width(), 0.02*prices.high, 1e-6)
	ticks := canvas.FitScale(spread*1.1, 4, canvas.OneTwoFive(1e-9))
	canvas.SetAxis(axis, max(0, prices.low-0.05*spread), prices.high+0.05*spread, ticks)
}
