package plots

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// labelSpace is what a text in a panel should not cover.
type labelSpace struct {
	canvas    draw.Canvas
	taken     []vg.Rectangle // by means and texts
	points    []vg.Point     // of runs and curves
	leads     [][2]vg.Point  // from means to their texts
	objective vg.Length      // where its line stands; left of the canvas where there is none
}

// best is the place for a line of text of some width next to at that covers least: first
// no mean or other text, then few runs and not the objective's line. The line that
// leads to it should cross no other and pass no mean or text.
func (r *labelSpace) best(at vg.Point, width vg.Length) vg.Rectangle {
	var choice vg.Rectangle
	lowest := -1
	for i, box := range places(at, vg.Point{X: width, Y: canvas.TextSize}) {
		cost := i/directions + r.covered(box)
		to := nearest(at, box)
		if distance(at, to) > together {
			cost += r.crossed(at, to)
		}
		if lowest < 0 || cost < lowest {
			choice = box
			lowest = cost
		}
	}
	return choice
}

// covered is the cost of what a text in a box covers, or of leaving the panel.
func (r *labelSpace) covered(box vg.Rectangle) (cost int) {
	panel := r.canvas.Rectangle
	if box.Min.X < panel.Min.X || box.Max.X > panel.Max.X || box.Min.Y < panel.Min.Y || box.Max.Y > panel.Max.Y {
		cost += 1_000_000
	}
	for _, taken := range r.taken {
		if overlap(box, taken) {
			cost += 10_000
		}
	}
	if box.Min.X < r.objective && r.objective < box.Max.X {
		cost += 5
	}
	for _, point := range r.points {
		if overlap(box, around(point, 1)) {
			cost += 2
		}
	}
	return cost
}

// crossed is the cost of a line to a text.
func (r *labelSpace) crossed(from, to vg.Point) (cost int) {
	for _, lead := range r.leads {
		if cross(from, to, lead[0], lead[1]) {
			cost += 100
		}
	}
	for _, taken := range r.taken {
		if overlap(taken, around(from, 1)) {
			continue // where it begins
		}
		upperLeft := vg.Point{X: taken.Min.X, Y: taken.Max.Y}
		lowerRight := vg.Point{X: taken.Max.X, Y: taken.Min.Y}
		if cross(from, to, taken.Min, taken.Max) || cross(from, to, upperLeft, lowerRight) {
			cost += 30
		}
	}
	return cost
}

// together is how far a text may stand from its point without a line to it.
const together = vg.Length(8)

// write writes a text into its box next to a point of some radius, with a line between them unless they stand
// together.
func (r *labelSpace) write(style text.Style, from vg.Point, radius vg.Length, box vg.Rectangle, words string) {
	r.taken = append(r.taken, box)
	to := nearest(from, box)
	if distance(from, to) > together {
		r.leads = append(r.leads, [2]vg.Point{from, to})
		start := from.Add(to.Sub(from).Scale(radius / distance(from, to)))
		r.canvas.StrokeLine2(draw.LineStyle{Color: canvas.Grey, Width: 0.6}, start.X, start.Y, to.X, to.Y)
	}
	r.canvas.FillPolygon(canvas.Veil, canvas.Box(box.Min.X, box.Min.Y, box.Max.X, box.Max.Y))
	r.canvas.FillText(style, vg.Point{X: box.Min.X, Y: box.Min.Y + 1.5}, words)
}

// nearest is the point of a box nearest to another one.
func nearest(from vg.Point, box vg.Rectangle) vg.Point {
	return vg.Point{X: min(max(from.X, box.Min.X), box.Max.X), Y: min(max(from.Y, box.Min.Y), box.Max.Y)}
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)))
}

// cross reports whether the lines from a to b and from c to d meet between their ends.
func cross(a, b, c, d vg.Point) bool {
	leftOf := func(p, q, r vg.Point) bool { return (q.X-p.X)*(r.Y-p.Y) > (q.Y-p.Y)*(r.X-p.X) }
	return leftOf(a, b, c) != leftOf(a, b, d) && leftOf(c, d, a) != leftOf(c, d, b)
}

// directions is how many places there are at one distance from a point.
const directions = 8

// places are where a text may stand: to the right and left of a point, above
// and below it, near first.
func places(at, size vg.Point) []vg.Rectangle {
	var boxes []vg.Rectangle
	ways := [directions]vg.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1},
		{X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}}
	for _, gap := range []vg.Length{7, 16, 28, 44} {
		for _, way := range ways {
			middle := vg.Point{X: at.X + way.X*(gap+size.X/2), Y: at.Y + way.Y*(gap+size.Y/2)}
			corner := vg.Point{X: middle.X - size.X/2, Y: middle.Y - size.Y/2}
			boxes = append(boxes, vg.Rectangle{Min: corner, Max: corner.Add(size)})
		}
	}
	return boxes
}

