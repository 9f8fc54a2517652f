package experiments

import "math"

// normal975 is the 97.5 % quantile of the standard normal law.
const normal975 = 1.959963984540054

// Wilson returns the ends of Wilson's score interval (JASA 22, 1927) at 95 % of a
// share, k of n; n is at least 1.
func Wilson(k, n int) (low, high float64) {
	const z = normal975
	p, m := float64(k)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max((middle-half)/(1+z*z/m), 0), min((middle+half)/(1+z*z/m), 1)
}

// The verdicts.
const (
	Proven    = "proven"
	Missed    = "missed"
	Undecided = "not decided"
)

// Verdict says whether runs are in time in at least a share of all cases, above 0
// and at most 1, as far as met of n runs tell: it is Proven where Wilson's interval
// does not go below the share, Missed where it lies below, else Undecided. A share
// of 1 is never proven. Runs are taken to be independent.
func Verdict(met, n int, share float64) string {
	switch low, high := Wilson(met, n); {
	case low >= share:
		return Proven
	case high < share:
		return Missed
	}
	return Undecided
}

// LeastRuns returns the least number of runs that can prove a share: all of them
// are in time. It is 0 for a share of 1, which none can.
func LeastRuns(share float64) int {
	if share >= 1 {
		return 0
	}
	n := max(int(normal975*normal975*share/(1-share)), 1) // where n/(n+z²) is the share
	for Verdict(n, n, share) != Proven {
		n++
	}
	return n
}
