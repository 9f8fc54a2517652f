package plots

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces/describe"
)

// observed makes the trace of pools in some zones of three regions: counts up
// to a cap with a gap, and prices with a floor.
func observed(pools int) *Trace {
	dice := rand.New(rand.NewPCG(3, 5))
	h := &Trace{Name: "made-up", About: "SYNTHETIC; machines that ran", Hours: 60 * 24,
		Start: time.Date(2023, 1, 20, 7, 30, 0, 0, time.UTC), Clock: "UTC"}
	for i := range pools {
		region, typ := fmt.Sprintf("region-%d", i%3), fmt.Sprintf("p%d.large", i%4)
		p := Pool{Name: fmt.Sprintf("%s%c/%s", region, 'a'+i/3, typ), Region: region, Type: typ, Cap: 8, OnDemand: 3}
		count, price := 4.0, 1+0.1*float64(i)
		for at := 0.0; at < h.Hours; {
			to := min(h.Hours, at+20*dice.ExpFloat64())
			if i%2 == 0 || at < 400 || at > 700 {
				p.Count = append(p.Count, Piece{at, to, count})
			}
			p.Price = append(p.Price, Piece{at, to, price})
			count = min(8, max(0, count+float64(dice.IntN(7)-3)))
			price = max(0.9, price*(0.97+0.06*dice.Float64()))
			at = to
		}
		h.Pools = append(h.Pools, p)
	}
	return h
}

func capacityFigure(t *testing.T) *canvas.Figure {
	f, err := Capacity(observed(5))
	return must(t, f, err)
}

func pricesFigure(t *testing.T) *canvas.Figure {
	f, err := Prices(observed(10))
	return must(t, f, err)
}

// machinesOf makes lifetimes of a mean, cut off at a day; some were stopped.
func machinesOf(n int, mean float64, seed uint64) (steps []SurvivalStep) {
	dice := rand.New(rand.NewPCG(seed, 5))
	lifetimes := make([]describe.Lifetime, n)
	for i := range lifetimes {
		lifetimes[i] = describe.Lifetime{To: int64(3600e6 * min(24, mean*dice.ExpFloat64())), Lost: dice.IntN(4) != 0}
	}
	for _, s := range describe.KaplanMeier(lifetimes).Steps {
		steps = append(steps, SurvivalStep{s.Hours, s.Survival, s.Low, s.High, s.AtRisk, s.Lost, s.Censored})
	}
	return steps
}

func survivalFigure(t *testing.T) *canvas.Figure {
	f, err := Survival("made-up", "SYNTHETIC", []Lifetimes{{"K80", machinesOf(150, 15, 1)}, {"V100", machinesOf(60, 6, 2)}})
	return must(t, f, err)
}

func TestTraceTexts(t *testing.T) {
	wantTexts(t, capacityFigure(t), "made-up: machines per pool", "SYNTHETIC; machines that ran", "region-0a/p0.large", "of 8", "not known", "2023 (UTC)",
		"27 Jan")
	wantTexts(t, pricesFigure(t), "price of a machine (USD/h)", "p0.large, 3 pools", "on demand 3", "region-2")
	wantTexts(t, survivalFigure(t), "K80: 150 lifetimes", "censored, median ", "number at risk", "150", "lifetime (h)")
	h := observed(30)
	h.Start = time.Time{}
	f, err := Capacity(h)
	wantTexts(t, must(t, f, err), "24 of 30 pools drawn", "time since the start of the observation (h)")
}

func TestTraceRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Trace){
		"hours":    func(h *Trace) { h.Hours = math.Inf(1) },
		"value":    func(h *Trace) { h.Pools[0].Count[0].Value = math.NaN() },
		"negative": func(h *Trace) { h.Pools[0].Price[0].Value = -1 },
		"order":    func(h *Trace) { h.Pools[0].Price[1].FromH = 0 },
		"late":     func(h *Trace) { h.Pools[0].Price = append(h.Pools[0].Price, Piece{h.Hours, h.Hours + 1, 1}) },
		"cap":      func(h *Trace) { h.Pools[0].Cap = math.Inf(1) },
	} {
		h := observed(2)
		spoil(h)
		for _, draw := range []func(*Trace) (*canvas.Figure, error){Capacity, Prices} {
			if _, err := draw(h); err == nil || !strings.Contains(err.Error(), "want ") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	empty := &Trace{Hours: 1, Pools: []Pool{{Name: "a"}}}
	for _, draw := range []func(*Trace) (*canvas.Figure, error){Capacity, Prices} {
		if _, err := draw(empty); !errors.Is(err, ErrNothing) {
			t.Error(err)
		}
	}
	for _, bad := range [][]SurvivalStep{{{H: math.NaN(), S: 1, High: 1}}, {{H: 1, S: .5, High: .4}}, {{H: 2, S: 1, High: 1}, {H: 2, S: 1, High: 1}}} {
		if _, err := Survival("", "", []Lifetimes{{"a", bad}}); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%+v was drawn: %v", bad, err)
		}
	}
	if _, err := Survival("", "", nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}

// Too many pieces become means, which keep the mean and the gaps.
func TestThin(t *testing.T) {
	check := near.Count(t)
	dice := rand.New(rand.NewPCG(1, 1))
	var pieces []Piece
	for i := range 40_000 {
		if i < 10_000 || i > 12_000 {
			pieces = append(pieces, Piece{float64(i) / 40, float64(i+1) / 40, dice.Float64()})
		}
	}
	out, bin := thin(pieces, 1000)
	if bin == 0 || len(out) > maxPieces || check.Off(meanByTime(out), meanByTime(pieces), 1e-9) {
		t.Errorf("%d pieces of %v h, mean %v, want at most %d of mean %v", len(out), bin, meanByTime(out), maxPieces, meanByTime(pieces))
	}
	if err := checkPieces(out, 1000); err != nil {
		t.Error(err)
	}
	if gaps := unknown(out, 1000); len(gaps) != 1 || gaps[0].From != 250 {
		t.Errorf("gaps %+v, want one from 250 h", gaps)
	}
	same, bin := thin([]Piece{{0, 1, 2}, {1, 2, 2}, {3, 4, 2}}, 4)
	if bin != 0 || !slices.Equal(same, []Piece{{0, 2, 2}, {3, 4, 2}}) {
		t.Errorf("%+v", same)
	}
}

func TestDates(t *testing.T) {
	check := near.Count(t)
	start := time.Date(2023, 12, 30, 13, 7, 0, 0, time.UTC)
	for _, c := range []struct {
		hours       float64
		first, axis string
	}{
		{0.5, "13:10", "30 Dec 2023 (UTC)"},
		{24, "15:00", "30 Dec 2023 to 31 Dec 2023 (UTC)"},
		{24 * 30, "3 Jan", "2023 to 2024 (UTC)"},
		{24 * 365, "Jan 2024", "date (UTC)"},
		{24 * 365 * 200, "Jan 2043", "date (UTC)"},
	} {
		h := &Trace{Start: start, Clock: "UTC", Hours: c.hours}
		ticks := h.ticks(10).Ticks(0, c.hours)
		if len(ticks) < 3 || len(ticks) > 13 || ticks[0].Label != c.first || h.axis(10) != c.axis {
			t.Errorf("%v h: %d ticks, %+v, axis %q", c.hours, len(ticks), ticks[:min(2, len(ticks))], h.axis(10))
		}
		for _, tick := range ticks {
			if check.Outside(tick.Value, 0, c.hours) {
				t.Errorf("%v h: tick at %v", c.hours, tick.Value)
			}
		}
	}
}

func TestSaveFigures(t *testing.T) {
	dir := t.TempDir() + "/new"
	paths, err := SaveFigures(dir, []Named{{"prices-p3.2xlarge", pricesFigure(t)}, {"a/b", survivalFigure(t)}})
	if err != nil || len(paths) != 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Error(path, err)
		}
	}
}
