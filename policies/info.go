package policies

import "github.com/marigram/marigram/sim"

// Info describes a policy.
type Info struct {
	Name   string // by which specs and the command line call it: lower-case letters, digits, - and +
	Doc    string // one sentence
	Source string // who published it
	Needs  Needs
	// Slow says that a run takes about a second: a spec that names no policies leaves it out.
	Slow bool
	// Defaults returns a new policy with its default settings.
	Defaults func() sim.Policy
}
