package spec

import (
	"fmt"

	"github.com/marigram/marigram/experiments/model"
)

// checkPerPolicy reports why a policy cannot run the job as it is under it.
func (s *Spec) checkPerPolicy(job model.PerPolicy) error {
	for i, policy := range (study{s}).Policies() {
		if err := job.CheckFor(study{s}, policy); err != nil {
			return s.atPolicy(i, err)
		}
	}
	return nil
}

// atPolicy returns an error about a policy, or about a key of it (model.At).
func (s *Spec) atPolicy(i int, err error) error {
	return s.atPart(fmt.Sprintf("$.policies[%d]", i), "policy "+s.Policies[i].Name+": ", err)
}

// checkFleets refuses policies that may hold fewer instances than the job needs to train, and leaves them out where all
// are compared.
func (s *Spec) checkFleets(smallest int) error {
	var fitting []Policy
	for i, p := range s.Policies {
		needs := policyNeeds(p.base())
		fleet := s.fleetOf(needs)
		switch {
		case needs.Workers() || smallest <= fleet:
			fitting = append(fitting, p)
		case s.all:
			s.doc.Warn(fmt.Sprintf("policy %s is left out: the job trains on %d workers at least, and it may hold %d",
				p.Name, smallest, fleet))
		default:
			return s.ErrorAt(fmt.Sprintf("$.policies[%d]", i),
				"policy %s: the job trains on %d workers at least, and it may hold %d", p.Name, smallest, fleet)
		}
	}
	s.Policies = fitting
	return nil
}
