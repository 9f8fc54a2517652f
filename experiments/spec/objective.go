package spec

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
)

// readTimes reads the times that objectives state as text.
func (s *Spec) readTimes() error {
	for i := range s.Objectives {
		o, at := &s.Objectives[i], fmt.Sprintf("$.objectives[%d]", i)
		switch {
		case o.MostWork || o.ETTR > 0:
			if s.HorizonS == 0 {
				return s.ErrorAt("$", "horizon_s is missing: the objective %d, of %v, has no time of its own", i, o.Goal())
			}
			o.TimeS = s.HorizonS
			continue
		case o.SamplesPerS > 0:
			if err := s.rateTime(o, at); err != nil {
				return err
			}
			continue
		case o.Within == "":
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

// rateTime makes a mean rate a time limit.
func (s *Spec) rateTime(o *Objective, at string) error {
	samples, known := s.samples()
	if !known {
		return s.ErrorAt(at+".samples_per_s", "%v, but the size of the job is not one in samples: expected a model of samples, such as "+
			"model.data_parallel or model.pipelined", o.SamplesPerS)
	}
	if o.TimeS = samples / o.SamplesPerS; o.TimeS < 1 || o.TimeS > maxHorizonS {
		return s.ErrorAt(at+".samples_per_s", "%v, which takes %v s for %v samples, expected 1 second to 20 years", o.SamplesPerS, o.TimeS, samples)
	}
	return nil
}

// samples returns the size of the job, if it is one in samples.
func (s *Spec) samples() (n float64, known bool) {
	if _, job := s.Model.Kind.Chosen(); job != nil {
		sized, is := job.(model.Sized)
		if !is {
			return 0, false
		}
		n = sized.SizeInSamples()
		return n, n > 0
	}
	switch m := &s.Model; {
	case m.DataParallel != nil && m.DataParallel.Samples > 0:
		return m.DataParallel.Samples, true
	case m.DataParallel != nil:
		return m.DataParallel.Steps * m.DataParallel.Batch, m.DataParallel.Batch > 0
	case m.Layout != nil:
		return m.Layout.samples(), true
	case m.Pipelined != nil:
		return m.Pipelined.Samples, m.Pipelined.Samples > 0
	}
	return 0, false
}

// OnlyDeadlines is an error where an objective is none that a command can pursue: one of a deadline or of a mean rate, which is one.
func (s *Spec) OnlyDeadlines(command string) error {
	for i := range s.Objectives {
		if g := s.Objectives[i].Goal(); g == policies.MostWork || g == policies.Effective {
			return s.ErrorAt(fmt.Sprintf("$.objectives[%d].%v", i, g), "%s pursues deadlines, expected time_s, within or samples_per_s", command)
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
		switch {
		case o.Name != "":
		case o.MostWork:
			o.Name = "most-work-for-" + short(o.BudgetUSD) + "-usd"
		case o.SamplesPerS > 0:
			o.Name = "at-least-" + short(o.SamplesPerS) + "-samples-per-s"
		case o.ETTR > 0:
			o.Name = "ettr-" + short(o.ETTR)
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
