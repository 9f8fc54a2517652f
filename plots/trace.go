package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Trace is what was observed of some pools over a time.
type Trace struct {
	Name  string    // of the trace
	About string    // one line: what was observed, where it is from
	Start time.Time // instant of hour 0; zero: the clock is relative
	Clock string    // what the clock shows, UTC for instance
	Hours float64   // length of the observation
	Pools []Pool
}

// Pool is one kind of machine in one place.
type Pool struct {
	Name     string  // unique
	Region   string  // pools of one region have one colour; empty: not known
	Type     string  // instance type: prices are compared within it
	Cap      float64 // machines asked for; 0: not known
	OnDemand float64 // USD/h; 0: not known
	Count    []Piece // machines
	Price    []Piece // USD/h
}

// Piece is a stretch of time with a known, constant value. What lies between
// pieces is not known.
type Piece struct{ FromH, ToH, Value float64 }

// maxPieces is the largest number of pieces drawn of a series; of more, means
// over equal stretches are drawn.
const maxPieces = 5000

// maxHours is the longest observation, 250 years: what a time.Duration holds.
const maxHours = 250 * 8766.0

// check refuses what cannot be drawn.
func (h *Trace) check() error {
	if !(h.Hours > 0 && h.Hours <= maxHours) {
		return fmt.Errorf("plots: %s: %v hours, want more than 0 to %g", canvas.Label(h.Name, 60), h.Hours, maxHours)
	}
	for i := range h.Pools {
		p := &h.Pools[i]
		for _, series := range [][]Piece{p.Count, p.Price} {
			if err := checkPieces(series, h.Hours); err != nil {
				return fmt.Errorf("plots: pool %s: %w", canvas.Label(p.Name, 60), err)
			}
		}
		if !drawable(p.Cap) || !drawable(p.OnDemand) {
			return fmt.Errorf("plots: pool %s: cap %v, on demand %v, want 0 to %g", canvas.Label(p.Name, 60), p.Cap, p.OnDemand, maxNumber)
		}
	}
	return nil
}

func checkPieces(pieces []Piece, hours float64) error {
	last := 0.0
	for i, p := range pieces {
		if !drawable(p.Value) {
			return fmt.Errorf("piece %d: value %v, want 0 to %g", i, p.Value, maxNumber)
		}
		if !(p.FromH >= last && p.ToH > p.FromH && p.ToH <= hours*(1+1e-9)) {
			return fmt.Errorf("piece %d: from %v h to %v h, want ascending pieces from 0 to %v h", i, p.FromH, p.ToH, hours)
		}
		last = p.ToH
	}
	return nil
}

// with returns the pools that have a series.
func (h *Trace) with(series func(*Pool) []Piece) []*Pool {
	var pools []*Pool
	for i := range h.Pools {
		if len(series(&h.Pools[i])) > 0 {
			pools = append(pools, &h.Pools[i])
		}
	}
	return pools
}

// ErrNothing means that a trace has nothing of the kind that a figure draws.
var ErrNothing = errors.New("plots: the trace has no data for this figure")

// regionColors gives the regions colours, in the order of all pools, so that a
// region has the same one in all figures of a trace. Of more than there are
// colours, some share theirs.
func (h *Trace) regionColors() func(region string) color.RGBA {
	regions := firsts(each(h.Pools, func(p Pool) string { return p.Region }))
	return func(region string) color.RGBA {
		return canvas.TypeColors[slices.Index(regions, region)%len(canvas.TypeColors)]
	}
}

// regionKeys are the keys of the regions of some pools.
func (h *Trace) regionKeys(pools []*Pool, filled bool) []canvas.Key {
	colors := h.regionColors()
	var keys []canvas.Key
	for _, region := range firsts(each(pools, func(p *Pool) string { return p.Region })) {
		if region == "" {
			continue
		}
		c := colors(region)
		k := canvas.Key{Text: canvas.Label(region, 30), Line: &draw.LineStyle{Color: c, Width: 1}}
		if filled {
			k.Line, k.Fill = nil, canvas.Tint(c, 0.7)
		}
		keys = append(keys, k)
	}
	return keys
}

