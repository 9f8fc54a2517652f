package fromruns

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/sim"
)

// Quantity is a time that differs from one observation to the next: lognormal where all that were observed are above
// 0, else normal and cut at 0.
type Quantity struct {
	N     int     // observations
	Level float64 // mean of the logarithms, or of the seconds
	Sigma float64 // standard deviation of the same
	Log   bool
	Rest  []float64 // residuals: each less Level, in the order of the observations
	// Err is the standard error of Level with n degrees of freedom, 0 where it is not known. Observations of one run
	// may have something in common: Err is that of sums by run (the sandwich estimator: Liang and Zeger, Biometrika
	// 1986) where there are two runs or more.
	Err, Freedom float64

	assumed bool // it was not observed
}

// sample is what was observed of a quantity.
type sample struct {
	values []float64
	runs   []int // of the values, ascending
}

func (s *sample) add(run int, values ...float64) {
	for range values {
		s.runs = append(s.runs, run)
	}
	s.values = append(s.values, values...)
}

// estimate fits a quantity; of a single observation the spread is the default.
func (s *sample) estimate() Quantity {
	count := float64(len(s.values))
	q := Quantity{N: len(s.values),
		Log: !slices.ContainsFunc(s.values, func(value float64) bool { return !(value > 0) })}
	for _, value := range s.values {
		q.Level += q.scale(value)
	}
	q.Level /= count
	square := 0.0
	byRun := 0.0
	clusters := 0.0
	runs := 0
	for i, value := range s.values {
		if i == 0 || s.runs[i] != s.runs[i-1] {
			clusters += float64(byRun * byRun)
			byRun = 0
			runs++
		}
		off := q.scale(value) - q.Level
		q.Rest = append(q.Rest, off)
		byRun += off
		square += float64(off * off)
	}
	clusters += float64(byRun * byRun)
	switch {
	case q.N == 1:
		q.Sigma = DefaultSigma
		if !q.Log {
			q.Sigma *= math.Abs(q.Level)
		}
		return q
	case runs > 1:
		q.Freedom = float64(runs - 1)
		q.Err = math.Sqrt(clusters/q.Freedom*float64(runs)) / count
	default:
		q.Freedom = count - 1
		q.Err = math.Sqrt(square/q.Freedom) / math.Sqrt(count)
	}
	q.Sigma = math.Sqrt(square / (count - 1))
	return q
}

// DefaultSigma is the standard deviation of the logarithm of a time, where a single one was observed.
const DefaultSigma = 0.25

// assume makes a quantity that was not observed.
func assume(seconds, sigma float64) Quantity {
	quantity := Quantity{Level: seconds, assumed: true}
	if seconds > 0 {
		quantity = Quantity{Level: math.Log(seconds), Sigma: sigma, Log: true, assumed: true}
	}
	return quantity
}

func (q *Quantity) scale(x float64) float64 {
	if q.Log {
		return math.Log(x)
	}
	return x
}

// seconds returns what stands at a place of the scale, at least 0.
func (q *Quantity) seconds(x float64) float64 {
	if q.Log {
		return math.Exp(x)
	}
	return math.Max(x, 0)
}

// Assumed reports whether it is a default.
func (q *Quantity) Assumed() bool { return q.assumed }

// Median returns the median, in seconds.
func (q *Quantity) Median() float64 { return q.seconds(q.Level) }

// Mean returns the mean of the distribution, in seconds.
func (q *Quantity) Mean() float64 {
	if q.Log {
		return math.Exp(q.Level + float64(q.Sigma*q.Sigma)/2)
	}
	return math.Max(q.Level, 0)
}

// Interval returns the interval of the median at a level such as 0.9, by Student's t, in seconds; its ends are the
// median where nothing was observed twice.
func (q *Quantity) Interval(level float64) (low, high float64) {
	if q.Freedom == 0 {
		return q.Median(), q.Median()
	}
	half := studentT(level, q.Freedom) * q.Err
	return q.seconds(q.Level - half), q.seconds(q.Level + half)
}

// studentT returns how many standard errors the interval of a level reaches to each side.
func studentT(level, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}

// spreadInterval returns the interval of 90 % of a standard deviation.
func spreadInterval(sigma, freedom float64) (low, high float64) {
	chi := distuv.ChiSquared{K: freedom}
	return sigma * math.Sqrt(freedom/chi.Quantile(0.95)), sigma * math.Sqrt(freedom/chi.Quantile(0.05))
}

// draw returns one of the distributions that the observations allow: the spread from its scaled inverse chi-squared
// distribution, and the mean as far off as that makes it (Gelman et al., Bayesian Data Analysis, section 3.2).
func (q *Quantity) draw(d *draws) Quantity {
	out := *q
	if q.Freedom > 0 {
		out.Sigma *= d.spread(float64(q.N - 1))
		out.Level += float64(q.Err * d.spread(q.Freedom) * d.normal())
	}
	return out
}

// mean returns the mean of n numbers of the distribution, in seconds, at least 0.
func (q *Quantity) mean(d *draws, n int) float64 {
	sum := 0.0
	for range max(n, 1) {
		drawn := q.Level + float64(q.Sigma*d.normal())
		if q.Log {
			drawn = math.Exp(drawn)
		}
		sum += drawn
	}
	return math.Max(sum, 0) / float64(max(n, 1))
}

// draws are random numbers one after the other.
type draws struct {
	from sim.Stream
	n    uint64
}

func newDraws(seed uint64) *draws {
	return &draws{from: sim.Rand{Seed: seed}.Stream(sim.PurposeUser, sim.NameEntity("fromruns"))}
}

func (d *draws) normal() float64 { d.n++; return d.from.Normal(d.n) }

// spread returns the root of freedom over a chi-squared number of n degrees of freedom.
func (d *draws) spread(freedom float64) float64 {
	d.n++
	uniform := math.Max(d.from.Uniform(d.n), 0x1p-53)
	return math.Sqrt(freedom / distuv.ChiSquared{K: freedom}.Quantile(uniform))
}
