package describe

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/traces"
)

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
		return fmt.Errorf("survival curve of %d hours and %d shares, expected as many of both, 1 to %d", n, len(f.Alive),
			traces.MaxMachines)
	}
	hours, alive := -1.0, 1.0
	for i := range f.Hours {
		if !(f.Hours[i] > hours && f.Hours[i] >= 0) || !(f.Alive[i] >= 0 && f.Alive[i] < alive) {
			return fmt.Errorf("survival[%d]: %v alive after %v h, expected hours that ascend from 0 and shares that "+
				"descend from below 1", i, f.Alive[i], f.Hours[i])
		}
		hours, alive = f.Hours[i], f.Alive[i]
	}
	if !(f.Longest >= hours && f.Longest <= MaxLifetimeHours) {
		return fmt.Errorf("longest_h %v, expected %v to %v", f.Longest, hours, MaxLifetimeHours)
	}
	return nil
}
