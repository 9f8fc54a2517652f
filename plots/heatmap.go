package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cell is the mean of a number over the runs of one combination of two parameters.
type Cell struct {
	Mean   float64 // 0 to 1e12; not a number: no run has one
	Marked bool    // written with an asterisk, which About explains
	Misses bool    // the runs miss their objective: drawn hollow
	Met    float64 // share of the runs that met it, written below the mean where they miss it
}

// HeatMap is the means by two parameters, for one policy.
type HeatMap struct {
	Title string
	Cells [][]Cell // Cells[j][i] at value i of the parameter across and j of the one upwards
}

// HeatMaps are maps over the same two parameters.
type HeatMaps struct {
	Name, About  string
	What         string   // the number, with its unit
	Across, Up   string   // the parameters, as people say them
	AcrossV, UpV []string // their values, in order
	Maps         []HeatMap
}

// MaxValues is how many values of a parameter a map has room for.
const MaxValues = 24

// Draw draws the maps side by side, the larger a mean the darker, by one scale for
// all, with the numbers where there is room for them. The scale is of the cells that meet the objective, if any do:
// one that misses it has no price to compare. Cells without a number are crossed out. More than 24 values of a
// parameter are an error; of more than 24 maps the first are drawn, and the
// figure says so. ErrNothing if no cell has a number.
func (h *HeatMaps) Draw() (*canvas.Figure, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	maps, about := limited(h.Maps, canvas.Label(h.About, canvas.MaxAbout), "maps")
	shade, gaps := shadesOf(maps)
	if shade.low > shade.high {
		return nil, ErrNothing
	}
	var panels []*plot.Plot
	miss := false
	names, _ := titles(maps, func(m HeatMap) string { return m.Title }, canvas.PanelWidth(2)) // policies
	for i := range maps {
		panels = append(panels, h.panel(names[i], &maps[i], shade))
		miss = miss || maps[i].misses()
	}
	keys := shade.keys()
	if miss {
		square := canvas.Polygon{Sides: 4, Turn: 45}
		hollow := draw.GlyphStyle{Color: canvas.Tint(canvas.Blue, 0.6), Radius: 3.5,
			Shape: canvas.Hollow{Shape: square}}
		keys = append(keys, canvas.Key{Text: "hollow: misses the objective; below: share that met it", Glyph: &hollow})
	}
	if gaps {
		cross := *canvas.CrossPoint(canvas.Grey)
		keys = append(keys, canvas.Key{Text: "no number", Glyph: &cross})
	}
	figure := canvas.NewSheet([]string{canvas.Label(h.Name, 60) + ": " + canvas.Label(h.What, 40), about}, keys, panels)
	side := func(n int, each, smallest float64) vg.Length {
		return vg.Length(max(smallest, each*float64(n))) * vg.Inch
	}
	figure.Width = vg.Length(len(figure.Panels[0]))*(side(len(h.AcrossV), 0.42, 2.2)+0.9*vg.Inch) + 0.3*vg.Inch
	figure.Height = vg.Length(len(figure.Panels))*(side(len(h.UpV), 0.28, 1.4)+1.0*vg.Inch) + 0.8*vg.Inch
	return figure, nil
}

func (h *HeatMaps) check() error {
	across := len(h.AcrossV)
	up := len(h.UpV)
	if across < 1 || up < 1 || across > MaxValues || up > MaxValues {
		return fmt.Errorf("plots: %d and %d values of the parameters, want 1 to %d", across, up, MaxValues)
	}
	for _, m := range h.Maps {
		if err := m.check(across, up); err != nil {
			return fmt.Errorf("plots: %s: %w", canvas.Label(m.Title, 60), err)
		}
	}
	return nil
}

// check refuses a map that has not the cells that it is to have, or a number that cannot be drawn.
func (m *HeatMap) check(across, up int) error {
	if len(m.Cells) != up {
		return fmt.Errorf("%d rows of cells, want %d", len(m.Cells), up)
	}
	for j, row := range m.Cells {
		if len(row) != across {
			return fmt.Errorf("%d cells in row %d, want %d", len(row), j, across)
		}
		for i, cell := range row {
			if !drawable(cell.Mean) && !math.IsNaN(cell.Mean) {
				return fmt.Errorf("%v in cell %d of row %d, want 0 to %g", cell.Mean, i, j, maxNumber)
			}
		}
	}
	return nil
}

// misses says whether some cell misses its objective.
func (m *HeatMap) misses() bool {
	return slices.ContainsFunc(slices.Concat(m.Cells...), func(cell Cell) bool { return cell.Misses })
}

