package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Place is one row and column of a correlation map.
type Place struct{ Name, Region string }

// Correlations are correlations of pairs of places, -1 to 1; not-a-number where
// there is none. Only the part below the diagonal is read.
type Correlations struct {
	Name   string // of the trace
	What   string // what is correlated
	Places []Place
	R      [][]float64 // R[i][j] of places i > j
}

// MaxPlaces is how many places a map has room for.
const MaxPlaces = 40

// CorrelationMap draws the correlations of pairs of places as coloured squares,
// the places of one region side by side and framed, with the numbers where there
// is room for them. More than 40 places are an error.
func CorrelationMap(m *Correlations) (*canvas.Figure, error) {
	n := len(m.Places)
	if n < 2 || n > MaxPlaces {
		return nil, fmt.Errorf("plots: correlations of %d places, want 2 to %d", n, MaxPlaces)
	}
	for i := range n {
		if len(m.R) != n || len(m.R[i]) < i {
			return nil, fmt.Errorf("plots: correlations are not given for all pairs of %d places", n)
		}
		for j, r := range m.R[i][:i] {
			if r < -1-1e-9 || r > 1+1e-9 {
				return nil, fmt.Errorf("plots: correlation %v of %s and %s, want -1 to 1", r, canvas.Label(m.Places[i].Name, 60), canvas.Label(m.Places[j].Name, 60))
			}
		}
	}
	side := vg.Length(min(max(0.42*float64(n), 2.6), 6.4)) * vg.Inch
	return &canvas.Figure{
		Width: side + 1.9*vg.Inch, Height: side + 1.6*vg.Inch,
		Title:  []string{canvas.Label(m.Name, 44) + ": correlations", canvas.Label(m.What, 70)},
		Panels: [][]*plot.Plot{{m.panel()}},
	}, nil
}

// order puts the places of a region side by side.
func (m *Correlations) order() []int {
	at := make([]int, len(m.Places))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		x, y := m.Places[a], m.Places[b]
		return cmp.Or(cmp.Compare(x.Region, y.Region), cmp.Compare(x.Name, y.Name))
	})
	return at
}

func (m *Correlations) panel() *plot.Plot {
	p := canvas.NewPanel("", "", "")
	n := float64(len(m.Places))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, n, 0, n
	at := m.order()
	p.X.Tick.Marker, p.Y.Tick.Marker = m.names(at, false), m.names(at, true)
	p.Y.Tick.LineStyle.Color = canvas.Paper
	canvas.Slant(&p.X)
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0
	p.Add(squares{m, at}, colourBar{})
	return p
}

// names are the ticks in the middle of the squares; rows count from the top.
func (m *Correlations) names(at []int, rows bool) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for k, i := range at {
		v := float64(k) + 0.5
		if rows {
			v = float64(len(at)) - v
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: canvas.Label(m.Places[i].Name, 24)})
	}
	return ticks
}

// r is the correlation of two places, whichever is first.
func (m *Correlations) r(a, b int) float64 {
	return m.R[max(a, b)][min(a, b)]
}

// diverging goes from vermillion at -1 over white to blue at 1.
func diverging(r float64) canvas.Paint {
	if r < 0 {
		return canvas.Tint(canvas.Vermillion, min(1, -r))
	}
	return canvas.Tint(canvas.Blue, min(1, r))
}

type squares struct {
	m  *Correlations
	at []int
}

// Plot implements plot.Plotter.
func (s squares) Plot(c draw.Canvas, p *plot.Plot) {
	n := len(s.at)
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	for row := range n {
		for col := range row + 1 {
			cell := cellOf(c, p, n, row, col)
			if row == col {
				canvas.FillBox(c, canvas.PaleGrey, cell)
				continue
			}
			r := s.m.r(s.at[row], s.at[col])
			words := "n/a"
			style.Color = canvas.Grey
			if !math.IsNaN(r) {
				canvas.FillBox(c, diverging(r), cell)
				words, style.Color = signed(r), inkOn(r)
			}
			if cell.Max.X-cell.Min.X > 20 {
				c.FillText(style, vg.Point{X: (cell.Min.X + cell.Max.X) / 2, Y: (cell.Min.Y + cell.Max.Y) / 2}, words)
			}
		}
	}
	s.frames(c, p)
}

// inkOn is the colour of a number on its own square.
func inkOn(r float64) color.Color {
	if math.Abs(r) > 0.65 {
		return canvas.Paper
	}
	return canvas.Black
}

// signed writes two decimals, never -0.
func signed(r float64) string {
	return fmt.Sprintf("%.2f", math.Round(r*100)/100+0)
}

// frames draws a line around the pairs of each region.
func (s squares) frames(c draw.Canvas, p *plot.Plot) {
	n := len(s.at)
	region := func(k int) string { return s.m.Places[s.at[k]].Region }
	for from, to := 0, 0; from < n; from = to {
		for to = from + 1; to < n && region(to) == region(from); to++ {
		}
		if region(from) == "" || to-from < 2 {
			continue
		}
		c.StrokeLines(draw.LineStyle{Color: canvas.Black, Width: 0.9}, stairsAround(c, p, n, from, to))
	}
}

// stairsAround is the outline of the squares of places from to to, on and below
// the diagonal.
func stairsAround(c draw.Canvas, p *plot.Plot, n, from, to int) []vg.Point {
	corner := cellOf(c, p, n, to-1, from)
	outline := []vg.Point{corner.Min}
	for k := from; k < to; k++ {
		cell := cellOf(c, p, n, k, k)
		outline = append(outline, vg.Point{X: cell.Min.X, Y: cell.Max.Y}, cell.Max)
	}
	last := cellOf(c, p, n, to-1, to-1)
	return append(outline, vg.Point{X: last.Max.X, Y: last.Min.Y}, corner.Min)
}

func cellOf(c draw.Canvas, p *plot.Plot, n, row, col int) vg.Rectangle {
	at := func(x, y float64) vg.Point { return vg.Point{X: c.X(p.X.Norm(x)), Y: c.Y(p.Y.Norm(y))} }
	return vg.Rectangle{Min: at(float64(col), float64(n-row-1)), Max: at(float64(col+1), float64(n-row))}
}

// colourBar says what the colours mean, in the empty upper right.
type colourBar struct{}

// Plot implements plot.Plotter.
func (colourBar) Plot(c draw.Canvas, _ *plot.Plot) {
	const steps, width = 40, vg.Length(8)
	height := min(c.Max.Y-c.Min.Y, 150) / 2.2
	x, y := c.Max.X-30, c.Max.Y-height-4
	for k := range steps {
		low := y + height*vg.Length(k)/steps
		canvas.FillBox(c, diverging(2*(float64(k)+0.5)/steps-1), vg.Rectangle{Min: vg.Point{X: x, Y: low}, Max: vg.Point{X: x + width, Y: low + height/steps + 0.3}})
	}
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.YAlign = text.YCenter
	for _, v := range []float64{-1, -0.5, 0, 0.5, 1} {
		c.FillText(style, vg.Point{X: x + width + 3, Y: y + height*vg.Length(v+1)/2}, canvas.Number(v))
	}
}
