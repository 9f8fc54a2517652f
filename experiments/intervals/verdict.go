package intervals

// The verdicts.
const (
	Proven    = "proven"
	Missed    = "missed"
	Undecided = "not decided"
)

// Verdict says whether runs are in time in at least a share of all cases, above 0
// and at most 1, as far as the interval of the share that was tells: Proven where it
// does not go below, Missed where it lies below, else Undecided. A share of 1 is
// never proven.
func (i Interval) Verdict(share float64) string {
	switch {
	case i.Low >= share:
		return Proven
	case i.High < share:
		return Missed
	}
	return Undecided
}

// Least returns the least number of units that can prove a share: all runs are in
// time. It is 0 for a share of 1, which none can.
func Min(share float64) int {
	if share >= 1 {
		return 0
	}
	n := max(int(normal975*normal975*share/(1-share)), 1) // where n/(n+z²) is the share
	for wilson(1, n).Verdict(share) != Proven {
		n++
	}
	return n
}
