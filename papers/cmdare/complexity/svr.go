package complexity

import (
	"fmt"
	"math"
)

// Kernel is the similarity of two rows of features.
type Kernel func(x, z []float64) float64

// RBF is the kernel exp(-gamma |x-z|^2).
func RBF(gamma float64) Kernel {
	return func(x, z []float64) float64 {
		d := 0.0
		for i := range x {
			d += (x[i] - z[i]) * (x[i] - z[i])
		}
		return math.Exp(-gamma * d)
	}
}

// Polynomial is the kernel (gamma x.z + coef0)^degree.
func Polynomial(degree, gamma, coef0 float64) Kernel {
	return func(x, z []float64) float64 {
		dot := 0.0
		for i := range x {
			dot += x[i] * z[i]
		}
		return math.Pow(gamma*dot+coef0, degree)
	}
}

// SVR is a support-vector regression: y = Offset + sum of Weight[i] Kernel(Support[i], x).
type SVR struct {
	Kernel  Kernel
	Support [][]float64 // rows of features
	Weight  []float64   // by support vector
	Offset  float64
}

// SVRSettings are those of an epsilon support-vector regression.
type SVRSettings struct {
	Kernel  Kernel
	C       float64 // price of an error beyond Epsilon, above 0
	Epsilon float64 // errors that cost nothing, at least 0
}

// Where the solver stops: the largest violation of optimality (libsvm's default),
// and a bound on its steps, which no fit of this size comes near.
const (
	svrTolerance = 1e-3
	svrSteps     = 10_000_000
)

// FitSVR solves the dual of epsilon-SVR (Vapnik 1995) by sequential minimal
// optimisation: in each step the pair of variables that the second-order rule of
// Fan, Chen and Lin picks ("Working set selection using second order information
// for training support vector machines", JMLR 6, 2005), with no randomness.
//
// The dual has two variables a row, a_i and a*_i in [0, C], with signs +1 and -1;
// the weight of row i is a_i - a*_i, and the weights add up to 0.
func FitSVR(x [][]float64, y []float64, set SVRSettings) (*SVR, error) {
	if len(x) == 0 || len(x) != len(y) {
		panic(fmt.Sprintf("complexity: FitSVR: %d rows of features for %d values", len(x), len(y)))
	}
	s := newSMO(x, y, set)
	for range svrSteps {
		i, j := s.pair()
		if j < 0 {
			return s.solution(x, set.Kernel), nil
		}
		s.step(i, j)
	}
	return nil, fmt.Errorf("support-vector regression of %d rows has not converged in %d steps", len(x), svrSteps)
}

// Predict returns the prediction for one row of features, as many as it was fitted on.
func (m *SVR) Predict(x []float64) float64 {
	y := m.Offset
	for i, s := range m.Support {
		y += m.Weight[i] * m.Kernel(s, x)
	}
	return y
}

// smo is the solver. Variable t belongs to row t mod n, and has the sign +1
// below n and -1 from n on.
type smo struct {
	n    int
	c    float64
	k    [][]float64 // kernel of the rows
	own  []float64   // that of each row with itself
	a    []float64   // the variables
	lead []float64   // by variable: -sign times the gradient of the dual

	curves []float64 // by row: second derivatives of the pair's steps
}

func newSMO(x [][]float64, y []float64, set SVRSettings) *smo {
	n := len(x)
	s := &smo{n: n, c: set.C, k: make([][]float64, n), own: make([]float64, n),
		a: make([]float64, 2*n), lead: make([]float64, 2*n), curves: make([]float64, n)}
	for i := range n {
		s.k[i] = make([]float64, n)
		for j := range n {
			s.k[i][j] = set.Kernel(x[i], x[j])
		}
		s.own[i] = s.k[i][i]
		s.lead[i], s.lead[n+i] = y[i]-set.Epsilon, y[i]+set.Epsilon
	}
	return s
}

// up and down return how far variable t can move along and against its sign.
func (s *smo) up(t int) float64 {
	if t < s.n {
		return s.c - s.a[t]
	}
	return s.a[t]
}

func (s *smo) down(t int) float64 { return s.c - s.up(t) }

// pair returns the variable that violates optimality most and the one with which
// a step gains most; j is -1 where none violates it by the tolerance.
func (s *smo) pair() (i, j int) {
	largest, smallest := math.Inf(-1), math.Inf(1)
	for t := range s.a {
		if s.up(t) > 0 && s.lead[t] >= largest {
			i, largest = t, s.lead[t]
		}
	}
	s.curve(i % s.n)
	j, gain := -1, 0.0
	for t := range s.a {
		if s.down(t) <= 0 {
			continue
		}
		smallest = min(smallest, s.lead[t])
		row := t
		if row >= s.n {
			row -= s.n
		}
		if d := largest - s.lead[t]; d > 0 && d*d >= gain*s.curves[row] {
			j, gain = t, d*d/s.curves[row]
		}
	}
	if largest-smallest < svrTolerance {
		return i, -1
	}
	return i, j
}

// curve writes the second derivatives along steps of a row and every other.
func (s *smo) curve(row int) {
	k := s.k[row]
	for r, own := range s.own {
		s.curves[r] = max(k[row]+own-2*k[r], 1e-12)
	}
}

// step moves i along and j against its sign as far as is best or possible, after
// pair.
func (s *smo) step(i, j int) {
	d := min((s.lead[i]-s.lead[j])/s.curves[j%s.n], s.up(i), s.down(j))
	s.move(i, d)
	s.move(j, -d)
	ki, kj := s.k[i%s.n], s.k[j%s.n]
	for t := range s.n {
		change := d * (ki[t] - kj[t])
		s.lead[t] -= change
		s.lead[s.n+t] -= change
	}
}

// move moves variable t by d along its sign, and keeps it within [0, C].
func (s *smo) move(t int, d float64) {
	if t >= s.n {
		d = -d
	}
	s.a[t] = min(max(s.a[t]+d, 0), s.c)
}

// solution keeps the rows that matter. The offset is the mean lead of the
// variables within their bounds, or the middle of what the others allow.
func (s *smo) solution(x [][]float64, k Kernel) *SVR {
	m := &SVR{Kernel: k}
	for i := range s.n {
		if w := s.a[i] - s.a[s.n+i]; w != 0 {
			m.Support, m.Weight = append(m.Support, x[i]), append(m.Weight, w)
		}
	}
	sum, free, low, high := 0.0, 0, math.Inf(-1), math.Inf(1)
	for t := range s.a {
		switch up, down := s.up(t) > 0, s.down(t) > 0; {
		case up && down:
			sum, free = sum+s.lead[t], free+1
		case up:
			low = max(low, s.lead[t])
		default:
			high = min(high, s.lead[t])
		}
	}
	if m.Offset = (low + high) / 2; free > 0 {
		m.Offset = sum / float64(free)
	}
	return m
}
