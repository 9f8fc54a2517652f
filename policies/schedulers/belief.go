package schedulers

import (
	"maps"
	"math"
	"slices"
)

// belief is what jobs that have ended say of how long jobs take: the logarithms of what they took over what was
// believed, of all and by class.
type belief struct {
	n, sum, squares float64 // of all

	number  map[string]int // of a class that was met: whose jobs may be alike
	classes []classBelief
	ended   float64 // classes of which a job has ended
	means   float64 // the sum over classes of sum^2/n
	sizes   float64 // the sum over classes of n^2
}

// classBelief is the logarithms of one class.
type classBelief struct{ n, sum float64 }

// of returns the number of a class.
func (b *belief) of(class string) int {
	k, known := b.number[class]
	if known {
		return k
	}
	if b.number == nil {
		b.number = map[string]int{}
	}
	k = len(b.classes)
	b.number[class] = k
	b.classes = append(b.classes, classBelief{})
	return k
}

// add takes in a job of a class that took that many times as long as believed.
func (b *belief) add(class int, ratio float64) {
	z := math.Log(max(ratio, 1e-3))
	of := &b.classes[class]
	b.n++
	b.sum += z
	b.squares += z * z
	if of.n == 0 {
		b.ended++
	} else {
		b.means -= of.sum * of.sum / of.n
	}
	b.sizes += 2*of.n + 1
	of.n++
	of.sum += z
	b.means += of.sum * of.sum / of.n
}

func (b *belief) clone() belief {
	c := *b
	c.number = maps.Clone(b.number)
	c.classes = slices.Clone(b.classes)
	return c
}

// law is the lognormal distribution of durations over what is believed: mean and standard deviation of the logarithm.
type law struct{ mu, sigma float64 }

// law returns the distribution of a class: its mean shrunk to that of all jobs, as in a hierarchical normal model
// (Gelman et al., Bayesian Data Analysis, 3rd ed., 5.4): by alike n/(1+(n-1) alike), where n of its jobs have ended.
// A class of which none has is as all jobs.
func (b *belief) law(class int, sigma float64) law {
	all := b.all(sigma)
	of := &b.classes[class]
	alike := b.alike(all.sigma)
	if alike == 0 || of.n == 0 {
		return all
	}
	weight := of.n * alike / (1 + (of.n-1)*alike)
	return law{all.mu + weight*(of.sum/of.n-all.mu), all.sigma * math.Sqrt(1-alike*weight)}
}

// all is the distribution of all jobs, where one that was off by sigma is taken to have been seen before all others.
func (b *belief) all(sigma float64) law {
	mu := b.sum / (b.n + 1)
	return law{mu, math.Sqrt((sigma*sigma + max(b.squares-2*mu*b.sum+b.n*mu*mu, 0)) / (b.n + 1))}
}

// alike is the part of the variance that lies between classes (the intraclass correlation, by the analysis of
// variance of one way: Searle, Casella and McCulloch, Variance Components, 3.6), where one job more is taken to be as
// far from its class as jobs are from one another.
func (b *belief) alike(sigma float64) float64 {
	if b.ended < 2 {
		return 0
	}
	within := (max(b.squares-b.means, 0) + sigma*sigma) / (b.n - b.ended + 1)
	between := (b.means - b.sum*b.sum/b.n - (b.ended-1)*within) / (b.n - b.sizes/b.n)
	if between <= 0 {
		return 0
	}
	return between / (between + within)
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
