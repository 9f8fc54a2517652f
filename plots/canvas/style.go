package canvas

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is how a policy is drawn: its colour, the dashes of its lines and the shape
// of its points. Two policies of one colour differ in the other two.
type Style struct {
	Color       color.RGBA
	DashLengths []vg.Length      // dashes and gaps in turn; none for a solid line
	Shape       draw.GlyphDrawer // of its points
}

// Line is the style of the policy's lines.
func (l Style) Line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: 1.3, Dashes: l.DashLengths}
}

// patterns are the dashes and shapes that tell policies of one colour apart, and all
// of them where there is no colour. Numbers 8 and 9 are for policies that styles does
// not have.
var patterns = []Style{
	{Shape: draw.CircleGlyph{}},
	{DashLengths: []vg.Length{5, 2}, Shape: Polygon{Sides: 4, Turn: 45}},
	{DashLengths: []vg.Length{1.2, 2}, Shape: Polygon{Sides: 3, Turn: 90}},
	{DashLengths: []vg.Length{6, 2, 1.2, 2}, Shape: Polygon{Sides: 4}},
	{DashLengths: []vg.Length{6, 2, 1.2, 2, 1.2, 2}, Shape: Polygon{Sides: 3, Turn: 270}},
	{DashLengths: []vg.Length{12, 2.5}, Shape: Polygon{Sides: 5, Turn: 90, inner: 0.45}},
	{DashLengths: []vg.Length{12, 2.5, 3, 2.5}, Shape: Polygon{Sides: 4, inner: 0.35}},
	{DashLengths: []vg.Length{1.2, 4}, Shape: Polygon{Sides: 3, Turn: 90, inner: 0.35}},
	{DashLengths: []vg.Length{3, 3}, Shape: Polygon{Sides: 3, Turn: 180}},
	{DashLengths: []vg.Length{12, 2, 1.2, 2, 1.2, 2, 1.2, 2}, Shape: Polygon{Sides: 6, inner: 0.45}},
	{DashLengths: []vg.Length{8, 2, 8, 6}, Shape: Polygon{Sides: 6}},
	{DashLengths: []vg.Length{2, 2, 10, 2}, Shape: Polygon{Sides: 5, Turn: 90}},
	{DashLengths: []vg.Length{4, 1.5, 4, 5}, Shape: Polygon{Sides: 5, Turn: 270, inner: 0.45}},
}

// policyColors are those of policies, without yellow, which is lost on paper.
var policyColors = []color.RGBA{Blue, Orange, Green, Purple, Vermillion, SkyBlue, Black}

// styles are the colours and patterns of the policies that marigram ships, so chosen
// that up to seven that are compared, of one kind of model, differ in colour, dashes
// and shape (TestStyles names these groups). A new policy takes a free pair; none of the
// others changes.
var styles = map[string]look{
	"ondemand": {Black, 0}, "reactive": {Orange, 1}, "spotdnn": {Blue, 5},
	"srifty+": {Green, 3}, "cmdare": {Purple, 4}, "cmdare+": {SkyBlue, 6}, "fixed": {Vermillion, 7},

	"varuna": {Green, 1}, "checkpoint": {Blue, 2}, "checkfreq": {Orange, 3},
	"greedy": {Vermillion, 4}, "uniform-progress": {Purple, 5}, "time-sliced": {SkyBlue, 7},
	"bamboo": {Purple, 7}, "oobleck": {SkyBlue, 4}, "parcae": {Vermillion, 5},

	"spotdnn-safe": {Vermillion, 0}, "mdp": {Green, 8}, "mixed": {Green, 6},
	"dynamic-pricing": {SkyBlue, 2}, "sailor": {Purple, 8},
	"wait-or-buy": {Orange, 8},

	"fifo": {Black, 1}, "first-fit": {SkyBlue, 5}, "srtf": {Green, 2}, "srsf": {Orange, 4}, "tiresias": {Blue, 6},
	"las": {Purple, 0}, "starburst": {Vermillion, 3}, "smallest-first": {Black, 2},
	"gavel": {Blue, 0}, "gavel-agnostic": {SkyBlue, 1}, "gavel-ftf": {Green, 5}, "gavel-makespan": {Orange, 2},
	"gavel-throughput": {Purple, 3}, "gavel-cost": {Vermillion, 6}, "gavel-cost-slo": {Vermillion, 1},
	"gavel-fifo": {Black, 3}, "isolated": {Black, 7}, "allox": {Orange, 7},
	"dally": {Green, 0}, "hadar-like": {Orange, 5}, "tiresias-gittins": {SkyBlue, 3},
	"deadline-spot": {Blue, 10}, "deadline-greedy": {Orange, 11}, "deadline-ondemand": {Black, 12},
	"deadline-edf": {Green, 9}, "kueue": {SkyBlue, 12},
	"optimus": {Purple, 9}, "elastic-fair": {Green, 11}, "srtf-elastic": {Orange, 10}, "ray-fifo": {Vermillion, 8},
	"pollux-like": {Blue, 8}, "tiresias-ticks": {Black, 5},
	"skypilot": {Black, 10}, "ray-elastic": {Vermillion, 12}, "dstack": {Blue, 11}, "karpenter": {Green, 12},
	"asg": {Orange, 12}, "sagemaker-spot": {Purple, 11},
	"clairvoyant": {Black, 6}, "skynomad": {Orange, 0},
	"uniform-progress-s": {Green, 10}, "uniform-progress-a": {Blue, 4}, "uniform-progress-ap": {Purple, 1},
	"notebook-batch": {SkyBlue, 0}, "notebook-ondemand": {Green, 4}, "notebook-pool": {Green, 7},
	"notebook-reserved": {Blue, 7},

	"throughput-optimal": {Blue, 3}, "parcae-reactive": {Orange, 6}, "ideal-no-overhead": {Black, 4},
	"parcae-ideal": {Vermillion, 2}, "parcae-robust": {Purple, 2},
}

