package policies

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// 56 cases, computed independently.
func TestIntervals(t *testing.T) {
	check := near.Count(t)
	for _, r := range testutil.Table(t, "papers/checkpoint/testdata/young_daly.csv")[1:] {
		x := make([]float64, len(r))
		for i := range r {
			x[i] = testutil.Number(t, r[i])
		}
		c := CheckpointInterval{Save: x[0], MTBF: x[1], Restart: x[2]}
		for i, got := range []float64{c.Young(), c.DalyFirst(), c.Daly(), c.Exact(), c.Stretch(c.Young()),
			c.Stretch(c.Daly()), c.Stretch(c.Exact()), 1 / c.Stretch(c.Exact())} {
			if check.Off(got, x[3+i], 1e-6*max(1, x[3+i])) {
				t.Errorf("C %v, M %v, R %v: column %d is %v, want %v", c.Save, c.MTBF, c.Restart, 3+i, got, x[3+i])
			}
		}
	}
}

// The closed form against failures drawn one by one, within three standard
// errors, for the three cases of the specification's own check.
func TestStretchAgainstChance(t *testing.T) {
	check := near.Count(t)
	for seed, c := range []CheckpointInterval{{30, 3600, 60}, {60, 600, 30}, {5, 21600, 60}} {
		interval := []float64{450, 240, 460}[seed]
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		const runs, segments = 4000, 20
		sum, squares := 0.0, 0.0
		for range runs {
			wall := 0.0
			for range segments {
				wall += c.segment(rng, interval)
			}
			sum += wall
			squares += wall * wall
		}
		mean := sum / runs
		se := math.Sqrt((squares/runs - mean*mean) / runs)
		if want := c.Stretch(interval) * interval * segments; check.Off(mean, want, 3*se) {
			t.Errorf("%+v: %v s +- %v, by the formula %v", c, mean, se, want)
		}
	}
}

// segment draws how long one interval with its save takes, failures and restarts
// included; a restart can fail as well.
func (c CheckpointInterval) segment(rng *rand.Rand, interval float64) float64 {
	wall, need := 0.0, interval+c.Save
	for {
		fail := rng.ExpFloat64() * c.MTBF
		if fail >= need {
			return wall + need
		}
		wall += fail
		need = c.Restart + interval + c.Save
	}
}

func TestLambertW(t *testing.T) {
	check := near.Count(t)
	for _, x := range []float64{-1 / math.E, -0.3678, -0.36, -0.2, -0.01, -1e-9, 0} {
		if w := lambertW(x); check.Below(w, -1) || check.Off(w*math.Exp(w), x, 1e-12) {
			t.Errorf("W(%v) = %v", x, w)
		}
	}
}
