package policies

import (
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:       "mdp",
		Doc:        "plans ahead: holds what is expected to cost least by a Markov decision process of the market that it believes in; " + safe.Promise,
		Source:     "marigram; a Markov decision process, as in Bellman (1957), with a law that is learnt",
		ByDeadline: true,
		Needs:      MixedPools,
		Defaults:   func() sim.Policy { return mdp.New() },
	})
}
