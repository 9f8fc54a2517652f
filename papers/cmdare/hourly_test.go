package cmdare

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestHourlyLifetimes(t *testing.T) {
	check := near.Count(t)
	l := hourlyLifetimes{servers: 10}
	l.revoked[0], l.revoked[5] = 2, 3
	for _, x := range [][2]float64{{0, 0}, {.1, .5}, {.2, 5}, {.35, 5.5}, {.5, 24}, {.99, 24}} {
		if got := l.quantile(x[0]); check.Off(got, x[1], 1e-9) {
			t.Errorf("quantile %v is %v, want %v", x[0], got, x[1])
		}
	}
	if n := len(publishedLifetimes()); n != 12 {
		t.Errorf("%d published distributions", n)
	}
}
