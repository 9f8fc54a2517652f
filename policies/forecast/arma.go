package forecast

import "math"

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

	mu float64 // estimated by look
	s2 float64 // variance of e, estimated by look
}

// set gives the model its parameters, and the autocovariances of lags below n.
func (m *arma) set(kappa []float64, n int) {
	m.ar, m.ma = [maxOrder]float64{}, [maxOrder]float64{}
	for j, r := range kappa[m.p:] {
		durbin(m.ma[:j+1], r)
	}
	for j := range m.q {
		m.ma[j] = -m.ma[j]
	}
	m.autoregress(kappa[:m.p], n+m.q)
	m.gamma = resized(m.gamma, n)
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
	m.pure = resized(m.pure, n)
	v := 1.0
	for _, r := range kappa {
		v /= (1 - r) * (1 + r)
	}
	m.pure[0] = v
	for k := 1; k < n; k++ {
		c := 0.0
		for j := range min(k-1, m.p) {
			c += m.ar[j] * m.pure[k-1-j]
		}
		if k <= m.p {
			r := kappa[k-1]
			c += r * v
			v *= (1 - r) * (1 + r)
			durbin(m.ar[:k], r)
		}
		m.pure[k] = c
	}
}

// durbin adds to the coefficients of a prediction one more, the partial
// autocorrelation r at its end (Durbin 1960; Brockwell and Davis, Time Series,
// section 5.2).
func durbin(a []float64, r float64) {
	k := len(a) - 1
	for i, j := 0, k-1; i <= j; i, j = i+1, j-1 {
		a[i], a[j] = a[i]-r*a[j], a[j]-r*a[i]
	}
	a[k] = r
}

// predict turns to the best linear prediction of the t-th value, first one 0,
// from those before. To be called in the order of t.
func (m *arma) predict(t int) {
	switch {
	case t == 0:
		m.a, m.v = m.a[:0], m.gamma[0]
	case m.q == 0 && t > m.p: // the rest of the coefficients are 0
	default:
		c := m.gamma[t]
		for j, a := range m.a {
			c -= a * m.gamma[t-1-j]
		}
		r := c / m.v
		m.a = append(m.a, 0)
		durbin(m.a, r)
		m.v *= (1 - r) * (1 + r)
	}
}

// likelihood returns -2 times the exact log-likelihood of a sample at the present
// parameters, but for a constant, with the variance of e and the mean (0 without
// drift) that make it largest. It is not finite where there is no likelihood.
func (m *arma) likelihood(y []float64, drift bool) float64 {
	yy, y1, ones, det := 0.0, 0.0, 0.0, 1.0
	for t := range y {
		m.predict(t)
		e, one := y[t], 1.0
		for j, a := range m.a {
			e -= a * y[t-1-j]
			one -= a
		}
		yy += e * e / m.v
		y1 += e * one / m.v
		ones += one * one / m.v
		det *= m.v // tends to 1 with t: no overflow
	}
	m.mu = 0
	if drift {
		m.mu = y1 / ones
	}
	m.s2 = (yy - m.mu*y1) / float64(len(y))
	return float64(len(y))*math.Log(m.s2) + math.Log(det)
}

// extend fills y from the n-th value on with what is expected of them after look
// at the n values before.
func (m *arma) extend(y []float64, n int) {
	for t := n; t < len(y); t++ {
		m.predict(t)
		y[t] = m.mu
		for j, a := range m.a {
			y[t] += a * (y[t-1-j] - m.mu)
		}
	}
}

// resized is a slice of length n, with the memory of another if it is enough.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
