package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/policies"
)

// Objective is what is asked for, in a share of the runs: a loss, or a whole job of samples, within a time or at a mean rate; as much
// training as a budget pays for; or a share of the instance time that trains.
type Objective struct {
	Name        string   `json:"name,omitempty" jsonschema:"label in results; made from the numbers if absent"`
	Loss        float64  `json:"loss,omitempty" above:"0" jsonschema:"training loss to reach; left out for a pipelined job, which trains all its samples"`
	TimeS       float64  `json:"time_s,omitempty" min:"1" max:"632448000" either:"limit" jsonschema:"time limit in seconds, from the start"`
	Within      string   `json:"within,omitempty" either:"limit" jsonschema:"time limit as text instead: 90s, 66h40m, 3d or 2d12h"`
	Cheapest    bool     `json:"cheapest,omitempty" needs:"samples_per_s" jsonschema:"the cheapest run is asked for, which is always so; optional, with samples_per_s"`
	SamplesPerS float64  `json:"samples_per_s,omitempty" above:"0" max:"1e12" either:"limit" jsonschema:"instead of a time: mean rate of the job from its submission to its end, at least; samples over this rate is the time limit"`
	MostWork    bool     `json:"most_work,omitempty" needs:"budget_usd" either:"limit" jsonschema:"instead of a time: as much of the training as the budget pays for until the horizon; policies are compared by what is left"`
	BudgetUSD   float64  `json:"budget_usd,omitempty" above:"0" max:"1e12" needs:"most_work" jsonschema:"the job ends, saved, before it costs more"`
	ETTR        float64  `json:"ettr,omitempty" above:"0" max:"1" either:"limit" jsonschema:"instead of a time: effective training time ratio, the share of the instance time held in which training was done that was kept, at least, until the job is done or the horizon"`
	Share       *float64 `json:"share,omitempty" above:"0" max:"1" jsonschema:"share of the runs that has to meet the objective, above 0 and at most 1: results then have a verdict; none if absent"`
}

// ParseDuration reads a duration such as 90s, 66h40m, 3d or 2d12h: what
// time.ParseDuration reads without a sign, after a whole number of days of 24 h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, has := strings.Cut(text, "d")
	if !has {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	d := time.Duration(0)
	if err == nil && (rest != "" || !has) {
		d, err = time.ParseDuration(rest)
	}
	if err != nil || strings.ContainsAny(rest, "+-") {
		return 0, fmt.Errorf("%q, expected a duration such as 90s, 66h40m or 3d", text)
	}
	return time.Duration(n)*24*time.Hour + d, nil
}

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
		return s.ErrorAt(at+".samples_per_s", "%v, but the size of the job is not one in samples: expected model.data_parallel, model.replicas or "+
			"model.pipelined with samples", o.SamplesPerS)
	}
	if o.TimeS = samples / o.SamplesPerS; o.TimeS < 1 || o.TimeS > maxHorizonS {
		return s.ErrorAt(at+".samples_per_s", "%v, which takes %v s for %v samples, expected 1 second to 20 years", o.SamplesPerS, o.TimeS, samples)
	}
	return nil
}

// samples returns the size of the job, if it is one in samples.
func (s *Spec) samples() (n float64, known bool) {
	switch m := &s.Model; {
	case m.DataParallel != nil && m.DataParallel.Samples > 0:
		return m.DataParallel.Samples, true
	case m.DataParallel != nil:
		return m.DataParallel.Steps * m.DataParallel.Batch, m.DataParallel.Batch > 0
	case m.Replicas != nil:
		return m.Replicas.samples(), true
	case m.Pipelined != nil:
		return m.Pipelined.Samples, m.Pipelined.Samples > 0
	}
	return 0, false
}

// Goal returns what the objective asks for.
func (o *Objective) Goal() policies.Goal {
	switch {
	case o.MostWork:
		return policies.MostWork
	case o.SamplesPerS > 0:
		return policies.MeanRate
	case o.ETTR > 0:
		return policies.Effective
	}
	return policies.Deadline
}

// GoalValue returns the number of the goal: dollars, samples per second or a ratio; nil of a deadline.
func (o *Objective) GoalValue() *float64 {
	switch o.Goal() {
	case policies.MostWork:
		return &o.BudgetUSD
	case policies.MeanRate:
		return &o.SamplesPerS
	case policies.Effective:
		return &o.ETTR
	}
	return nil
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
