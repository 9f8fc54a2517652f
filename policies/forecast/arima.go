package forecast

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/stats"
)

// ARIMA fits an autoregressive integrated moving average to the window at every
// forecast: the D-th differences are a Gaussian ARMA(P, Q), with Drift around a
// mean, else around 0. The fit is by the exact likelihood of the differences, the
// mean and the variance concentrated out. P and Q are 0 to 3, D is 0 to 2. A
// window too short for a fit, P+Q+D+2 values, stays as it is; differences that are
// all alike go on.
//
// With P+Q of at most 1 the search is one-dimensional and allocates nothing when
// warm; with more it is the simplex of gonum, which does.
type ARIMA struct {
	P, D, Q int
	Drift   bool
	Window  int // values looked at; 0: all

	model arma
	y     []float64 // differences, then their forecasts
	n     int       // how many are observed
	mean  float64   // taken off them before the fit
	ends  [maxDifferences]float64
	kappa [2 * maxOrder]float64 // the parameters tried
}

// Forecast implements Forecaster.
func (m *ARIMA) Forecast(out, trace []float64) {
	m.check()
	x := last(trace, m.Window)
	if len(x) < m.P+m.Q+m.D+2 {
		fill(out, x[len(x)-1])
		return
	}
	m.difference(x, len(out))
	if m.alike() {
		fill(m.y[m.n:], 0)
	} else {
		m.fit()
		m.try(m.kappa[:m.P+m.Q], len(m.y))
		m.model.extend(m.y, m.n)
	}
	for k := range out {
		out[k] = m.y[m.n+k] + m.mean
	}
	for d := m.D - 1; d >= 0; d-- {
		sum := m.ends[d]
		for k := range out {
			sum += out[k]
			out[k] = sum
		}
	}
}

func (m *ARIMA) check() {
	if !orders(m.P, m.D, m.Q) || m.Window < 0 {
		panic(fmt.Sprintf("forecast: ARIMA(%d,%d,%d) of %d values, want P and Q 0 to %d, D 0 to %d, no negative window", m.P,
			m.D, m.Q, m.Window, maxOrder, maxDifferences))
	}
}

// maxDifferences is how often differences are taken at most.
const maxDifferences = 2

// orders says whether there are models of these orders.
func orders(p, d, q int) bool {
	return min(p, d, q) >= 0 && max(p, q) <= maxOrder && d <= maxDifferences
}

// difference takes the differences of x, and their mean off them where there is
// a drift, with room for horizon more.
func (m *ARIMA) difference(x []float64, horizon int) {
	m.n = len(x) - m.D
	m.y = append(resized(m.y, len(x)+horizon)[:0], x...)
	for d := range m.D {
		m.ends[d] = m.y[len(m.y)-1]
		for k := range m.y[1:] {
			m.y[k] = m.y[k+1] - m.y[k]
		}
		m.y = m.y[:len(m.y)-1]
	}
	m.mean = 0
	if m.Drift {
		m.mean = stats.Mean(m.y)
		for k := range m.y {
			m.y[k] -= m.mean
		}
	}
	m.y = m.y[:m.n+horizon]
}

// alike says whether all differences are at their mean, but for rounding.
func (m *ARIMA) alike() bool {
	for _, v := range m.y[:m.n] {
		if math.Abs(v) > 1e-12*math.Max(1, math.Abs(m.mean)) {
			return false
		}
	}
	return true
}

// edge is the largest partial autocorrelation tried.
const edge = 1 - 1e-9

// fit finds the parameters of the largest likelihood.
func (m *ARIMA) fit() {
	switch m.P + m.Q {
	case 0:
	case 1:
		m.kappa[0] = line(m.one, -edge, edge)
	default:
		m.bound(simplex(m.many, m.P+m.Q))
	}
}

// try returns what the search makes least: twice the negative log-likelihood.
func (m *ARIMA) try(kappa []float64, lags int) float64 {
	m.model.p, m.model.q = m.P, m.Q
	m.model.set(kappa, lags)
	v := m.model.likelihood(m.y[:m.n], m.Drift)
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

func (m *ARIMA) one(r float64) float64 {
	m.kappa[0] = r
	return m.try(m.kappa[:1], m.n)
}

func (m *ARIMA) many(u []float64) float64 { return m.try(m.bound(u), m.n) }

// bound maps any numbers to parameters.
func (m *ARIMA) bound(u []float64) []float64 {
	for k, v := range u {
		m.kappa[k] = edge * math.Tanh(v)
	}
	return m.kappa[:len(u)]
}
