package racing

import (
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// Where the share is exactly the one asked for, proofs are as rare as their level says, and as the boundary has worked out; the first number of
// runs at which there can be one is that at which all have to be met.
func TestBoundaryKeepsItsLevel(t *testing.T) {
	check := near.Count(t)
	const share, level, attempts = 0.9, 0.1, 8000
	analyses := analysesTo(22, 2000)
	b := boundary{share: share, level: level}
	var enough []int
	for k, n := range analyses {
		enough = append(enough, b.needed(n, spending(k+1, len(analyses))))
		if again := b.needed(n, spending(k+1, len(analyses))); again != enough[k] {
			t.Fatalf("asked twice at %d: %d and %d", n, enough[k], again)
		}
	}
	draw, proven := rand.New(rand.NewPCG(5, 6)), 0
	for range attempts {
		met, n := 0, 0
		for k, until := range analyses {
			for ; n < until; n++ {
				if draw.Float64() < share {
					met++
				}
			}
			if met >= enough[k] {
				proven++
				break
			}
		}
	}
	rate := float64(proven) / attempts
	if check.Above(b.spent, level) || check.Off(rate, b.spent, 0.012) || b.spent < 0.8*level {
		t.Errorf("%v of attempts at the edge are proven, by the boundary %v, at a level of %v", rate, b.spent, level)
	}
	if want := (&boundary{share: share, level: level}).needed(22, 1); enough[0] < want || want > 22 {
		t.Errorf("%d of 22 are enough at the first analysis, %d with all of the level", enough[0], want)
	}
}
