package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quadrature against the harmonic numbers, and against laws with known extremes.
func TestBarrier(t *testing.T) {
	exp := TailOf(distuv.Exponential{Rate: 1})
	for _, n := range []int{1, 2, 3, 8, 32, 500} {
		for _, k := range []int{0, 1, 2, 7} {
			if got, want := exp.Barrier(n, k).Mean(), ExponentialBarrier(n, k); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%d of %d: %v, expected %v", n, n+k, got, want)
			}
			uniform := TailOf(distuv.Uniform{Min: 0, Max: 1}) // E = n/(n+k+1)
			if got, want := uniform.Barrier(n, k).Mean(), float64(n)/float64(n+k+1); math.Abs(got/want-1) > 1e-4 {
				t.Errorf("uniform, %d of %d: %v, expected %v", n, n+k, got, want)
			}
		}
	}
	for _, sigma := range []float64{0.02, 0.3, 1.5} {
		law := distuv.LogNormal{Mu: 2, Sigma: sigma}
		if got := TailOf(law).Mean(); math.Abs(got/law.Mean()-1) > 1e-9 {
			t.Errorf("lognormal of spread %v: mean %v, expected %v", sigma, got, law.Mean())
		}
	}
}

func TestCopies(t *testing.T) {
	exp := TailOf(distuv.Exponential{Rate: 1})
	for name, x := range map[string][2]float64{
		"the fastest of 3":     {exp.Copies(3).Mean(), 1.0 / 3},
		"slowest of 4, cloned": {exp.Copies(2).Barrier(4, 0).Mean(), ExponentialBarrier(4, 0) / 2},
		// E = 1 - e^-d + e^-d/2, and the second copy works for e^-d/2
		"speculated":       {exp.Speculated(0.7).Mean(), 1 - math.Exp(-0.7)/2},
		"its second copy":  {exp.Speculated(0.7).MeanAfter(0.7), math.Exp(-0.7) / 2},
		"speculated never": {exp.Speculated(1e3).Mean(), 1},
	} {
		if math.Abs(x[0]/x[1]-1) > 5e-5 {
			t.Errorf("%s: %v, expected %v", name, x[0], x[1])
		}
	}
}

func TestRestart(t *testing.T) {
	if got := RestartMean(10, 0, 5); got != 10 {
		t.Errorf("never revoked: %v", got)
	}
	// rate 1/w: (e - 1)(w + R)
	if got, want := RestartMean(10, 0.1, 5), (math.E-1)*15; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, expected %v", got, want)
	}
	if got, want := RevocationChance(8, 10, 0.001), 1-math.Exp(-0.08); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, expected %v", got, want)
	}
	if !TransientPays(0.3, 3) || TransientPays(0.3, 3.4) {
		t.Error("break-even is at a product of 1")
	}
}
