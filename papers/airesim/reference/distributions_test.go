package reference

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/pyrandom"
)

// The distributions draw what Python's do.
func TestDistributions(t *testing.T) {
	r := pyrandom.New(1<<40 + 7)
	check := near.Count(t)
	for i, want := range []float64{5.10782457753051, 6.5540645866496146, 1.4073454998517692, 0.950092449151442, 4.242593708091786, 1.3153506031070372} {
		if x := normal(r, 3, 2); check.Off(x, want, 1e-14*want) {
			t.Errorf("normalvariate(3, 2), number %d: %v, Python has %v", i, x, want)
		}
	}
	for _, d := range []struct {
		name      string
		got, want float64
	}{
		{"weibullvariate(5, 0.8)", weibull(r, 5, 0.8), 0.9079270799735619}, {"weibullvariate(5, 0.8)", weibull(r, 5, 0.8), 13.754972036195696},
		{"weibullvariate(5, 0.8)", weibull(r, 5, 0.8), 7.5472078667472475}, {"lognormvariate(1, 0.5)", lognormal(r, 1, 0.5), 0.9561608471295393},
		{"lognormvariate(1, 0.5)", lognormal(r, 1, 0.5), 7.1750116137548305}, {"lognormvariate(1, 0.5)", lognormal(r, 1, 0.5), 1.8460873563833688},
		{"expovariate(1/120)", expovariate(r, 1.0/120), 168.7163601285893},
	} {
		if check.Off(d.got, d.want, 1e-14*d.want) {
			t.Errorf("%s: %v, Python has %v", d.name, d.got, d.want)
		}
	}
}
