package forecast

import (
	"math"

	"github.com/marigram/marigram/policies/policyutil"
)

// maxOrder is the largest order of the two polynomials of a model.
const maxOrder = 3

// arma is a stationary series with mean mu,
//
//	y(t) - mu = Σ ar(j)·(y(t-j) - mu) + e(t) + Σ ma(j)·e(t-j),
//
// e normal and independent. Its parameters are the p + q partial autocorrelations
// of the two polynomials, each in (-1, 1): all of them give stationary, invertible
// models, and all such models can be had (Monahan, Biometrika 1984).
type arma struct {
	p, q  int
	ar    [maxOrder]float64
	ma    [maxOrder]float64
	pure  []float64 // autocovariances of the autoregressive part, where e has variance 1
	gamma []float64 // and of the whole
	a     []float64 // coefficients of the best linear prediction from what came before
	v     float64   // its variance, where e has variance 1

	mu       float64 // estimated by likelihood
	variance float64 // of e, estimated by likelihood
}

// set gives the model its parameters, and the autocovariances of lags below n.
func (m *arma) set(kappa []float64, n int) {
	m.ar = [maxOrder]float64{}
	m.ma = [maxOrder]float64{}
	for j, r := range kappa[m.p:] {
		durbin(m.ma[:j+1], r)
	}
	for j := range m.q {
		m.ma[j] = -m.ma[j]
	}
	m.autoregress(kappa[:m.p], n+m.q)
	m.gamma = policyutil.Resize(m.gamma, n)
	if m.q == 0 {
		copy(m.gamma, m.pure)
		return
	}
	for k := range m.gamma {
		m.gamma[k] = 0
		for i := range m.q + 1 {
			for j := range m.q + 1 {
				m.gamma[k] += m.weight(i) * m.weight(j) * m.pure[max(k+i-j, j-k-i)]
			}
		}
	}
}

// weight is the coefficient of e(t-j).
func (m *arma) weight(j int) float64 {
	if j == 0 {
		return 1
	}
	return m.ma[j-1]
}

// autoregress fills in ar, and the autocovariances of n lags of that part alone.
func (m *arma) autoregress(kappa []float64, n int) {
	m.pure = policyutil.Resize(m.pure, n)
	variance := 1.0 // of the prediction from the lags so far
	for _, r := range kappa {
		variance /= (1 - r) * (1 + r)
	}
	m.pure[0] = variance
	for k := 1; k < n; k++ {
		covariance := 0.0
		for j := range min(k-1, m.p) {
			covariance += m.ar[j] * m.pure[k-1-j]
		}
		if k <= m.p {
			r := kappa[k-1]
			covariance += r * variance
			variance *= (1 - r) * (1 + r)
			durbin(m.ar[:k], r)
		}
		m.pure[k] = covariance
	}
}

// durbin adds to the coefficients of a prediction one more, the partial
// autocorrelation r at its end (Durbin 1960; Brockwell and Davis, Time Series,
// section 5.2).
func durbin(a []float64, r float64) {
	k := len(a) - 1
	for i := 0; 2*i < k; i++ {
		j := k - 1 - i
		low := a[i] - r*a[j]
		high := a[j] - r*a[i]
		a[i] = low
		a[j] = high
	}
	a[k] = r
}

// predict turns to the best linear prediction of the t-th value, first one 0,
// from those before. To be called in the order of t.
func (m *arma) predict(t int) {
	if t == 0 {
		m.a = m.a[:0]
		m.v = m.gamma[0]
		return
	}
	if m.q == 0 && t > m.p { // the rest of the coefficients are 0
		return
	}
	covariance := m.gamma[t]
	for j, a := range m.a {
		covariance -= a * m.gamma[t-1-j]
	}
	r := covariance / m.v
	m.a = append(m.a, 0)
	durbin(m.a, r)
	m.v *= (1 - r) * (1 + r)
}

// likelihood returns -2 times the exact log-likelihood of a sample at the present
// parameters, but for a constant, with the variance of e and the mean (0 without
// drift) that make it largest. It is not finite where there is no likelihood.
func (m *arma) likelihood(y []float64, drift bool) float64 {
	squares := 0.0 // of the errors of prediction, by their variance
	products := 0.0
	ones := 0.0
	determinant := 1.0
	for t := range y {
		m.predict(t)
		e := y[t]
		one := 1.0 // the error of the prediction of a series of ones
		for j, a := range m.a {
			e -= a * y[t-1-j]
			one -= a
		}
		squares += e * e / m.v
		products += e * one / m.v
		ones += one * one / m.v
		determinant *= m.v // tends to 1 with t: no overflow
	}
	m.mu = 0
	if drift {
		m.mu = products / ones
	}
	m.variance = (squares - m.mu*products) / float64(len(y))
	return float64(len(y))*math.Log(m.variance) + math.Log(determinant)
}

// extend fills y from the n-th value on with what is expected of them after likelihood has looked at the n values
// before.
func (m *arma) extend(y []float64, n int) {
	for t := n; t < len(y); t++ {
		m.predict(t)
		y[t] = m.mu
		for j, a := range m.a {
			y[t] += a * (y[t-1-j] - m.mu)
		}
	}
}