// panel is an empty panel over the observation; only the lowest names the time.
func (h *Trace) panel(y string, lowest bool, parts int) *plot.Plot {
	p := canvas.NewPanel("", "", y)
	p.X.Min, p.X.Max = 0, h.Hours
	ticks := h.ticks(parts)
	p.X.Tick.Marker = ticks
	if lowest {
		p.X.Label.Text = h.axis(parts)
	} else {
		p.X.Tick.Marker = canvas.Unlabelled{Ticker: ticks}
		p.X.Tick.Label.Font.Size = 1 // of labels that are blank
	}
	p.Add(canvas.Grid())
	return p
}

// heading is text above a panel: what it shows, and a number of it.
type heading struct{ left, right string }

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.YAlign = text.YBottom
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1.5}, h.left)
	style.XAlign, style.Color = text.XRight, canvas.Grey
	c.FillText(style, vg.Point{X: c.Max.X, Y: c.Max.Y + 1.5}, h.right)
}

// thin returns the pieces, or means over stretches of binH hours if there are
// too many to draw; binH is 0 where all are drawn. Neighbours of one value become
// one piece.
func thin(pieces []Piece, hours float64) (out []Piece, binH float64) {
	for _, p := range pieces {
		if n := len(out) - 1; n >= 0 && out[n].Value == p.Value && out[n].ToH == p.FromH {
			out[n].ToH = p.ToH
			continue
		}
		out = append(out, p)
	}
	if len(out) <= maxPieces {
		return out, 0
	}
	return bins(out, hours/(maxPieces/4)), hours / (maxPieces / 4)
}

// bins returns the time-weighted means over stretches of bin hours.
func bins(pieces []Piece, bin float64) []Piece {
	var out []Piece
	for _, p := range pieces {
		for k := math.Floor(p.FromH / bin); k*bin < p.ToH; k++ {
			from, to := max(p.FromH, k*bin), min(p.ToH, (k+1)*bin)
			if to <= from {
				continue
			}
			n := len(out) - 1
			if n < 0 || out[n].FromH < k*bin || out[n].ToH < from {
				out = append(out, Piece{from, to, p.Value})
				continue
			}
			known := out[n].ToH - out[n].FromH
			out[n].Value = (out[n].Value*known + p.Value*(to-from)) / (known + to - from)
			out[n].ToH = to
		}
	}
	return out
}

// runs yields step lines, one for each stretch of pieces without a gap.
func runs(pieces []Piece) []plotter.XYs {
	var lines []plotter.XYs
	for i, p := range pieces {
		if i == 0 || p.FromH > pieces[i-1].ToH {
			lines = append(lines, nil)
		}
		n := len(lines) - 1
		lines[n] = append(lines[n], plotter.XY{X: p.FromH, Y: p.Value}, plotter.XY{X: p.ToH, Y: p.Value})
	}
	return lines
}

// unknown are the stretches that no piece covers.
func unknown(pieces []Piece, hours float64) []canvas.Band {
	var out []canvas.Band
	last := 0.0
	for _, p := range append(slices.Clone(pieces), Piece{FromH: hours}) {
		if p.FromH > last+1e-9*hours {
			out = append(out, canvas.Band{From: last, To: p.FromH, Fill: canvas.LightGrey})
		}
		last = p.ToH
	}
	return out
}

// meanByTime is the time-weighted mean of pieces.
func meanByTime(pieces []Piece) float64 {
	var sum, hours float64
	for _, p := range pieces {
		sum += p.Value * (p.ToH - p.FromH)
		hours += p.ToH - p.FromH
	}
	return sum / hours
}

// axis names the time axis of a trace.
func (h *Trace) axis(parts int) string {
	if h.Start.IsZero() {
		return "time since the start of the observation (h)"
	}
	clock := ""
	if h.Clock != "" {
		clock = " (" + canvas.Label(h.Clock, 40) + ")"
	}
	start := h.Start.UTC()
	end := start.Add(time.Duration(h.Hours * float64(time.Hour)))
	switch step := (canvas.Dates{Start: start, Hours: h.Hours, MaxParts: parts}).Step(); {
	case step == 0:
		return "date" + clock // the labels have the year
	case step < 24*time.Hour:
		return canvas.Span(start, end, "2 Jan 2006") + clock
	}
	return canvas.Span(start, end, "2006") + clock
}

// ticks are those of the time axis, at most most parts.
func (h *Trace) ticks(parts int) plot.Ticker {
	if h.Start.IsZero() {
		return canvas.FitScale(h.Hours, parts, canvas.HourSteps)
	}
	return canvas.Dates{Start: h.Start.UTC(), Hours: h.Hours, MaxParts: parts}
}
