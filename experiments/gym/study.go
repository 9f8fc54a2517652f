package gym

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
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
	// Part is the part of recorded traces from which starts are drawn: spec.Train, spec.Judge, or empty for all of
	// them.
	Part string

	// Of many jobs, for each of which lateness costs as above:

	// Slots are the jobs that are observed and chosen for, the first that are there in the order of their submission;
	// 0: DefaultSlots.
	Slots int
	// JobUSDPerHour is what an hour costs until a job is done, for each job from its submission on, at least 0.
	JobUSDPerHour float64
}

// DefaultSlots is how many jobs have a slot.
const DefaultSlots = 16

// maxSlots bounds them.
const maxSlots = 4096

// maxMarkets is how many markets are kept for further episodes.
const maxMarkets = 256

// Study makes environments of a study. It is for one goroutine, with all of its environments.
type Study struct {
	study *experiments.Study
	rules Rules

	workers map[int64]*experiments.Worker // by seed: markets that were made
	oldest  []int64                       // their seeds, in the order in which they were made
	starts  *spec.Window                  // of recorded traces; nil: episodes begin at the beginning
	pools   []sim.Pool
	task    task
	width   int // of an observation, in numbers
}

// New returns the environments of a study, of one job or of many. Errors name what is not as it should be.
func New(s *experiments.Study, rules Rules) (*Study, error) {
	g := &Study{
		study:   s,
		rules:   rules,
		task:    tasks[s.Spec.Workload().Kind()](),
		workers: map[int64]*experiments.Worker{},
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	if err := g.openStarts(); err != nil {
		return nil, err
	}
	config, err := g.config(s.Spec.Seed, 0, g.task.policy())
	if err != nil {
		return nil, err
	}
	for p := range config.Market.Pools() {
		g.pools = append(g.pools, *config.Market.Pool(p))
	}
	g.task.open(&config, g.pools, &g.rules)
	g.width = len(g.Fields())
	return g, nil
}

// check says which rule is not as it should be for the study.
func (g *Study) check() error {
	r := &g.rules
	s := g.study.Spec
	switch {
	case r.Step <= 0:
		return fmt.Errorf("a step of %v, expected more than 0", r.Step)
	case !(r.LateUSD >= 0 && r.LateUSDPerHour >= 0 && r.LateUSD+r.LateUSDPerHour < 1e300):
		return fmt.Errorf("lateness at %v USD and %v USD/h, expected finite numbers, at least 0",
			r.LateUSD, r.LateUSDPerHour)
	case r.Objective < 0 || r.Objective >= max(len(s.Objectives), 1):
		return fmt.Errorf("objective %d, expected 0 to %d", r.Objective, len(s.Objectives)-1)
	}
	if err := g.task.check(r, s); err != nil {
		return err
	}
	return s.OnlyDeadlines("gym")
}

// Open opens a spec for New: recorded traces to their end, whatever the starts of the spec are.
func Open(s *spec.Spec) (*experiments.Study, error) {
	s.Starts = spec.Starts{}
	if len(s.Market.Traces) == 0 {
		return experiments.NewStudy(s)
	}
	whole, err := market.Whole(s)
	if err != nil {
		return nil, err
	}
	return experiments.NewStudyOn(s, whole)
}

// openStarts finds when episodes may begin.
func (g *Study) openStarts() (err error) {
	if !g.study.Markets.FromAnywhere() {
		if g.rules.Part != "" {
			return g.study.Spec.ErrorAt("$.market",
				"starts in the part %s, expected recorded traces: another market differs for every seed", g.rules.Part)
		}
		return nil
	}
	horizon := g.study.Spec.Horizon()
	if g.starts, err = spec.WindowOf(g.rules.Part, g.study.Markets.LastStart()+horizon, horizon); err != nil {
		return fmt.Errorf("starts in the part %s: %w", g.rules.Part, err)
	}
	return nil
}

// Start returns where in recorded traces the episode of a seed begins, from their beginning: it is drawn. 0 without
// them.
func (g *Study) Start(seed int64) time.Duration {
	if g.starts == nil {
		return 0
	}
	return g.starts.Draw(uint64(seed), 0)
}

// Actions describes actions: of one job how many instances to hold by pool; of many, for each slot, on which GPUs its
// job is to run, 0 for none.
func (g *Study) Actions() []Action { return g.task.actions() }

// Groups names the GPUs on which an action has a job run, from 1; nil where there is one job.
func (g *Study) Groups() []string { return append([]string{}, g.task.groupNames()...) }

// Pools returns what is fixed about the pools, those of actions and observations in their order.
func (g *Study) Pools() []sim.Pool { return g.pools }

// config is what an episode depends on.
func (g *Study) config(seed int64, start time.Duration, policy sim.Policy) (sim.Config, error) {
	worker, made := g.workers[seed]
	if !made {
		if len(g.oldest) == maxMarkets {
			delete(g.workers, g.oldest[0])
			g.oldest = g.oldest[1:]
		}
		worker = g.study.Worker()
		g.workers[seed] = worker
		g.oldest = append(g.oldest, seed)
	}
	return worker.Config(experiments.Case{Objective: g.rules.Objective, Seed: seed, Start: start}, policy)
}
