package traces

import (
	"fmt"
	"math"
)

// Bathtub is the law of lives of machines that must end by an age: the share
// that has died by t hours is
//
//	F(t) = A (1 - exp(-t/Tau1) + exp((t-B)/Tau2)), at most 1
//
// so that many die early (over Tau1), few for long, and all around the age B
// (within some Tau2). The form is that of Kadupitiya, Jadhao and Sharma,
// "Modeling The Temporally Constrained Preemptions of Transient Cloud VMs",
// HPDC 2020 (arXiv 1911.05160), as public code of that model evaluates it. F(0)
// is not 0 but A exp(-B/Tau2), which is nothing where B is many Tau2.
//
// The form is published, and that Google ended preemptible VMs by 24 h (its Spot
// VMs have no such end). The paper's parameters, by machine type, are in none of
// the records that this package was checked with. Recorded shares differ widely:
// of CM-DARE's 396 GPU servers (ICDCS 2020, arXiv 2004.03072) 23 to 73 % were
// revoked before 24 h, by GPU and region. Fit the law to the lives that are meant.
type Bathtub struct {
	A    float64 `json:"a_share"` // 1e-6 to 1
	Tau1 float64 `json:"tau1_h"`  // 1e-6 to 1e6
	Tau2 float64 `json:"tau2_h"`  // 1e-6 to 1e6
	B    float64 `json:"b_h"`     // at least 0
}

// PublishedBathtub returns the law through the Kaplan-Meier shares of Google's
// preemptible VMs, .851, .724, .682, .614 and .13 alive after 1, 6, 12, 24 and
// 24.5 h (kadupitiya/goog-preemption-data at b22f181e, 717 deaths among 1,442
// machines): least squares of five points by four parameters, worst .020. These
// are of all machine types and zones together, and not the paper's own.
func PublishedBathtub() Bathtub { return Bathtub{A: .3012, Tau1: 1.526, Tau2: .2627, B: 24.333} }

// Check returns what is wrong with the parameters.
func (b Bathtub) Check() error {
	if !within(b.A, 1e-6, 1) || !within(b.Tau1, 1e-6, 1e6) || !within(b.Tau2, 1e-6, 1e6) || !within(b.B, 0, maxLifeHours) {
		return fmt.Errorf("bathtub a %v, tau1 %v h, tau2 %v h, b %v h, expected 1e-6 to 1, 1e-6 to 1e6, 1e-6 to 1e6, 0 to %d", b.A, b.Tau1, b.Tau2, b.B, maxLifeHours)
	}
	return nil
}

// Died returns the share of machines that has died by an age in hours.
func (b Bathtub) Died(hours float64) float64 {
	late := math.Exp(math.Min(700, (hours-b.B)/b.Tau2))
	return math.Min(1, b.A*(1-math.Exp(-hours/b.Tau1)+late))
}

// Quantile implements Lifetime, by bisection to a microsecond.
func (b Bathtub) Quantile(u float64) float64 {
	low, high := 0.0, b.B+1
	for b.Died(high) < 1 {
		high += high
	}
	for high-low > .5/microsecondsPerHour {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if b.Died(mid) <= u {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

func (b Bathtub) String() string {
	return fmt.Sprintf("bathtub(a=%s,tau1=%sh,tau2=%sh,b=%sh)", decimal(b.A), decimal(b.Tau1), decimal(b.Tau2), decimal(b.B))
}

// fitBathtub fits the law to a survival curve, by least squares at its steps,
// from a deadline at the longest life: a pattern search (Hooke and Jeeves,
// "Direct search solution of numerical and statistical problems", JACM 8, 1961).
func fitBathtub(s *survival) Bathtub {
	longest := math.Max(s.Longest, 1e-3)
	x := [4]float64{.4, longest / 20, longest / 30, longest}
	stride := [4]float64{.1, longest / 40, longest / 60, longest / 10}
	for range 3 { // strides that shrank along a valley are tried anew
		x = patternSearch(x, stride, func(y [4]float64) float64 { return bathtubError(s, y) })
	}
	return Bathtub{round(x[0], 6), round(x[1], 6), round(x[2], 6), round(x[3], 6)}
}

// patternSearch moves along the axes, then as far again in the direction in
// which that led, and halves the strides where neither helps.
func patternSearch(x, stride [4]float64, f func([4]float64) float64) [4]float64 {
	explore := func(x [4]float64, e float64) ([4]float64, float64) {
		for i := range x {
			for _, sign := range [2]float64{1, -1} {
				y := x
				y[i] += sign * stride[i]
				if d := f(y); d < e {
					x, e = y, d
					break
				}
			}
		}
		return x, e
	}
	best := f(x)
	for range 5000 {
		next, e := explore(x, best)
		if e >= best {
			for i := range stride {
				stride[i] /= 2
			}
			if stride[0] < 1e-7 {
				return x
			}
			continue
		}
		for e < best {
			var ahead [4]float64
			for i := range x {
				ahead[i] = 2*next[i] - x[i]
			}
			x, best = next, e
			next, e = explore(ahead, f(ahead))
		}
	}
	return x
}

func bathtubError(s *survival, x [4]float64) float64 {
	b := Bathtub{x[0], x[1], x[2], x[3]}
	if b.Check() != nil || b.Tau1 < 1e-5 || b.Tau2 < 1e-5 {
		return math.Inf(1)
	}
	sum := 0.0
	for i, hours := range s.Hours {
		d := b.Died(hours) - (1 - s.Alive[i])
		sum += d * d
	}
	return sum
}
