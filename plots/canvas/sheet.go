package canvas

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// MaxPanels is how many panels are drawn; of more the first are, and the figure
// says so.
const MaxPanels = 24

// MaxAbout is the length of what a figure says of itself, in as many lines as it
// needs.
const MaxAbout = 400

// NewSheet is a figure of one panel, or of several, two side by side.
func NewSheet(title []string, keys []Key, panels []*plot.Plot) *Figure {
	figure := &Figure{Width: 5 * vg.Inch, Height: 3.9 * vg.Inch, Title: title, Keys: keys}
	cols := min(len(panels), 2)
	for i, panel := range panels {
		if i%cols == 0 {
			figure.Panels = append(figure.Panels, make([]*plot.Plot, cols))
		}
		figure.Panels[i/cols][i%cols] = panel
	}
	if cols > 1 {
		figure.Width = 8 * vg.Inch
		figure.Height = vg.Length(len(figure.Panels))*3.1*vg.Inch + 0.7*vg.Inch
	}
	return figure
}

// PanelWidth is how wide each of n panels is, of a sheet.
func PanelWidth(panels int) vg.Length {
	if panels > 1 {
		return 3.4 * vg.Inch
	}
	return 4.2 * vg.Inch
}
