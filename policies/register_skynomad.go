package policies

import (
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:     "skynomad",
		Doc:      "trains where an hour of progress is worth most more than it costs, by what it saw of each zone; on demand when late",
		Source:   "SkyNomad (NSDI 2027), with the world's boots, losses and moves",
		Needs:    WorkerModels,
		Defaults: func() sim.Policy { return skynomad.NewPolicy() },
	})
}