func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// along are points on a line, every three or fewer of the paper's.
func along(stairs plotter.XYs, place func(plotter.XY) vg.Point) []vg.Point {
	var points []vg.Point
	for i := 1; i < len(stairs); i++ {
		from := place(stairs[i-1])
		to := place(stairs[i])
		parts := 1 + int(distance(from, to)/3)
		for k := range parts {
			share := vg.Length(k) / vg.Length(parts)
			points = append(points, vg.Point{X: from.X + share*(to.X-from.X), Y: from.Y + share*(to.Y-from.Y)})
		}
	}
	return points
}

// policyText names a run's policy, and says when it is no fair competitor.
func policyText(s *results.Summary) string {
	return canvas.Label(s.Policy, 30) + knows(s.Oracle, s.ManyJobs())
}

// maxTitle is the length of a panel's title, in as many lines as it needs.
const maxTitle = 160

// titles makes the titles of panels that stand next to each other, of some width: what
// all of them say is left out and returned, for the figure to say, and the rest is
// broken into lines, so that it is read whole. Two that differ stay different.
func titles[P any](all []P, title func(P) string, width vg.Length) (panels []string, common string) {
	panels, common = withoutCommon(slices.Collect(each(all, title)))
	panels = distinct(panels, maxTitle)
	style := canvas.TextStyle(canvas.TextSize)
	for i, title := range panels {
		panels[i] = strings.Join(canvas.Wrap(title, width, style.Width), "\n")
	}
	return panels, common
}

// withoutCommon leaves out the parts, between commas, that all titles have.
func withoutCommon(all []string) (rest []string, left string) {
	if len(all) < 2 {
		return all, ""
	}
	parts := make([][]string, len(all))
	for i, title := range all {
		parts[i] = strings.Split(title, ", ")
	}
	common := func(part string) bool {
		return !slices.ContainsFunc(parts, func(p []string) bool { return !slices.Contains(p, part) })
	}
	rests := make([]string, len(all))
	for i := range parts {
		own := slices.DeleteFunc(slices.Clone(parts[i]), common)
		if len(own) == 0 {
			return all, ""
		}
		rests[i] = strings.Join(own, ", ")
	}
	shared := slices.DeleteFunc(slices.Clone(parts[0]), func(part string) bool { return !common(part) })
	return rests, strings.Join(shared, ", ")
}

// alsoSays adds to what a figure says of itself what its panels have in common.
func alsoSays(about, common string) string {
	if common == "" {
		return canvas.Label(about, canvas.MaxAbout)
	}
	return canvas.Label(about+"; "+common, canvas.MaxAbout)
}

// distinct makes labels of at most limit characters of texts from outside. Those
// that are longer are cut in their middle; those that would be the same and are not
// are numbered.
func distinct(all []string, limit int) []string {
	labels := make([]string, len(all))
	first := map[string]string{}
	for i, text := range all {
		whole := canvas.Label(text, 1<<20)
		cut := cutMiddle(whole, limit)
		for n := 2; ; n++ {
			other, taken := first[cut]
			if !taken || other == text {
				break
			}
			number := fmt.Sprintf(" (%d)", n)
			cut = cutMiddle(whole, limit-len(number)) + number
		}
		first[cut] = text
		labels[i] = cut
	}
	return labels
}

// firsts are values, each once, in the order in which they come first.
func firsts[T comparable](values iter.Seq[T]) (out []T) {
	for value := range values {
		if !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	return out
}

// each yields what rows have, one after the other.
func each[R, T any](rows []R, of func(R) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, row := range rows {
			if !yield(of(row)) {
				return
			}
		}
	}
}

// limited returns the panels that a figure has room for, and adds to what it says of itself if these are not all.
func limited[T any](panels []T, about, what string) ([]T, string) {
	if len(panels) <= canvas.MaxPanels {
		return panels, about
	}
	return panels[:canvas.MaxPanels],
		about + fmt.Sprintf("; the first %d of %d %s", canvas.MaxPanels, len(panels), what)
}

// cutMiddle cuts what is too much out of the middle of a text.
func cutMiddle(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	head := limit / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
}

// Markets names the market of runs, or says that there are several, and if one of
// them was not recorded.
func Markets(names iter.Seq[string]) string {
	all := firsts(names)
	switch {
	case len(all) == 1:
		return market(all[0])
	case slices.ContainsFunc(all, synthetic):
		return "several markets, some SYNTHETIC"
	}
	return "several markets"
}

// market names the market and says so when it was not recorded.
func market(name string) string {
	if strings.EqualFold(name, "synthetic") {
		return "SYNTHETIC market"
	}
	if synthetic(name) {
		return "SYNTHETIC market " + canvas.Label(name, 60)
	}
	return "market " + canvas.Label(name, 60)
}

func synthetic(market string) bool { return strings.Contains(strings.ToLower(market), "synthetic") }
