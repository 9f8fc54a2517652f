package mdp

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// Where the first regimes are equally good and what there is now is worse, the value is that of the first.
func TestValueWhereRegimesAreEqual(t *testing.T) {
	x := table{steps: 1, points: 2, dt: 1, dw: 1, regimes: 3, quality: []float64{5, 5, 7}, order: []int{0, 1, 2}}
	size := 3 * len(x.quality) * (x.points + 1)
	x.next, x.rates = make([]float64, size), make([]float64, size)
	for i := range x.next {
		x.next[i] = float64(i % (x.points + 1))
	}
	check := near.Count(t)
	for _, quality := range []float64{3, 5, 6, 7, 8} {
		if usd := x.value(1, 0, quality, 0, 0); check.Off(usd, 1, 1e-12) {
			t.Errorf("quality %v: the value of one unit of work is %v, expected 1", quality, usd)
		}
	}
}
