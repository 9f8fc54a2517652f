package formulas

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// Rates of published clusters, and spares against the sums of binomial terms.
func TestReliability(t *testing.T) {
	near.Abs(t, "hours between failures of 2,048 nodes", Nodes{2048, 6.5}.MTTF()/3600, 1.803, 5e-4)
	near.Abs(t, "minutes between failures of 16,384 nodes", Nodes{16384, 6.5}.MTTF()/60, 13.52, 5e-3)
	near.Abs(t, "nodes down", Nodes{400, 4.18}.Down(5.54*86400), 9.26, 0.01)
	for _, c := range []struct {
		n      int
		rate   float64
		repair float64
		share  float64
	}{{4, 100, 86400, 0.99}, {16, 4.2, 5 * 86400, 0.99}, {400, 4.18, 5.54 * 86400, 0.99}, {400, 4.18, 5.54 * 86400, 0.5}, {3, 1e-9, 1, 0.9}} {
		x := Nodes{c.n, c.rate}
		u := x.Unavailability(c.repair)
		up := func(spares int) float64 { // at most that many of n + spares are down
			p, term := 0.0, math.Pow(1-u, float64(c.n+spares))
			for k := 0; k <= spares; k++ {
				p += term
				term *= u / (1 - u) * float64(c.n+spares-k) / float64(k+1)
			}
			return p
		}
		s := x.Spares(c.repair, c.share)
		if up(s) < c.share || s > 0 && up(s-1) >= c.share {
			t.Errorf("%+v: %d spares, up for %v of the time; one less %v", c, s, up(s), up(s-1))
		}
	}
}
