package synchrony

import (
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/internal/near"
)

// Quadrature against the harmonic numbers, and against laws with known extremes.
func TestBarrier(t *testing.T) {
	check := near.Count(t)
	exp := tailOf(distuv.Exponential{Rate: 1})
	for _, n := range []int{1, 2, 3, 8, 32, 500} {
		for _, k := range []int{0, 1, 2, 7} {
			if got, want := meanOf(barrier(exp, n, k)), harmonic(n, k); check.Off(got/want, 1, 1e-9) {
				t.Errorf("%d of %d: %v, expected %v", n, n+k, got, want)
			}
			uniform := tailOf(distuv.Uniform{Min: 0, Max: 1}) // E = n/(n+k+1)
			if got, want := meanOf(barrier(uniform, n, k)), float64(n)/float64(n+k+1); check.Off(got/want, 1, 1e-4) {
				t.Errorf("uniform, %d of %d: %v, expected %v", n, n+k, got, want)
			}
		}
	}
	for _, sigma := range []float64{0.02, 0.3, 1.5} {
		law := distuv.LogNormal{Mu: 2, Sigma: sigma}
		if got := meanOf(tailOf(law)); check.Off(got/law.Mean(), 1, 1e-9) {
			t.Errorf("lognormal of spread %v: mean %v, expected %v", sigma, got, law.Mean())
		}
	}
}

// harmonic is the mean of Barrier for exponential times of mean 1: H(n+k) - H(k).
func harmonic(n, k int) float64 {
	sum := 0.0
	for i := k + 1; i <= n+k; i++ {
		sum += 1 / float64(i)
	}
	return sum
}
