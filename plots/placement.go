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
// GPUs, the darker the more of them are held. ErrNothing if the run kept no instances.
func Placement(r *results.Run) (*canvas.Figure, error) {
	end := 0.0
	for _, x := range r.Instances {
		if !drawable(x.GrantedS) || !drawable(x.EndS) || x.EndS < x.GrantedS {
			return nil, fmt.Errorf("plots: run %d: an instance held from %v to %v s, want numbers up to 1e12",
				r.Run, x.GrantedS, x.EndS)
		}
		end = max(end, x.EndS/hour)
	}
	if end == 0 {
		return nil, ErrNothing
	}
	rows := gpuRowsOf(r.Instances)
	what := "a row a GPU, a colour a job, numbered as in jobs.parquet; thin lines divide servers"
	panel := canvas.NewPanel("", "hours since the start", "")
	canvas.SetAxis(&panel.X, 0, end, canvas.FitScale(end, 10, canvas.OneTwoFive(1e-4)))
	lines := len(rows)
	var pools plot.ConstantTicks
	if lines <= maxRows && len(r.Instances) <= maxBars {
		panel.Add(gantt(rows))
		pools = poolTicks(rows)
	} else {
		held := occupancyOf(rows, end)
		lines = len(held.share)
		what = fmt.Sprintf("%d GPUs, a row each; the darker, the more of the time they are held", len(rows))
		if held.each > 1 {
			what = fmt.Sprintf("%d GPUs in rows of %d; the darker, the more of them are held", len(rows), held.each)
		}
		panel.Add(held)
	}
	canvas.SetAxis(&panel.Y, 0, float64(lines), pools)
	about := fmt.Sprintf("%s, %s, %s: %s", r.Scenario, r.Objective, r.From(), what)
	return &canvas.Figure{
		Width:  7.2 * vg.Inch,
		Height: vg.Length(lines)*8 + 1.3*vg.Inch,
		Title:  []string{"Who ran where: " + canvas.Label(r.Policy, 40), canvas.Label(about, canvas.MaxAbout)},
		Panels: [][]*plot.Plot{{panel}},
	}, nil
}

// gpuRow is one GPU: the stretches in which jobs held it, one after the other.
type gpuRow struct {
	pool string
	held []results.Instance
}

// end is when the GPU was last held, in seconds.
func (r *gpuRow) end() float64 { return r.held[len(r.held)-1].EndS }

// gpuRowsOf gives every stretch the first GPU of its pool that is free.
// Pools come in the order of their names, numbers by their value.
func gpuRowsOf(instances []results.Instance) (rows []gpuRow) {
	byPool := map[string][]results.Instance{}
	var pools []string
	for _, instance := range instances {
		if byPool[instance.Pool] == nil {
			pools = append(pools, instance.Pool)
		}
		byPool[instance.Pool] = append(byPool[instance.Pool], instance)
	}
	slices.SortFunc(pools, natural)
	for _, pool := range pools {
		list := byPool[pool]
		slices.SortStableFunc(list, func(a, b results.Instance) int {
			return cmp.Compare(a.GrantedS, b.GrantedS)
		})
		first := len(rows)
		for _, instance := range list {
			at := first
			for at < len(rows) && rows[at].end() > instance.GrantedS {
				at++
			}
			if at == len(rows) {
				rows = append(rows, gpuRow{pool: pool})
			}
			rows[at].held = append(rows[at].held, instance)
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
		numberA, restA := digits(a)
		numberB, restB := digits(b)
		if len(restA) < len(a) && len(restB) < len(b) {
			if numberA != numberB {
				return numberA - numberB
			}
			a = restA
			b = restB
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a = a[1:]
		b = b[1:]
	}
	return len(a) - len(b)
}

// gantt draws gpuRows.
type gantt []gpuRow

// Plot implements plot.Plotter.
func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	across, up := p.Transforms(&c)
	style := canvas.TextStyle(5.5)
	style.XAlign = text.XCenter
	style.YAlign = text.YCenter
	for i, row := range g {
		place := float64(len(g) - i)
		top := up(place - 0.08)
		bottom := up(place - 1 + 0.08)
		for _, held := range row.held {
			left := across(held.GrantedS / hour)
			right := across(held.EndS / hour)
			fill := canvas.TypeColor(int(held.Job))
			style.Color = readable(fill)
			c.FillPolygon(fill, canvas.Box(left, bottom, right, top))
			name := strconv.FormatInt(held.Job, 10)
			if right-left > style.Width(name)+2 {
				c.FillText(style, vg.Point{X: (left + right) / 2, Y: (top + bottom) / 2}, name)
			}
		}
		if i > 0 && g[i-1].pool != row.pool {
			y := up(place)
			c.StrokeLine2(draw.LineStyle{Color: canvas.Grey, Width: 0.4}, c.Min.X, y, c.Max.X, y)
		}
	}
}

// readable is black on light colours and white on dark ones.
func readable(on color.RGBA) color.Color {
	if 299*int(on.R)+587*int(on.G)+114*int(on.B) > 140_000 { // luma, ITU-R BT.601
		return color.Black
	}
	return color.White
}

// occupancy is the share of GPUs that is held, by group of gpuRows and part of the time.
type occupancy struct {
	each  int // gpuRows of a group
	share [][]float64
}

const occupancyColumns = 240

func occupancyOf(rows []gpuRow, end float64) *occupancy {
	shares := &occupancy{each: (len(rows) + maxRows - 1) / maxRows}
	for from := 0; from < len(rows); from += shares.each {
		group := rows[from:min(from+shares.each, len(rows))]
		line := make([]float64, occupancyColumns)
		for _, row := range group {
			for _, held := range row.held {
				left := held.GrantedS / hour / end * occupancyColumns
				right := held.EndS / hour / end * occupancyColumns
				addTo(line, left, right, 1/float64(len(group)))
			}
		}
		shares.share = append(shares.share, line)
	}
	return shares
}

// addTo adds an amount to the columns from one place to another, by the part of each that they cover.
func addTo(line []float64, from, to, amount float64) {
	for i := int(from); i < len(line) && float64(i) < to; i++ {
		line[i] += amount * max(min(to, float64(i+1))-max(from, float64(i)), 0)
	}
}

// Plot implements plot.Plotter.
func (h *occupancy) Plot(c draw.Canvas, p *plot.Plot) {
	across, up := p.Transforms(&c)
	edge := func(column int) vg.Length { return across(p.X.Max * float64(column) / occupancyColumns) }
	for i, line := range h.share {
		top := up(float64(len(h.share) - i))
		bottom := up(float64(len(h.share) - i - 1))
		for from := 0; from < len(line); {
			shade := shadeOf(line[from])
			to := from + 1
			for to < len(line) && shadeOf(line[to]) == shade {
				to++
			}
			if shade > 0 {
				c.FillPolygon(canvas.Tint(canvas.Blue, 0.15+0.85*shade), canvas.Box(edge(from), bottom, edge(to), top))
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
		ticks = append(ticks, plot.Tick{Value: float64(len(rows)) - float64(from+to)/2,
			Label: canvas.Label(rows[from].pool, 24)})
		from = to
	}
	return ticks
}
