package forecast

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/policyutil"
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

	model       arma
	differences []float64 // then their forecasts
	observed    int       // how many are
	mean        float64   // taken off them before the fit
	ends        [maxDifferences]float64
	kappa       [2 * maxOrder]float64 // the parameters tried
}

// Forecast implements Forecaster.
func (m *ARIMA) Forecast(out, trace []float64) {
	m.check()
	window := last(trace, m.Window)
	if len(window) < m.P+m.Q+m.D+2 {
		fill(out, window[len(window)-1])
		return
	}
	m.difference(window, len(out))
	if m.areAlike() {
		fill(m.differences[m.observed:], 0)
	} else {
		m.fit()
		m.try(m.kappa[:m.P+m.Q], len(m.differences))
		m.model.extend(m.differences, m.observed)
	}
	for k := range out {
		out[k] = m.differences[m.observed+k] + m.mean
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
		panic(fmt.Sprintf("forecast: ARIMA(%d,%d,%d) of %d values, want P and Q 0 to %d, D 0 to %d, no negative window",
			m.P, m.D, m.Q, m.Window, maxOrder, maxDifferences))
	}
}

// maxDifferences is how often differences are taken at most.
const maxDifferences = 2

// orders says whether there are models of these orders.
func orders(p, d, q int) bool {
	return min(p, d, q) >= 0 && max(p, q) <= maxOrder && d <= maxDifferences
}

// difference takes the differences of a window, and their mean off them where there is a drift, with room for horizon
// more.
func (m *ARIMA) difference(window []float64, horizon int) {
	m.observed = len(window) - m.D
	list := append(policyutil.Resize(m.differences, len(window)+horizon)[:0], window...)
	for d := range m.D {
		m.ends[d] = list[len(list)-1]
		for k := range list[1:] {
			list[k] = list[k+1] - list[k]
		}
		list = list[:len(list)-1]
	}
	m.mean = 0
	if m.Drift {
		m.mean = stats.Mean(list)
		for k := range list {
			list[k] -= m.mean
		}
	}
	m.differences = list[:m.observed+horizon]
}

// areAlike says whether all differences are at their mean, but for rounding.
func (m *ARIMA) areAlike() bool {
	for _, v := range m.differences[:m.observed] {
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
		m.kappa[0] = searchLine(m.tryOne, -edge, edge)
	default:
		m.setBounded(searchSimplex(m.tryMany, m.P+m.Q))
	}
}

// try returns what the search makes least: twice the negative log-likelihood.
func (m *ARIMA) try(kappa []float64, lags int) float64 {
	m.model.p = m.P
	m.model.q = m.Q
	m.model.set(kappa, lags)
	value := m.model.likelihood(m.differences[:m.observed], m.Drift)
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	return value
}

func (m *ARIMA) tryOne(r float64) float64 {
	m.kappa[0] = r
	return m.try(m.kappa[:1], m.observed)
}

func (m *ARIMA) tryMany(unbounded []float64) float64 {
	return m.try(m.setBounded(unbounded), m.observed)
}

// setBounded maps any numbers to parameters.
func (m *ARIMA) setBounded(unbounded []float64) []float64 {
	for k, v := range unbounded {
		m.kappa[k] = edge * math.Tanh(v)
	}
	return m.kappa[:len(unbounded)]
}
