package policies

import "github.com/marigram/marigram/sim"

// Info describes a policy.
type Info struct {
	Name   string // by which specs and the command line call it: lower-case letters, digits, - and +
	Doc    string // one sentence
	Source string // who published it
	Needs  Needs
	// Defaults returns a new policy with its default settings.
	Defaults func() sim.Policy
}
