package describe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
	"gonum.org/v1/gonum/floats/scalar"
)

// Until returns the longest lifetime, hours: beyond it nothing is known, unless
// nothing survives. 0 of nobody.
func (v Survival) Until() float64 {
	if len(v.Steps) == 0 {
		return 0
	}
	return v.Steps[len(v.Steps)-1].Hours
}

// At returns the share of machines that outlive an age in hours; false where
// that is not known.
func (v Survival) At(hours float64) (share float64, known bool) {
	i := sort.Search(len(v.Steps), func(i int) bool { return v.Steps[i].Hours > hours })
	if share = 1; i > 0 {
		share = v.Steps[i-1].Survival
	}
	return share, hours <= v.Until() || share == 0
}

// Median returns the least age, in hours, that half of the machines or fewer
// outlive; false if more than half outlive all that was seen.
func (v Survival) Median() (hours float64, known bool) {
	i := v.outlived(.5)
	if i == len(v.Steps) {
		return 0, false
	}
	return v.Steps[i].Hours, true
}

// outlived returns the first step from which no more than a share of the machines
// lives longer, and not all; the number of steps if there is none.
func (v Survival) outlived(by float64) int {
	return sort.Search(len(v.Steps), func(i int) bool { return v.Steps[i].Survival <= by && v.Steps[i].Survival < 1 })
}

// Quantile implements LifetimeDistribution. Beyond the longest lifetime seen, where
// censoring has left some alive, the curve goes on as an exponential through its last
// point (Brown, Hollander and Korwar, "Nonparametric tests of independence for
// censored data", 1974). It panics where no machine was lost (see Check).
func (v Survival) Quantile(u float64) float64 {
	last := len(v.Steps) - 1
	if last < 0 || v.Steps[last].Survival >= 1 {
		panic("traces: Quantile of a survival curve without any lost machine")
	}
	if end := v.Steps[last].Survival; 1-u < end {
		return min(v.Until()*math.Log(1-u)/math.Log(end), MaxLifetimeHours)
	}
	return max(1/series.HourUs, v.Steps[min(v.outlived(1-u), last)].Hours)
}

// String names the distribution, for results.
func (v Survival) String() string {
	hours, _ := v.falls()
	longest := shortest(scalar.Round(v.Until(), 4))
	return fmt.Sprintf("kaplan_meier(of=%s,steps=%d,longest=%sh)", v.Of, len(hours), longest)
}

// falls returns the ages at which machines were lost, and the shares that live longer.
func (v Survival) falls() (hours, shares []float64) {
	before := 1.0
	for _, s := range v.Steps {
		if s.Survival < before {
			hours = append(hours, s.Hours)
			shares = append(shares, s.Survival)
		}
		before = s.Survival
	}
	return hours, shares
}

// Check returns why lifetimes cannot be drawn from a curve: ages and shares that are
// not in order, or nobody lost.
func (v Survival) Check() error {
	hours := -1.0
	share := 1.0
	for i, s := range v.Steps {
		ascends := s.Hours > hours && s.Hours >= 0 && s.Hours <= MaxLifetimeHours
		descends := s.Survival >= 0 && s.Survival <= share
		if !ascends || !descends {
			return fmt.Errorf("survival[%d]: %v alive after %v h, "+
				"expected hours that ascend from 0 to %d and shares that descend from 1",
				i, s.Survival, s.Hours, MaxLifetimeHours)
		}
		hours = s.Hours
		share = s.Survival
	}
	if share < 1 {
		return nil
	}
	machines := 0
	if len(v.Steps) > 0 {
		machines = v.Steps[0].AtRisk
	}
	return fmt.Errorf("none of %d machines was lost, expected at least one", machines)
}

// SurvivalStep is a step of a survival curve: what holds from an age on, until
// the next step.
type SurvivalStep struct {
	Hours    float64 // the age
	AtRisk   int     // machines that had lived at least so long
	Lost     int     // of them, lost at that age
	Censored int     // of them, not seen any longer
	Survival float64 // share that lives longer
	Low      float64 // pointwise 95 % band, 0 to 1
	High     float64
}

// Survival is an estimated survival curve: a step at every age at which lifetimes end,
// ascending. It is a LifetimeDistribution to draw from, where machines were lost.
type Survival struct {
	Steps []SurvivalStep
	Of    string // whose lifetimes, for String; empty: unknown
}

// survivalFile is a survival curve in JSON: what it takes to draw from it.
type survivalFile struct {
	Hours   []float64 `json:"hours"`     // ascending: when machines were lost
	Alive   []float64 `json:"survival"`  // share that lives longer than that
	Longest float64   `json:"longest_h"` // that a machine was seen
}

// MarshalJSON writes the ages at which machines were lost, the shares that live longer
// and the longest lifetime; the other columns of the steps are not kept.
func (v Survival) MarshalJSON() ([]byte, error) {
	f := survivalFile{Longest: v.Until()}
	f.Hours, f.Alive = v.falls()
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON writes. Unknown fields and numbers out of order or out of range are errors.
func (v *Survival) UnmarshalJSON(text []byte) error {
	var f survivalFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	n := len(f.Hours)
	v.Steps = make([]SurvivalStep, n, n+1)
	for i := range f.Hours {
		v.Steps[i] = SurvivalStep{Hours: f.Hours[i], Survival: f.Alive[i]}
	}
	if f.Longest > f.Hours[n-1] {
		v.Steps = append(v.Steps, SurvivalStep{Hours: f.Longest, Survival: f.Alive[n-1]})
	}
	return nil
}

// check returns what is wrong with a curve that was read.
func (f *survivalFile) check() error {
	n := len(f.Hours)
	if n == 0 || n != len(f.Alive) || n > traces.MaxMachines {
		return fmt.Errorf("survival curve of %d hours and %d shares, expected as many of both, 1 to %d",
			n, len(f.Alive), traces.MaxMachines)
	}
	hours := -1.0
	alive := 1.0
	for i := range f.Hours {
		if !(f.Hours[i] > hours && f.Hours[i] >= 0) || !(f.Alive[i] >= 0 && f.Alive[i] < alive) {
			return fmt.Errorf("survival[%d]: %v alive after %v h, expected hours that ascend from 0 and shares that "+
				"descend from below 1", i, f.Alive[i], f.Hours[i])
		}
		hours = f.Hours[i]
		alive = f.Alive[i]
	}
	if !(f.Longest >= hours && f.Longest <= MaxLifetimeHours) {
		return fmt.Errorf("longest_h %v, expected %v to %v", f.Longest, hours, MaxLifetimeHours)
	}
	return nil
}
