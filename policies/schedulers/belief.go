package schedulers

import "math"

// belief is what jobs that have ended say of how long jobs take: the logarithms of what they took over what was believed.
type belief struct {
	n            int
	sum, squares float64
}

// add takes in a job that took that many times as long as believed.
func (b *belief) add(ratio float64) {
	z := math.Log(max(ratio, 1e-3))
	b.n++
	b.sum += z
	b.squares += z * z
}

// law is the lognormal distribution of durations over what is believed: mean and standard deviation of the logarithm.
type law struct{ mu, sigma float64 }

// law returns the distribution, where one job that was off by sigma is taken to have been seen before all others.
func (b *belief) law(sigma float64) law {
	n := float64(b.n)
	mu := b.sum / (n + 1)
	return law{mu, math.Sqrt((sigma*sigma + max(b.squares-2*mu*b.sum+n*mu*mu, 0)) / (n + 1))}
}

// exact is the standard deviation from which on what is believed is taken to be known.
const exact = 1e-3

// quantile is the part q of the work that may be left of a job that has done so much.
func (l law) quantile(work, done, q float64) float64 {
	if l.sigma < exact {
		return l.known(work, done)
	}
	beyond := upper(l.place(work, done))
	return max(work*math.Exp(l.mu+l.sigma*upperAt((1-q)*beyond))-done, 0.01*work)
}

// mean is the mean of it.
func (l law) mean(work, done float64) float64 {
	if l.sigma < exact {
		return l.known(work, done)
	}
	z := l.place(work, done)
	beyond := upper(z)
	if beyond < 1e-12 {
		return 0.1 * done
	}
	return max(work*math.Exp(l.mu+l.sigma*l.sigma/2)*upper(z-l.sigma)/beyond-done, 0.01*work)
}

// place is where what is done stands in the distribution.
func (l law) place(work, done float64) float64 {
	return (math.Log(max(done/work, 1e-9)) - l.mu) / l.sigma
}

func (l law) known(work, done float64) float64 { return max(work*math.Exp(l.mu)-done, 0.01*work) }

// upper is the probability that a normal number is above z; upperAt is its inverse.
func upper(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

func upperAt(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*max(p, 1e-300)) }
