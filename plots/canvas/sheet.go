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
	f := &Figure{Width: 5 * vg.Inch, Height: 3.9 * vg.Inch, Title: title, Keys: keys}
	cols := min(len(panels), 2)
	for i, p := range panels {
		if i%cols == 0 {
			f.Panels = append(f.Panels, make([]*plot.Plot, cols))
		}
		f.Panels[i/cols][i%cols] = p
	}
	if cols > 1 {
		f.Width, f.Height = 8*vg.Inch, vg.Length(len(f.Panels))*3.1*vg.Inch+0.7*vg.Inch
	}
	return f
}

// PanelWidth is how wide each of n panels is, of a sheet.
func PanelWidth(panels int) vg.Length {
	if panels > 1 {
		return 3.4 * vg.Inch
	}
	return 4.2 * vg.Inch
}
