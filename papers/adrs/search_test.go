package adrs

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/cmpimg"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/plots/canvas"
)

var updateSearch = flag.Bool("search-figure", false, "write papers/adrs/search.png")

// searched is a row of search.csv: what the search for a program cost, USD, and what the program scores.
type searched struct {
	problem, system, program string
	low, high                float64
	scored, honest           float64
}

func readSearched(t *testing.T) (rows []searched) {
	t.Helper()
	file, err := os.ReadFile("search.csv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range table[1:] {
		number := func(column int) float64 {
			x, err := strconv.ParseFloat(fields[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		rows = append(rows, searched{problem: fields[0], system: fields[1], program: fields[2],
			low: number(3), high: number(4), scored: number(5), honest: number(6)})
	}
	return rows
}

// search.png shows search.csv, and README's tables have the same scores.
func TestSearchFigure(t *testing.T) {
	rows := readSearched(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, score := range []float64{row.scored, row.honest} {
			text := strconv.FormatFloat(score, 'f', 2, 64)
			if !strings.Contains(string(readme), text) {
				t.Errorf("README.md lacks %s of %s, %s", text, row.system, row.problem)
			}
		}
	}
	got, err := drawSearched(rows).PNG()
	if err != nil {
		t.Fatal(err)
	}
	if *updateSearch {
		if err := os.WriteFile("search.png", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("search.png")
	if err != nil {
		t.Fatal(err)
	}
	if same, err := cmpimg.EqualApprox("png", got, want, 0.1); err != nil || !same {
		t.Errorf("search.png shows something else (%v): go test ./papers/adrs -run SearchFigure -args -search-figure", err)
	}
}

// drawSearched draws scores against the dollars of the search, hollow as scored there and full by the honest bill; where
// only a range of dollars is known, it is a line.
func drawSearched(rows []searched) *canvas.Figure {
	var systems, problems []string
	for _, row := range rows {
		if !slices.Contains(systems, row.system) {
			systems = append(systems, row.system)
		}
		if !slices.Contains(problems, row.problem) {
			problems = append(problems, row.problem)
		}
	}
	styles := canvas.Apart(systems)
	var keys []canvas.Key
	for _, system := range systems {
		style := styles.Of(system)
		keys = append(keys, canvas.Key{Text: system, Glyph: &draw.GlyphStyle{Color: style.Color, Radius: 3.4, Shape: style.Shape}})
	}
	var panels []*plot.Plot
	for _, problem := range problems {
		panel := canvas.NewPanel(problem, "dollars of the search, logarithmic", "score")
		panel.Add(canvas.Grid())
		canvas.SetLogarithmic(&panel.X, 1e-4, 100)
		for _, row := range rows {
			if row.problem != problem {
				continue
			}
			style := styles.Of(row.system)
			for _, score := range []float64{row.scored, row.honest} {
				if row.high > row.low {
					panel.Add(canvas.Horizontal(score, row.low, row.high, draw.LineStyle{Color: style.Color, Width: 1}))
				}
			}
			middle := row.high - (row.high-row.low)/2
			point := draw.GlyphStyle{Color: style.Color, Radius: 3.4, Shape: canvas.Hollow{Shape: style.Shape}}
			panel.Add(&plotter.Scatter{XYs: plotter.XYs{{X: middle, Y: row.scored}}, GlyphStyle: point})
			point.Shape = style.Shape
			panel.Add(&plotter.Scatter{XYs: plotter.XYs{{X: middle, Y: row.honest}}, GlyphStyle: point})
		}
		up := canvas.FitScale(80, 8, canvas.OneTwoFive(1e-1))
		canvas.SetAxis(&panel.Y, 30, 80, up)
		panels = append(panels, panel)
	}
	about := "hollow: as scored there, full: by the honest bill; a line: only a range of dollars is known"
	return canvas.NewSheet([]string{"Score against the cost of the search", about}, keys, panels)
}
