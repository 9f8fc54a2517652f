package traces

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
)

// survival is a Kaplan-Meier estimate (KaplanMeier) as a law to draw lives from:
// the share of machines that live longer than some hours.
type survival struct {
	Hours []float64 `json:"hours"`    // ascending: when machines died
	Alive []float64 `json:"survival"` // share that lives longer than that
	// Longest is the longest that a machine was seen, h.
	Longest float64 `json:"longest_h"`

	of string // whose lives; empty: not known
}

// kaplanMeier estimates survival; an error if no machine died.
func kaplanMeier(lives []lived) (*survival, error) {
	all := make([]Life, len(lives))
	s := &survival{}
	for i, l := range lives {
		all[i] = Life{To: int64(math.Round(l.hours * microsecondsPerHour)), Lost: l.died}
		s.Longest = max(s.Longest, l.hours)
	}
	for _, step := range KaplanMeier(all).Steps {
		if step.Lost == 0 {
			continue
		}
		s.Hours, s.Alive = append(s.Hours, step.Hours), append(s.Alive, step.Survival)
	}
	if len(s.Hours) == 0 {
		return nil, fmt.Errorf("of %d machines none was seen to die, expected at least one", len(lives))
	}
	return s, nil
}

// check returns what is wrong with a curve that was read.
func (s *survival) check() error {
	if len(s.Hours) == 0 || len(s.Hours) != len(s.Alive) || len(s.Hours) > MaxMachines {
		return fmt.Errorf("survival curve of %d hours and %d shares, expected as many of both, 1 to %d", len(s.Hours), len(s.Alive), MaxMachines)
	}
	hours, alive := 0.0, 1.0
	for i := range s.Hours {
		if !(s.Hours[i] > hours) || !(s.Alive[i] >= 0 && s.Alive[i] < alive) {
			return fmt.Errorf("survival[%d]: %v alive after %v h, expected hours that ascend from above 0 and shares that descend from below 1", i, s.Alive[i], s.Hours[i])
		}
		hours, alive = s.Hours[i], s.Alive[i]
	}
	if !(s.Longest >= hours && s.Longest <= maxLifeHours) {
		return fmt.Errorf("longest_h %v, expected %v to %v", s.Longest, hours, maxLifeHours)
	}
	return nil
}

// bathtub fits the bathtub law to the steps, to six decimals.
func (s *survival) bathtub() (Bathtub, error) {
	died := make([]float64, len(s.Alive))
	for i, alive := range s.Alive {
		died[i] = 1 - alive
	}
	b, err := FitBathtub(s.Hours, died)
	return Bathtub{scalar.Round(b.A, 6), scalar.Round(b.Tau1, 6), scalar.Round(b.Tau2, 6), scalar.Round(b.B, 6)}, err
}

// maxLifeHours bounds believed lives: a hundred years.
const maxLifeHours = 100 * 365 * 24

// at returns the share that lives longer than some hours.
func (s *survival) at(hours float64) float64 {
	i, found := slices.BinarySearch(s.Hours, hours)
	if !found {
		i--
	}
	if i < 0 {
		return 1
	}
	return s.Alive[i]
}

// quantile returns the life that a share u, in [0, 1), of the machines does not
// exceed. Beyond the longest life seen, where censoring has left some alive,
// the curve goes on as an exponential through its last point (Brown, Hollander
// and Korwar, "Nonparametric tests of independence for censored data", 1974).
func (s *survival) quantile(u float64) float64 {
	last := len(s.Hours) - 1
	if end := s.Alive[last]; 1-u < end {
		return min(s.Longest*math.Log(1-u)/math.Log(end), maxLifeHours)
	}
	i, _ := slices.BinarySearchFunc(s.Alive, 1-u, func(alive, want float64) int { return cmp.Compare(want, alive) })
	return s.Hours[min(i, last)]
}

// distance returns the largest difference of two curves up to some hours
// (Kolmogorov's distance).
func (s *survival) distance(t *survival, until float64) float64 {
	worst := 0.0
	for _, hours := range slices.Concat(s.Hours, t.Hours) {
		if hours <= until {
			worst = math.Max(worst, math.Abs(s.at(hours)-t.at(hours)))
		}
	}
	return worst
}

// shortest is a number in as few digits as tell it.
func shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Lifetime is a law of how long machines live.
type Lifetime interface {
	// Quantile returns the hours, above 0, that a share u, in [0, 1), of the
	// machines does not outlive.
	Quantile(u float64) float64
	// String names the law, for results.
	String() string
}

// Quantile and String make the estimate a Lifetime.
func (s *survival) Quantile(u float64) float64 { return s.quantile(u) }
func (s *survival) String() string {
	return fmt.Sprintf("kaplan_meier(of=%s,steps=%d,longest=%sh)", s.of, len(s.Hours), shortest(scalar.Round(s.Longest, 4)))
}

// RecordedLives returns the Kaplan-Meier estimate of the lives of the machines
// of pools of a set; no pools means all. A machine that its user stopped (terminate for the reason user), or
// that is there at the end of the observation, is censored; every other end is
// a death, for most sources do not record the cause. Machines that came with
// the first record are taken as new then. An error if no machine died.
func RecordedLives(s *Set, pools ...int) (Lifetime, error) {
	h := newHistory(s)
	lives, of := slices.Concat(h.lives...), s.Manifest.TraceID
	if len(pools) > 0 {
		lives = nil
	}
	for _, p := range pools {
		lives, of = append(lives, h.lives[p]...), of+"/"+s.Pools[p].Name
	}
	curve, err := kaplanMeier(lives)
	if err != nil {
		return nil, err
	}
	curve.of = of
	return curve, nil
}

// ExponentialLife is the law of machines that do not age; its value is their
// mean life in hours, above 0.
type ExponentialLife float64

// Quantile implements Lifetime.
func (mean ExponentialLife) Quantile(u float64) float64 { return -float64(mean) * math.Log1p(-u) }
func (mean ExponentialLife) String() string {
	return "exponential(mean=" + shortest(float64(mean)) + "h)"
}

// Capped is a law of lifetimes whose every life has ended by an age: who would
// live longer dies then. Google's preemptible VMs ended by 24 h (recorded ones
// within half an hour after); its Spot VMs, which took their place, have no limit.
type Capped struct {
	Lifetime
	Max time.Duration // above 0
}

// Quantile implements Lifetime.
func (c Capped) Quantile(u float64) float64 { return math.Min(c.Lifetime.Quantile(u), c.Max.Hours()) }

func (c Capped) String() string {
	return c.Lifetime.String() + "<=" + shortest(c.Max.Hours()) + "h"
}
