package reference

import (
	"math"

	"github.com/marigram/marigram/internal/pyrandom"
)

// The distributions of Python's random that AIReSim draws from.

// expovariate is expovariate(rate): the mean is 1/rate.
func expovariate(r *pyrandom.Rand, rate float64) float64 { return -math.Log(1-r.Random()) / rate }

// weibull is weibullvariate(scale, shape): scale is alpha of Python's documentation, shape is its beta.
func weibull(r *pyrandom.Rand, scale, shape float64) float64 {
	return scale * math.Pow(-math.Log(1-r.Random()), 1/shape)
}

// normalMagic is NV_MAGICCONST of Lib/random.py.
var normalMagic = 4 * math.Exp(-0.5) / math.Sqrt2

// normal is normalvariate(mean, deviation): the ratio of uniform numbers of Kinderman and Monahan (TOMS 3(3), 1977),
// not the gauss(mean, deviation) of the same module.
func normal(r *pyrandom.Rand, mean, deviation float64) float64 {
	for {
		u, v := r.Random(), 1-r.Random()
		z := normalMagic * (u - 0.5) / v
		if float64(z*z)/4 <= -math.Log(v) {
			return mean + float64(z*deviation)
		}
	}
}

// lognormal is lognormvariate(mean, deviation), both of the logarithm.
func lognormal(r *pyrandom.Rand, mean, deviation float64) float64 {
	return math.Exp(normal(r, mean, deviation))
}
