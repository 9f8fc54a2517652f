package plots

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
	types := typesOf(all)
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

func typesOf(pools []*Pool) []string {
	var types []string
	for _, p := range pools {
		if !slices.Contains(types, p.Type) {
			types = append(types, p.Type)
		}
	}
	slices.Sort(types)
	return types
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
	if typ == "" {
		typ = "unknown type"
	}
	if pools == 1 {
		return canvas.Label(typ, 40) + ", 1 pool"
	}
	return fmt.Sprintf("%s, %d pools", canvas.Label(typ, 40), pools)
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
