package spec

import (
	"fmt"
)

// readTimes reads the times that objectives state as text.
func (s *Spec) readTimes() error {
	for i := range s.Objectives {
		o, at := &s.Objectives[i], fmt.Sprintf("$.objectives[%d]", i)
		if o.Within == "" {
			continue
		}
		d, err := ParseDuration(o.Within)
		if err != nil {
			return s.ErrorAt(at+".within", "%v", err)
		}
		if o.TimeS != 0 {
			return s.ErrorAt(at, "time_s is %v and within %s, expected one of them", o.TimeS, o.Within)
		}
		o.TimeS = d.Seconds()
	}
	return nil
}

// nameObjectives gives those without a name one of their numbers.
func (s *Spec) nameObjectives() {
	for i := range s.Objectives {
		o := &s.Objectives[i]
		within := o.Within
		if within == "" {
			within = short(o.TimeS) + "s"
		}
		if o.Name == "" && s.WholeJob() {
			o.Name = "all-in-" + within
		}
		if o.Name == "" {
			o.Name = fmt.Sprintf("loss-%s-in-%s", short(o.Loss), within)
		}
	}
}

func (s *Spec) checkObjectives() error {
	if len(s.Objectives) == 0 {
		return s.ErrorAt("$", "objectives is missing, expected at least one")
	}
	seen := map[string]bool{}
	for i, o := range s.Objectives {
		at := fmt.Sprintf("$.objectives[%d]", i)
		time := at + ".time_s"
		if o.Within != "" {
			time = at + ".within"
		}
		switch {
		case o.TimeS == 0 && o.Within == "":
			return s.ErrorAt(at, "time_s is missing (or within: a time such as 66h40m)")
		case o.TimeS < 1 || o.TimeS > maxHorizonS:
			return s.ErrorAt(time, "%v, expected 1 second to 20 years", o.TimeS)
		case o.Share != nil && !(*o.Share > 0 && *o.Share <= 1):
			return s.ErrorAt(at+".share", "%v, expected more than 0 and at most 1", *o.Share)
		case s.WholeJob() && o.Loss != 0:
			return s.ErrorAt(at+".loss", "%v, expected none: the job trains all its samples", o.Loss)
		case !s.WholeJob() && o.Loss <= 0:
			return s.ErrorAt(at+".loss", "%v, expected more than 0", o.Loss)
		case seen[o.Name]:
			return s.ErrorAt(at, "name %q is used twice", o.Name)
		}
		if err := checkName(o.Name); err != nil {
			return s.ErrorAt(at+".name", "%v", err)
		}
		seen[o.Name] = true
	}
	return nil
}
