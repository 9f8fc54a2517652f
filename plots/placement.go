package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// maxRows is how many GPUs have a row each, and maxBars how many stretches are drawn one by one.
// Of more, rows are shares of groups of GPUs.
const (
	maxRows = 64
	maxBars = 3000
)

var _ = register(&Drawer{Name: "placement", File: "placement-*", Short: "Which jobs ran on which GPUs",
	Long: `Draws which job ran where in the first run of a policy: up to 64 GPUs each have a row, with the number of
the job; of more GPUs, the share that is held.`,
	Draw: func(set *results.Set) ([]Named, error) {
		return named(jobRuns(set), func(r *results.Run) string { return r.Policy }, Placement)
	}})

// Placement draws who ran where in a run: for up to 64 GPUs and 3,000 stretches a row a GPU, with a bar for
// every stretch that a job held it, in a colour and with the number of the job; for more, rows of
// GPUs, the darker the more of them are held. Instances that jobs share have a row for each task that is there at a time, grey
// while nobody is. ErrNothing if the run kept no instances.
func Placement(r *results.Run) (*canvas.Figure, error) {
	end := 0.0
	for _, x := range r.Instances {
		if !drawable(x.GrantedS) || !drawable(x.EndS) || x.EndS < x.GrantedS {
			return nil, fmt.Errorf("plots: run %d: an instance held from %v to %v s, want numbers up to 1e12", r.Run, x.GrantedS, x.EndS)
		}
		end = max(end, x.EndS/hour)
	}
	if end == 0 {
		return nil, ErrNothing
	}
	rows := gpuRowsOf(r.Instances)
	what := "a row a GPU, a colour a job, numbered as in jobs.parquet; thin lines divide servers"
	p := canvas.NewPanel("", "hours since the start", "")
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, end, canvas.FitScale(end, 10, canvas.OneTwoFive(1e-4))
	f := &canvas.Figure{Width: 7.2 * vg.Inch, Panels: [][]*plot.Plot{{p}}}
	lines := len(rows)
	if lines <= maxRows && len(r.Instances) <= maxBars {
		p.Add(gantt(rows))
		p.Y.Tick.Marker = poolTicks(rows)
	} else {
		h := occupancyOf(rows, end)
		what, lines = fmt.Sprintf("%d GPUs, a row each; the darker, the more of the time they are held", len(rows)), len(h.share)
		if h.each > 1 {
			what = fmt.Sprintf("%d GPUs in rows of %d; the darker, the more of them are held", len(rows), h.each)
		}
		p.Add(h)
		p.Y.Tick.Marker = plot.ConstantTicks(nil)
	}
	p.Y.Min, p.Y.Max = 0, float64(lines)
	f.Height = vg.Length(lines)*8 + 1.3*vg.Inch
	f.Title = []string{"Who ran where: " + canvas.Label(r.Policy, 40),
		canvas.Label(fmt.Sprintf("%s, %s, %s: %s", r.Scenario, r.Objective, r.From(), what), canvas.MaxAbout)}
	return f, nil
}

// gpuRow is one GPU: the stretches in which jobs held it, one after the other.
type gpuRow struct {
	pool string
	held []results.Instance
}

// gpuRowsOf gives every stretch a GPU of its pool that is free: the one that was free for longest, so
// that the same GPUs serve alike. Pools come in the order of their names, numbers by their value.
func gpuRowsOf(instances []results.Instance) (rows []gpuRow) {
	of := map[string][]results.Instance{}
	var pools []string
	for _, x := range instances {
		if of[x.Pool] == nil {
			pools = append(pools, x.Pool)
		}
		of[x.Pool] = append(of[x.Pool], x)
	}
	slices.SortFunc(pools, natural)
	for _, pool := range pools {
		list := of[pool]
		slices.SortStableFunc(list, func(a, b results.Instance) int {
			return cmp.Compare(a.GrantedS, b.GrantedS)
		})
		first := len(rows)
		for _, x := range list {
			at := slices.IndexFunc(rows[first:], func(l gpuRow) bool { return l.held[len(l.held)-1].EndS <= x.GrantedS })
			if at < 0 {
				rows = append(rows, gpuRow{pool: pool})
				at = len(rows) - 1 - first
			}
			rows[first+at].held = append(rows[first+at].held, x)
		}
	}
	return rows
}