func (h *HeatMaps) panel(title string, m *HeatMap, shade shades) *plot.Plot {
	panel := canvas.NewPanel(title, canvas.Label(h.Across, 60), canvas.Label(h.Up, 40))
	canvas.SetAxis(&panel.X, 0, float64(len(h.AcrossV)), valueNames(h.AcrossV))
	canvas.SetAxis(&panel.Y, 0, float64(len(h.UpV)), valueNames(h.UpV))
	longest := 0
	for _, value := range distinct(h.AcrossV, maxValue) {
		longest = max(longest, len(value))
	}
	if longest > 6 {
		canvas.Slant(&panel.X)
	}
	panel.Add(heat{m, shade})
	return panel
}

// maxValue is the length of a parameter's value.
const maxValue = 16

// valueNames are ticks in the middle of the cells.
func valueNames(values []string) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, value := range distinct(values, maxValue) {
		ticks = append(ticks, plot.Tick{Value: float64(i) + 0.5, Label: value})
	}
	return ticks
}

// shades are the colours of numbers: from near white to blue, so that lightness
// alone tells them apart.
type shades struct{ extent }

// shadesOf are those of maps, and whether a cell has no number.
func shadesOf(maps []HeatMap) (s shades, gaps bool) {
	met := noExtent()
	all := noExtent()
	for _, m := range maps {
		for _, row := range m.Cells {
			for _, cell := range row {
				if math.IsNaN(cell.Mean) {
					gaps = true
					continue
				}
				all.include(cell.Mean)
				if !cell.Misses {
					met.include(cell.Mean)
				}
			}
		}
	}
	if met.low > met.high {
		met = all
	}
	return shades{met}, gaps
}

// share is the shade of a number; one beyond the scale has that of its end.
func (s shades) share(number float64) float64 {
	if s.high == s.low {
		return 0.3
	}
	return 0.06 + 0.94*(min(max(number, s.low), s.high)-s.low)/s.width()
}

// keys are round numbers between the least and the largest, with their shades.
func (s shades) keys() []canvas.Key {
	if s.high == s.low {
		return []canvas.Key{{Text: digits(s.low), Fill: canvas.Tint(canvas.Blue, s.share(s.low))}}
	}
	var keys []canvas.Key
	for _, tick := range canvas.FitScale(s.width(), 6, canvas.OneTwoFive(1e-9)).Ticks(s.low, s.high) {
		keys = append(keys, canvas.Key{Text: tick.Label, Fill: canvas.Tint(canvas.Blue, s.share(tick.Value))})
	}
	return keys
}

// digits writes four digits.
func digits(number float64) string { return fmt.Sprintf("%.4g", number) }

// heat is the cells of a map.
type heat struct {
	m     *HeatMap
	shade shades
}

// Plot implements plot.Plotter.
func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	at := func(x, y int) vg.Point {
		return vg.Point{X: c.X(p.X.Norm(float64(x))), Y: c.Y(p.Y.Norm(float64(y)))}
	}
	for j, row := range h.m.Cells {
		for i, cell := range row {
			h.cell(c, cell, vg.Rectangle{Min: at(i, j), Max: at(i+1, j+1)})
		}
	}
}

func (h heat) cell(c draw.Canvas, cell Cell, box vg.Rectangle) {
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.XAlign = text.XCenter
	style.YAlign = text.YCenter
	words := ""
	fill := color.Color(canvas.Paper)
	if math.IsNaN(cell.Mean) {
		middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
		defer c.DrawGlyph(*canvas.CrossPoint(canvas.Grey), middle)
	} else {
		share := h.shade.share(cell.Mean)
		words = digits(cell.Mean)
		fill = canvas.Tint(canvas.Blue, share)
		style.Color = inkOn(share)
	}
	if cell.Marked {
		words += "*"
	}
	canvas.FillBox(c, fill, box)
	middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	if cell.Misses {
		const rim = 2.2
		corner := vg.Point{X: rim, Y: rim}
		canvas.FillBox(c, canvas.Paper, vg.Rectangle{Min: box.Min.Add(corner), Max: box.Max.Sub(corner)})
		style.Color = canvas.Black
		small := style
		small.Font.Size--
		met := units.Percent(cell.Met)
		if small.Width(met) < box.Max.X-box.Min.X-2*rim {
			c.FillText(small, vg.Point{X: middle.X, Y: middle.Y - 4.2}, met)
			middle.Y += 3.6
		}
	}
	c.StrokeLines(draw.LineStyle{Color: canvas.Paper, Width: 0.8},
		[]vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max})
	if style.Width(words) < box.Max.X-box.Min.X-2 {
		c.FillText(style, middle, words)
	}
}

// inkOn is the colour of a number on a square of a shade, 0 to 1.
func inkOn(share float64) color.Color {
	if share > 0.65 {
		return canvas.Paper
	}
	return canvas.Black
}
