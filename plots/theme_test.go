package plots

import (
	"regexp"
	"strings"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

// The figures of a page have no colour of their own: all are the theme's, those of
// translucent points included, and text that looks as a colour stays.
func TestTheme(t *testing.T) {
	theme := &canvas.Theme{}
	figures := []*canvas.Figure{costFigure(t), cdfFigure(t), activityFigure(t), pairedFigure(t), heatFigure(t), timelineFigure(t)}
	named := cdfFigure(t)
	named.Title[0] = "fill:#FFFFFF and #123456"
	for _, f := range append(figures, named) {
		svg, err := f.Inline(theme)
		if err != nil {
			t.Fatal(err)
		}
		if own := regexp.MustCompile(`style="[^"]*#`).Find(svg); own != nil {
			t.Errorf("a colour that no theme changes: %s", own)
		}
		if !strings.HasPrefix(string(svg), "<svg") {
			t.Errorf("begins with %.20q", svg)
		}
	}
	css := theme.CSS()
	for _, want := range []string{":#ffffff;", ":#16181b;", ":#0072b2;", ":#3e92de;"} {
		if strings.Count(css, want) == 0 {
			t.Errorf("the style sheet has no %s:\n%s", want, css)
		}
	}
	if n := strings.Count(css, "--f"); n > 300 || n%2 != 0 {
		t.Errorf("%d colours in two schemes", n)
	}
	swatch := canvas.StyleOf("greedy").Swatch(theme, "dot")
	if strings.Contains(swatch, "#") || !strings.Contains(swatch, "stroke-dasharray=\"6 2 1.2 2 1.2 2\"") {
		t.Error(swatch)
	}
}
