package world

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
)

// OobleckTable returns what Oobleck's artifact measured of a system and a network
// (pipeline.OobleckTables). Names that are not there are an error.
func OobleckTable(system, model string) (pipeline.NodeTable, error) {
	for _, t := range pipeline.OobleckTables() {
		if t[0].System == system && t[0].Model == model {
			return t, nil
		}
	}
	return nil, fmt.Errorf("no table of %s training %s, expected bamboo, varuna or oobleck and a network of "+
		"Oobleck's artifact", system, model)
}

// Recovery returns what changes cost. A pause that depends on the number of
// nodes (Varuna's with BERT-Large only, 49 to 112 s) is its mean. Varuna saves
// before it grows. What Bamboo pays for two neighbours lost at once the artifact
// does not say: here nothing.
func Recovery(t pipeline.NodeTable) pipeline.Recovery {
	sum := 0
	for _, r := range t {
		sum += r.PauseMs
	}
	pause, save := milliseconds(sum/len(t)), milliseconds(t[0].SaveMs)
	switch t[0].System {
	case "varuna":
		return pipeline.Recovery{Loss: pipeline.LossRestarts, Restart: pause, Reconfigure: pause + save, Save: save}
	case "bamboo":
		return pipeline.Recovery{Loss: pipeline.LossCovered, Reconfigure: pause, Slowdown: 1.5, Redundant: bambooRedundant}
	}
	return pipeline.Recovery{Loss: pipeline.LossReinstantiated, Reconfigure: pause}
}

// bambooRedundant is the share of Bamboo's time that goes into redundant
// computation, as the artifact has it for one loss every 10 min: 1 - 0.1971
// (1 - 0.2785 for one every 6 h).
const bambooRedundant = 1 - 0.1971

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }
