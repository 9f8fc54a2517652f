package spec

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/objective"
)

// readTimes works out the time limits that objectives do not state in seconds.
func (s *Spec) readTimes() error {
	samples, _ := s.samples()
	for i := range s.Objectives {
		o := &s.Objectives[i]
		at := fmt.Sprintf("$.objectives[%d]", i)
		if kind, goal := o.Goal.Chosen(); goal != nil && !kind.WithDeadline {
			seconds, err := goal.TimeS(objective.Study{HorizonS: s.HorizonS, Samples: samples, MaxS: maxHorizonS})
			if err != nil {
				return s.ErrorAt(at+"."+kind.Name, "%v", err)
			}
			if seconds == 0 {
				return s.ErrorAt("$", "horizon_s is missing: the objective %d, of %v, has no time of its own",
					i, kind.Name)
			}
			o.TimeS = seconds
			continue
		}
		if o.Within == "" {
			continue
		}
		d, err := ParseDuration(o.Within)
		if err != nil {
			return s.ErrorAt(at+".within", "%v", err)
		}
		if d < time.Second || d > maxHorizonS*time.Second {
			return s.ErrorAt(at+".within", "%v, expected 1 second to 20 years", o.Within)
		}
		o.TimeS = d.Seconds()
	}
	return nil
}

// samples returns the size of the job, if it is one in samples.
func (s *Spec) samples() (n float64, known bool) {
	if _, job := s.kind(); job != nil {
		sized, is := job.(model.Sized)
		if !is {
			return 0, false
		}
		n = sized.SizeInSamples()
		return n, n > 0
	}
	return 0, false
}

// OnlyDeadlines is an error where an objective is none that a command can pursue: one of a deadline or of a mean rate,
// which is one.
func (s *Spec) OnlyDeadlines(command string) error {
	for i := range s.Objectives {
		kind := s.Objectives[i].Kind()
		if kind.WithDeadline {
			_, goal := s.Objectives[i].Goal.Chosen()
			return s.ErrorAt(fmt.Sprintf("$.objectives[%d]", i),
				"%s pursues deadlines alone, expected none with more than a time: %s", command, goal.Label())
		}
		if kind.NeedNotEnd {
			return s.ErrorAt(fmt.Sprintf("$.objectives[%d].%s", i, kind.Name),
				"%s pursues deadlines, expected time_s, within or samples_per_s", command)
		}
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
		if o.Name == "" {
			o.Name = s.labelOf(o, within)
		}
	}
}

// labelOf makes a name of an objective's numbers; within is its time.
func (s *Spec) labelOf(o *Objective, within string) string {
	kind, goal := o.Goal.Chosen()
	if goal != nil && !kind.WithDeadline {
		return goal.Label()
	}
	label := fmt.Sprintf("loss-%s-in-%s", short(o.Loss), within)
	if s.WholeJob() {
		label = "all-in-" + within
	}
	if goal != nil {
		label += "-" + goal.Label()
	}
	return label
}

func (s *Spec) checkObjectives() error {
	if len(s.Objectives) == 0 {
		return s.ErrorAt("$", "objectives is missing, expected at least one")
	}
	seen := map[string]bool{}
	for i, o := range s.Objectives {
		at := fmt.Sprintf("$.objectives[%d]", i)
		switch {
		case s.WholeJob() && o.Loss != 0:
			return s.ErrorAt(at+".loss", "%v, expected none: the job trains all its samples", o.Loss)
		case !s.WholeJob() && o.Loss == 0:
			return s.ErrorAt(at, "loss is missing")
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
