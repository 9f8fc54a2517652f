package schedulers

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"
)

// Gittins ranks jobs by the Gittins index of a distribution of their service: the chance to end
// within a quantum, by the service expected for it, of a job that has received so much.
type Gittins struct {
	table func() gittinsTable // the same at each call
}

type gittinsTable struct {
	service []float64 // ascending
	index   []float64 // by place in service, of a job just below it
}

// NewGittins returns the index of a sample of services, in any order, for a quantum, as
// Tiresias's simulator tabulates it: with chances and expectations rounded to five decimals
// and indices to four. It panics for an empty sample.
func NewGittins(services []float64, quantum float64) *Gittins {
	if len(services) == 0 || !(quantum > 0) {
		panic("cluster: NewGittins: expected services and a quantum above 0")
	}
	g := tabulate(services, quantum)
	return &Gittins{table: func() gittinsTable { return g }}
}

// LaterGittins is NewGittins of a sample that is read when it is first needed, once. It
// panics then for an empty sample.
func LaterGittins(services func() []float64, quantum float64) *Gittins {
	g := sync.OnceValue(func() *Gittins { return NewGittins(services(), quantum) })
	return &Gittins{table: func() gittinsTable { return g().table() }}
}

func tabulate(services []float64, quantum float64) gittinsTable {
	d := slices.Sorted(slices.Values(services))
	g := gittinsTable{service: d}
	sums := make([]float64, len(d)+1)
	for i, x := range d {
		sums[i+1] = sums[i] + x
	}
	n, largest := len(d), d[len(d)-1]
	for _, x := range d {
		a := x - 1
		if a > largest-1 {
			g.index = append(g.index, 0)
			continue
		}
		i, end := above(d, a), n-1
		if a+quantum <= largest-1 {
			end = above(d, a+quantum)
		}
		chance := rounded(float64(end-i)/float64(n-i), 5)
		expected := rounded((sums[end]-sums[i]+quantum*float64(n-end))/float64(n-i), 5)
		g.index = append(g.index, rounded(1e6*chance/expected, 4))
	}
	return g
}

// Index returns the index of a job that has received a service; 0 if no job of the sample
// received more.
func (g *Gittins) Index(service float64) float64 {
	t := g.table()
	if i := above(t.service, service); i < len(t.index) {
		return t.index[i]
	}
	return 0
}

// above returns the place of the first number above x.
func above(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// rounded rounds to decimals as Python's round does: the value in binary, half to even.
func rounded(x float64, decimals int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return y
}

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
