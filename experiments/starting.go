package experiments

import (
	"github.com/marigram/marigram/experiments/spec"
)

// CheckStarts starts the first run of every objective under every policy, and ends it before anything happens in it.
// The error is the one with which Run would end there. Policies whose commands may not run (spec.Reading.Commands) are
// left out.
func (s *Study) CheckStarts() error {
	return guarded(func() error {
		w := s.Worker()
		defer w.Close()
		for o := range s.Spec.Objectives {
			for p := range s.Spec.Policies {
				if !s.Spec.Policies[p].Runs() {
					continue
				}
				c := s.At(0)
				c.Run = s.number(o, p, 0)
				c.Objective = o
				c.Policy = p
				if _, err := w.begin(c, keeping{}); err != nil {
					return s.inRun(c, err)
				}
			}
		}
		return nil
	})
}

// CheckAssumptions is CheckStarts of the studies of a spec under the other assumptions (Assumptions). Open
// makes them, as NewStudy does.
func CheckAssumptions(s *spec.Spec, open func(*spec.Spec) (*Study, error)) error {
	for _, of := range assumptions(s) {
		if of.name == Assumed(s) {
			continue
		}
		study, err := open(of.spec)
		if err != nil {
			return err
		}
		if err := study.CheckStarts(); err != nil {
			return err
		}
	}
	return nil
}
