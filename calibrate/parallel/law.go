package parallel

import "math"

// Law is the time of a step on n workers of one instance type, in seconds:
//
//	Alone·share(n) + Exchange·(n-1)/n + Latency·log2(n)
//
// where share is 1 in weak scaling and 1/n in strong scaling. The second term is
// what a ring all-reduce sends, 2(n-1)/n of the gradients (Thakur, Rabenseifner,
// Gropp, "Optimization of collective communication operations in MPICH", IJHPCA
// 2005), and in strong scaling also the part of the work that does not shrink
// (Amdahl, AFIPS 1967). The third is the latency of a tree of messages.
type Law struct {
	Scaling                  Scaling
	Alone, Exchange, Latency float64 // seconds, at least 0
}

// Step returns the time of a step on n workers, in seconds; n is at least 1.
func (l Law) Step(n int) float64 { return l.step(n, 0) }

// step raises the time of communication by the share margin.
func (l Law) step(n int, margin float64) float64 {
	t := l.terms(n)
	return float64(l.Alone*t[0]) + float64((1+margin)*float64(float64(l.Exchange*t[1])+float64(l.Latency*t[2])))
}

// terms are what the three parameters are multiplied with.
func (l Law) terms(n int) [3]float64 {
	x, share := float64(n), 1.0
	if l.Scaling == Strong {
		share = 1 / x
	}
	return [3]float64{share, (x - 1) / x, math.Log2(x)}
}
