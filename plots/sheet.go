package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// mostPanels is how many panels are drawn; of more the first are, and the figure
// says so.
const mostPanels = 24

// mostAbout is the length of what a figure says of itself, in as many lines as it
// needs.
const mostAbout = 400

// sheet is a figure of one panel, or of several, two side by side.
func sheet(title []string, keys []key, panels []*plot.Plot) *Figure {
	f := &Figure{width: 5 * vg.Inch, height: 3.9 * vg.Inch, title: title, keys: keys}
	cols := min(len(panels), 2)
	for i, p := range panels {
		if i%cols == 0 {
			f.panels = append(f.panels, make([]*plot.Plot, cols))
		}
		f.panels[i/cols][i%cols] = p
	}
	if cols > 1 {
		f.width, f.height = 8*vg.Inch, vg.Length(len(f.panels))*3.1*vg.Inch+0.7*vg.Inch
	}
	return f
}

// panelWidth is how wide each of so many panels is, of a sheet.
func panelWidth(panels int) vg.Length {
	if panels > 1 {
		return 3.4 * vg.Inch
	}
	return 4.2 * vg.Inch
}
