package plots

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/plotter"
)

// samples are costs of some policies for two objectives; some runs of one do not finish.
func samples() []Samples {
	dice := rand.New(rand.NewPCG(3, 7))
	var all []Samples
	for k, title := range []string{"loss 0.5 in 12 h", "loss 0.4 in 24 h"} {
		one := Samples{Title: title}
		for i, policy := range []string{"ondemand", "reactive", "spotdnn", "parcae-ideal"} {
			s := Sample{PolicyResult: PolicyResult{Policy: policy, Oracle: policy == "parcae-ideal", Met: 1}}
			for range 120 {
				s.Values = append(s.Values, float64(k+1)*(47-8*float64(i)+0.02+float64(i)*2*math.Abs(dice.NormFloat64())))
			}
			if policy == "reactive" {
				s.Values, s.None, s.Met, s.Misses = s.Values[:100], 20, 0.7, true
			}
			s.Units = s.runs()
			one.Of = append(one.Of, s)
		}
		all = append(all, one)
	}
	return all
}

func cdfFigure(t *testing.T) *canvas.Figure {
	f, err := CDF("two zones: cost", "SYNTHETIC market; 480 runs; bands: Dvoretzky-Kiefer-Wolfowitz", "cost (USD)", samples())
	return must(t, f, err)
}

func TestCDF(t *testing.T) {
	wantTexts(t, cdfFigure(t), "two zones: cost", "cost (USD)", "cumulative fraction of runs", "parcae-ideal (knows the future)",
		"miss the objective, met in: reactive 70 %", "95 % band", "loss 0.4 in 24 h")
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		all := samples()
		all[1].Of[2].Values[7] = bad
		if _, err := CDF("", "", "", all); err == nil || !strings.Contains(err.Error(), "spotdnn: run 7") {
			t.Errorf("%v was drawn: %v", bad, err)
		}
	}
	for _, n := range []int{0, 121} {
		all := samples()
		all[0].Of[1].Units = n
		if _, err := CDF("", "", "", all); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("reactive: %d units of 120 runs", n)) {
			t.Errorf("%d units were drawn: %v", n, err)
		}
	}
	if _, err := CDF("", "", "", []Samples{{Of: []Sample{{PolicyResult: PolicyResult{Policy: "a"}}}}}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	f, err := CDF("", "", "finish (h)", []Samples{{Of: []Sample{{PolicyResult: PolicyResult{Policy: "a"}, Values: []float64{1, 100}, Units: 2},
		{PolicyResult: PolicyResult{Policy: "never"}, None: 3, Units: 1}}}})
	wantTexts(t, must(t, f, err), "finish (h), logarithmic", "never")
	f, err = CDF("", "", "cost (USD)", slices.Repeat(samples()[:1], 30))
	wantTexts(t, must(t, f, err), "the first 24 of 30 panels")
}

// Runs that have no number keep the curve below 1; of many runs the drawn steps lie
// on the curve.
func TestSteps(t *testing.T) {
	c := cdfOf(&Sample{Values: []float64{3, 1, 2}, None: 1})
	if got := c.stairs(5, 0); len(got) != 8 || got[7] != (plotter.XY{X: 5, Y: 0.75}) || got[3] != (plotter.XY{X: 2, Y: 0.25}) {
		t.Error(got)
	}
	many := Sample{}
	for i := range 12345 {
		many.Values = append(many.Values, float64(12344-i))
	}
	c = cdfOf(&many)
	if n := len(c.steps); n > maxSteps+1 || c.steps[n-1].Y != 1 {
		t.Errorf("%d steps, the last %+v", n, c.steps[n-1])
	}
	for _, s := range c.steps {
		if s.Y != (s.X+1)/12345 {
			t.Fatalf("%+v is not on the curve", s)
		}
	}
}

// The band of units holds the distribution of their runs, of which about half are the
// same in a unit; that of as many units as there are runs does not.
func TestDKWBandOfUnits(t *testing.T) {
	check := near.Count(t)
	dice := rand.New(rand.NewPCG(6, 7))
	const n, runs, tries = 20, 10, 2000
	held, heldRuns := 0, 0
	for range tries {
		var x []float64
		for range n {
			own := dice.Float64()
			for range runs {
				v := own
				if dice.IntN(2) == 0 {
					v = dice.Float64()
				}
				x = append(x, v) // F(x) = x
			}
		}
		off := farthest(x)
		if off <= dkwBand(n) {
			held++
		}
		if off <= dkwBand(n*runs) {
			heldRuns++
		}
	}
	if by, byRun := float64(held)/tries, float64(heldRuns)/tries; check.Below(by, 0.945) || check.Above(byRun, 0.8) {
		t.Errorf("the band of units holds %v of the samples, that of runs %v, want 0.95 or more and fewer than 0.8", by, byRun)
	}
}

// farthest is how far the shares of numbers are from the uniform law at most.
func farthest(x []float64) (off float64) {
	slices.Sort(x)
	n := float64(len(x))
	for i, v := range x {
		off = max(off, float64(i+1)/n-v, v-float64(i)/n)
	}
	return off
}

// The band holds the whole distribution in at least 95 % of samples, and is not
// so wide that it always does.
func TestDKWBand(t *testing.T) {
	check := near.Count(t)
	dice := rand.New(rand.NewPCG(5, 7))
	const n, tries = 50, 4000
	held := 0
	for range tries {
		x := make([]float64, n)
		for i := range x {
			x[i] = dice.Float64() // F(x) = x
		}
		if farthest(x) <= dkwBand(n) {
			held++
		}
	}
	if share := float64(held) / tries; check.Outside(share, 0.945, 0.985) {
		t.Errorf("the band holds %v of the samples, want 0.95 or a little more", share)
	}
	if got := dkwBand(100); check.Off(got, 0.13581, 1e-5) { // 1.3581/sqrt(n), the 5 % point of Kolmogorov's law
		t.Errorf("%v of 100 runs", got)
	}
}
