package gym

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// Rules are what a step is and what it earns.
type Rules struct {
	Objective int           // of the spec's
	Step      time.Duration // between two decisions, more than 0
	// Events adds a step at every grant, boot, notice and loss.
	Events bool
	// LateUSD is what a run costs more that does not meet its objective, LateUSDPerHour on top for every
	// hour after the deadline until the job is done or the run ends. At least 0.
	LateUSD, LateUSDPerHour float64
}

// maxMarkets is how many markets are kept for further episodes.
const maxMarkets = 256

// Study makes environments of a study. It is for one goroutine, with all of its environments.
type Study struct {
	study *experiments.Study
	rules Rules

	workers map[int64]*experiments.Worker // by seed: markets that were made
	oldest  []int64                       // their seeds, in the order in which they were made
	pools   []sim.Pool
	within  time.Duration // from the submission to the deadline
}

// New returns the environments of a study of one job. Errors name what is not as it should be.
func New(s *experiments.Study, rules Rules) (*Study, error) {
	switch {
	case rules.Step <= 0:
		return nil, fmt.Errorf("a step of %v, expected more than 0", rules.Step)
	case !(rules.LateUSD >= 0 && rules.LateUSDPerHour >= 0 && rules.LateUSD+rules.LateUSDPerHour < 1e300):
		return nil, fmt.Errorf("lateness at %v USD and %v USD/h, expected finite numbers, at least 0", rules.LateUSD, rules.LateUSDPerHour)
	case rules.Objective < 0 || rules.Objective >= max(len(s.Spec.Objectives), 1):
		return nil, fmt.Errorf("objective %d, expected 0 to %d", rules.Objective, len(s.Spec.Objectives)-1)
	}
	if err := s.OneJob(); err != nil {
		return nil, err
	}
	g := &Study{study: s, rules: rules, workers: map[int64]*experiments.Worker{}}
	config, err := g.config(s.Spec.Seed, 0, &plugin.Agent{})
	if err != nil {
		return nil, err
	}
	g.within = config.Jobs[0].Objective.Within
	for p := range config.Market.Pools() {
		g.pools = append(g.pools, *config.Market.Pool(p))
	}
	return g, nil
}

// Pools returns what is fixed about the pools, those of actions and observations in their order.
func (g *Study) Pools() []sim.Pool { return g.pools }

// config is what an episode depends on.
func (g *Study) config(seed int64, start time.Duration, policy sim.Policy) (sim.Config, error) {
	w, made := g.workers[seed]
	if !made {
		if len(g.oldest) == maxMarkets {
			delete(g.workers, g.oldest[0])
			g.oldest = g.oldest[1:]
		}
		w = g.study.Worker()
		g.workers[seed], g.oldest = w, append(g.oldest, seed)
	}
	return w.Config(experiments.Case{Objective: g.rules.Objective, Seed: seed, Start: start}, policy)
}