// natural compares names whose numbers are compared as such: v100-2 comes before v100-10.
func natural(a, b string) int {
	digits := func(s string) (n int, rest string) {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' && i < 9 {
			i++
		}
		n, _ = strconv.Atoi(s[:i])
		return n, s[i:]
	}
	for a != "" && b != "" {
		x, ra := digits(a)
		y, rb := digits(b)
		switch {
		case len(ra) < len(a) && len(rb) < len(b):
			if x != y {
				return x - y
			}
			a, b = ra, rb
		case a[0] != b[0]:
			return int(a[0]) - int(b[0])
		default:
			a, b = a[1:], b[1:]
		}
	}
	return len(a) - len(b)
}

// gantt draws gpuRows.
type gantt []gpuRow

// Plot implements plot.Plotter.
func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := canvas.TextStyle(5.5)
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	for i, row := range g {
		top, bottom := ty(float64(len(g)-i)-0.08), ty(float64(len(g)-i-1)+0.08)
		for _, x := range row.held {
			left, right := tx(x.GrantedS/hour), tx(x.EndS/hour)
			if x.Job == shared {
				c.FillPolygon(canvas.Tint(canvas.Grey, 0.3), box(left, bottom, right, top))
				continue
			}
			fill := canvas.TypeColor(int(x.Job))
			style.Color = readable(fill)
			c.FillPolygon(fill, box(left, bottom, right, top))
			if name := strconv.FormatInt(x.Job, 10); right-left > style.Width(name)+2 {
				c.FillText(style, vg.Point{X: (left + right) / 2, Y: (top + bottom) / 2}, name)
			}
		}
		if i > 0 && g[i-1].pool != row.pool {
			y := ty(float64(len(g) - i))
			c.StrokeLine2(draw.LineStyle{Color: canvas.Grey, Width: 0.4}, c.Min.X, y, c.Max.X, y)
		}
	}
}

// shared is the job of an instance that several share.
const shared = -1

// readable is black on light colours and white on dark ones.
func readable(on color.RGBA) color.Color {
	if 299*int(on.R)+587*int(on.G)+114*int(on.B) > 140_000 { // luma, ITU-R BT.601
		return color.Black
	}
	return color.White
}

func box(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// occupancy is the share of GPUs that is held, by group of gpuRows and part of the time.
type occupancy struct {
	each  int // gpuRows of a group
	share [][]float64
}

const occupancyColumns = 240

func occupancyOf(rows []gpuRow, end float64) *occupancy {
	h := &occupancy{each: (len(rows) + maxRows - 1) / maxRows}
	for from := 0; from < len(rows); from += h.each {
		group := rows[from:min(from+h.each, len(rows))]
		line := make([]float64, occupancyColumns)
		for _, l := range group {
			for _, x := range l.held {
				addTo(line, x.GrantedS/hour/end*occupancyColumns, x.EndS/hour/end*occupancyColumns, 1/float64(len(group)))
			}
		}
		h.share = append(h.share, line)
	}
	return h
}

// addTo adds an amount to the columns from one place to another, by the part of each that they cover.
func addTo(line []float64, from, to, amount float64) {
	for i := int(from); i < len(line) && float64(i) < to; i++ {
		line[i] += amount * max(min(to, float64(i+1))-max(from, float64(i)), 0)
	}
}

// Plot implements plot.Plotter.
func (h *occupancy) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, line := range h.share {
		top, bottom := ty(float64(len(h.share)-i)), ty(float64(len(h.share)-i-1))
		for from := 0; from < len(line); {
			to, shade := from+1, shadeOf(line[from])
			for to < len(line) && shadeOf(line[to]) == shade {
				to++
			}
			if shade > 0 {
				at := func(k int) vg.Length { return tx(p.X.Max * float64(k) / occupancyColumns) }
				c.FillPolygon(canvas.Tint(canvas.Blue, 0.15+0.85*shade), box(at(from), bottom, at(to), top))
			}
			from = to
		}
	}
}

// shadeOf rounds a share to twentieths; above 0 it is at least one.
func shadeOf(share float64) float64 { return math.Ceil(20*min(share, 1)-1e-9) / 20 }

// poolTicks names the pools next to their gpuRows, as far as there is room.
func poolTicks(rows []gpuRow) plot.ConstantTicks {
	var ticks []plot.Tick
	for from := 0; from < len(rows); {
		to := from
		for to < len(rows) && rows[to].pool == rows[from].pool {
			to++
		}
		ticks = append(ticks, plot.Tick{Value: float64(len(rows)) - float64(from+to)/2, Label: canvas.Label(rows[from].pool, 24)})
		from = to
	}
	return ticks
}
