package plots

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/marigram/marigram/plots/canvas"
)

// goldenFigure compares a figure with testdata/<name>.png, or writes that. Pixels may differ by a tenth of the
// range of colours: fonts are drawn a little otherwise on other processors.
func goldenFigure(t *testing.T, name string, f *canvas.Figure, update bool) {
	t.Helper()
	got, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	checkFonts(t, name, f)
	path := filepath.Join("testdata", name+".png")
	want, err := os.ReadFile(path)
	if update && !drawnAs(got, want) {
		want = got
		err = os.WriteFile(path, got, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if same, err := cmpimg.EqualApprox("png", got, want, 0.1); err != nil || !same {
		out := filepath.Join(os.TempDir(), "marigram-"+name+".png")
		_ = os.WriteFile(out, got, 0o644)
		t.Errorf("the figure differs from %s (%v): look at %s, and write it again with -update if it is right", path, err, out)
	}
}

// drawnAs reports whether an image has the pixels of another. Compressors differ: an update of it would only change bytes
// that nobody sees.
func drawnAs(got, want []byte) bool {
	same, err := cmpimg.Equal("png", got, want)
	return err == nil && same
}

// checkFonts looks for a font other than the one face, upright, of all figures.
func checkFonts(t *testing.T, name string, f *canvas.Figure) {
	t.Helper()
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`font-family:'?([^',;]*).*?font-style:(\w*)`).FindAllSubmatch(svg, -1)
	for _, font := range all {
		if string(font[1]) != "Liberation Sans" || string(font[2]) != "normal" {
			t.Errorf("%s is drawn with %s, %s, expected Liberation Sans, normal", name, font[1], font[2])
			return
		}
	}
	if len(all) == 0 {
		t.Errorf("%s: no font in its SVG", name)
	}
}