// look is the colour and the number of the pattern of a policy.
type look struct {
	color   color.RGBA
	pattern int
}

// lookOf is the look of a policy that is drawn alone.
func lookOf(policy string) look {
	own, shipped := styles[policy]
	if !shipped {
		hash := fnv.New32a()
		hash.Write([]byte(policy))
		number := int(hash.Sum32() >> 1)
		own.color = policyColors[number%len(policyColors)]
		own.pattern = 8 + number/len(policyColors)%2
	}
	return own
}

func (l look) style() Style {
	style := patterns[l.pattern]
	style.Color = l.color
	return style
}

// StyleOf is how a policy is drawn, in every figure and whatever else is drawn in
// it. A policy that marigram does not ship is given its style by its name; two of
// those may have the same one. Styles tells them apart.
func StyleOf(policy string) Style {
	return lookOf(policy).style()
}

// Styles are the styles of policies that are drawn together. Those of up to eight policies differ in colour, and
// in dashes and points.
type Styles map[string]Style

// Apart returns the styles of policies that are drawn together, in whatever order. A policy keeps its own colour and
// pattern (StyleOf) unless another one has it: the plainer pattern comes first, and what marigram ships before others.
func Apart(policies []string) Styles {
	var names, others []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(policies))) {
		if _, shipped := styles[name]; shipped {
			names = append(names, name)
		} else {
			others = append(others, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(styles[a].pattern, styles[b].pattern) })
	names = append(names, others...)
	var colors []color.RGBA
	var numbers []int
	for _, name := range names {
		own := lookOf(name)
		colors = append(colors, own.color)
		numbers = append(numbers, own.pattern)
	}
	all := make([]int, len(patterns))
	for i := range all {
		all[i] = i
	}
	differ(colors, append(slices.Clone(policyColors), olive))
	differ(numbers, all)
	out := Styles{}
	for i, name := range names {
		out[name] = look{colors[i], numbers[i]}.style()
	}
	return out
}

// differ replaces traits that an earlier one has by those of all that none has, as long as there are any.
func differ[T comparable](traits, all []T) {
	free := slices.DeleteFunc(slices.Clone(all), func(one T) bool { return slices.Contains(traits, one) })
	for i, trait := range traits {
		if slices.Contains(traits[:i], trait) && len(free) > 0 {
			traits[i] = free[0]
			free = free[1:]
		}
	}
}

// Of is the style of a policy; its own (StyleOf) if it is not among those that are drawn together.
func (s Styles) Of(policy string) Style {
	if style, drawn := s[policy]; drawn {
		return style
	}
	return StyleOf(policy)
}

// Polygon is a regular one of some sides, the first corner turned n degrees
// from the right; a star with that many points where inner is the radius of the
// corners between them, as a share of the others'.
type Polygon struct {
	Sides, Turn int
	inner       float64
}

// DrawGlyph implements draw.GlyphDrawer.
func (g Polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.FillPolygon(style.Color, g.corners(at, style.Radius))
}

func (g Polygon) corners(at vg.Point, radius vg.Length) []vg.Point {
	radii := []float64{1.25}
	if g.inner > 0 {
		radii = []float64{1.45, 1.45 * g.inner}
	}
	count := g.Sides * len(radii)
	var corners []vg.Point
	for k := range count {
		sin, cos := math.Sincos(math.Pi * (float64(g.Turn)/180 + 2*float64(k)/float64(count)))
		far := radius * vg.Length(radii[k%len(radii)])
		corners = append(corners, vg.Point{X: at.X + far*vg.Length(cos), Y: at.Y + far*vg.Length(sin)})
	}
	return corners
}

// Dashes are the lengths of the dashes of the style's lines and of the gaps between
// them, in points; none for a solid line.
func (l Style) Dashes() []float64 {
	lengths := []float64{}
	for _, length := range l.DashLengths {
		lengths = append(lengths, length.Points())
	}
	return lengths
}

// Outline are the corners of the style's point for a radius of 1, y upwards; none for
// a circle.
func (l Style) Outline() [][2]float64 {
	corners := [][2]float64{}
	if polygon, ok := l.Shape.(Polygon); ok {
		for _, corner := range polygon.corners(vg.Point{}, 1) {
			corners = append(corners, [2]float64{round3(corner.X.Points()), round3(corner.Y.Points())})
		}
	}
	return corners
}

func round3(x float64) float64 { return math.Round(1000*x)/1000 + 0 }

// Swatch is the style's line and point as an SVG element of the class, for tables
// next to the figures of the theme.
func (l Style) Swatch(t *Theme, class string) string {
	shape := `<circle r="4"/>`
	if corners := l.Outline(); len(corners) > 0 {
		var at []string
		for _, corner := range corners {
			at = append(at, fmt.Sprintf("%.2f,%.2f", 4*corner[0], -4*corner[1]+0)) // y runs down in SVG
		}
		shape = `<polygon points="` + strings.Join(at, " ") + `"/>`
	}
	dashes := strings.Trim(fmt.Sprint(l.Dashes()), "[]")
	return fmt.Sprintf(`<svg class="%s" viewBox="-15 -6 30 12" style="fill:%[2]s;stroke:%[2]s" aria-hidden="true">`+
		`<path d="M-15 0H15" stroke-width="2" stroke-dasharray="%s"/>%s</svg>`,
		class, t.Var(l.Color), dashes, strings.Replace(shape, "/>", ` stroke="none"/>`, 1))
}
