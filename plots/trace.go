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
		pool := &h.Pools[i]
		name := canvas.Label(pool.Name, 60)
		for _, series := range [][]Piece{pool.Count, pool.Price} {
			if err := checkPieces(series, h.Hours); err != nil {
				return fmt.Errorf("plots: pool %s: %w", name, err)
			}
		}
		if !drawable(pool.Cap) || !drawable(pool.OnDemand) {
			return fmt.Errorf("plots: pool %s: cap %v, on demand %v, want 0 to %g", name, pool.Cap, pool.OnDemand,
				maxNumber)
		}
	}
	return nil
}

func checkPieces(pieces []Piece, hours float64) error {
	last := 0.0
	for i, piece := range pieces {
		if !drawable(piece.Value) {
			return fmt.Errorf("piece %d: value %v, want 0 to %g", i, piece.Value, maxNumber)
		}
		if !(piece.FromH >= last && piece.ToH > piece.FromH && piece.ToH <= hours*(1+1e-9)) {
			return fmt.Errorf("piece %d: from %v h to %v h, want ascending pieces from 0 to %v h", i, piece.FromH,
				piece.ToH, hours)
		}
		last = piece.ToH
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
		key := canvas.Key{Text: canvas.Label(region, 30)}
		if filled {
			key.Fill = canvas.Tint(colors(region), 0.7)
		} else {
			key.Line = &draw.LineStyle{Color: colors(region), Width: 1}
		}
		keys = append(keys, key)
	}
	return keys
}

// panel is an empty panel over the observation; only the lowest names the time.
func (h *Trace) panel(y string, lowest bool, parts int) *plot.Plot {
	panel := canvas.NewPanel("", "", y)
	ticks := h.ticks(parts)
	canvas.SetAxis(&panel.X, 0, h.Hours, ticks)
	if lowest {
		panel.X.Label.Text = h.axis(parts)
	} else {
		panel.X.Tick.Marker = canvas.Unlabelled{Ticker: ticks}
		panel.X.Tick.Label.Font.Size = 1 // of labels that are blank
	}
	panel.Add(canvas.Grid())
	return panel
}

// heading is text above a panel: what it shows, and a number of it.
type heading struct{ left, right string }

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.YAlign = text.YBottom
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1.5}, h.left)
	style.XAlign = text.XRight
	style.Color = canvas.Grey
	c.FillText(style, vg.Point{X: c.Max.X, Y: c.Max.Y + 1.5}, h.right)
}

// thin joins neighbours of one value, and returns the pieces, or means over stretches of binH hours if there are
// too many to draw; binH is 0 where all are drawn.
func thin(pieces []Piece, hours float64) (out []Piece, binH float64) {
	for _, piece := range pieces {
		last := len(out) - 1
		if last >= 0 && out[last].Value == piece.Value && out[last].ToH == piece.FromH {
			out[last].ToH = piece.ToH
			continue
		}
		out = append(out, piece)
	}
	if len(out) <= maxPieces {
		return out, 0
	}
	binH = hours / (maxPieces / 4)
	return bins(out, binH), binH
}

// bins returns the time-weighted means over stretches of bin hours.
func bins(pieces []Piece, bin float64) []Piece {
	var out []Piece
	for _, piece := range pieces {
		for k := math.Floor(piece.FromH / bin); k*bin < piece.ToH; k++ {
			from := max(piece.FromH, k*bin)
			to := min(piece.ToH, (k+1)*bin)
			if to <= from {
				continue
			}
			last := len(out) - 1
			if last < 0 || out[last].FromH < k*bin || out[last].ToH < from {
				out = append(out, Piece{from, to, piece.Value})
				continue
			}
			known := out[last].ToH - out[last].FromH
			out[last].Value = (out[last].Value*known + piece.Value*(to-from)) / (known + to - from)
			out[last].ToH = to
		}
	}
	return out
}

// runs yields step lines, one for each stretch of pieces without a gap.
func runs(pieces []Piece) []plotter.XYs {
	var lines []plotter.XYs
	for i, piece := range pieces {
		if i == 0 || piece.FromH > pieces[i-1].ToH {
			lines = append(lines, nil)
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], plotter.XY{X: piece.FromH, Y: piece.Value},
			plotter.XY{X: piece.ToH, Y: piece.Value})
	}
	return lines
}

// unknown are the stretches that no piece covers.
func unknown(pieces []Piece, hours float64) []canvas.Band {
	var gaps []canvas.Band
	known := 0.0
	for _, piece := range append(slices.Clone(pieces), Piece{FromH: hours}) {
		if piece.FromH > known+1e-9*hours {
			gaps = append(gaps, canvas.Band{From: known, To: piece.FromH, Fill: canvas.LightGrey})
		}
		known = piece.ToH
	}
	return gaps
}

// meanByTime is the time-weighted mean of pieces.
func meanByTime(pieces []Piece) float64 {
	var sum, hours float64
	for _, piece := range pieces {
		sum += piece.Value * (piece.ToH - piece.FromH)
		hours += piece.ToH - piece.FromH
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
	step := canvas.Dates{Start: start, Hours: h.Hours, MaxParts: parts}.Step()
	if step == 0 {
		return "date" + clock // the labels have the year
	}
	if step < 24*time.Hour {
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
