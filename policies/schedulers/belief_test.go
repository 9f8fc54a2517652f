package schedulers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// What is left of a job, by its mean and by a part of what is possible, is that of many draws that are longer than what it has done.
func TestWorkLeftByBelief(t *testing.T) {
	check := near.Count(t)
	draw := rand.New(rand.NewPCG(1, 2))
	for _, l := range []law{{0, 0.5}, {-0.3, 1}, {0.2, 0.1}} {
		for _, done := range []float64{0, 80, 150} {
			sum, n, below := 0.0, 0, 0
			q := l.quantile(100, done, 0.9)
			for range 200_000 {
				if x := 100 * math.Exp(l.mu+l.sigma*draw.NormFloat64()); x > done {
					if n++; x-done <= q {
						below++
					}
					sum += x - done
				}
			}
			if n < 5000 {
				continue
			}
			if mean := l.mean(100, done); check.OffRel(mean, sum/float64(n), 0.05) {
				t.Errorf("%+v, done %v: mean %v, by draws %v", l, done, mean, sum/float64(n))
			}
			if part := float64(below) / float64(n); check.Off(part, 0.9, 0.02) {
				t.Errorf("%+v, done %v: %v are as long as the part 0.9 says", l, done, part)
			}
		}
	}
}

// What jobs took is learnt: durations that are as believed make others certain, and such as are off make them as uncertain as these are.
func TestBeliefIsLearnt(t *testing.T) {
	check := near.Count(t)
	var exact, off belief
	draw := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		exact.add(1)
		off.add(math.Exp(0.2 + 0.5*draw.NormFloat64()))
	}
	if l := exact.law(0.1); l.mu != 0 || check.Above(l.sigma, 0.003) {
		t.Errorf("%+v, expected none", l)
	}
	if l := off.law(0.1); check.Off(l.mu, 0.2, 0.05) || check.Off(l.sigma, 0.5, 0.05) {
		t.Errorf("%+v, expected 0.2 and 0.5", l)
	}
	if got := (law{0, 0}).quantile(100, 30, 0.99); got != 70 {
		t.Errorf("known: %v, expected 70", got)
	}
}
