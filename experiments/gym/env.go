// Package gym lets a learner act in the runs of a study, a step at a time: environments that follow the
// interface of Gymnasium (Towers et al., arXiv 2407.17032), and a server for programs in other languages.
//
// An environment is a sim.World that stops before each decision (World.NextDecision). An action is how
// many instances to hold by pool until the next step; an observation is what a policy sees then, as
// numbers; the reward is minus the dollars that the step cost, and at the end minus a price for being
// late. The rewards of an episode add up to minus the cost of the same run by marigram run. The future
// is never in an observation: the tape does not leave the world.
package gym

import (
	"errors"
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// End is how an episode ends.
type End int

// The ends of an episode. Running is none.
const (
	Running   End = iota
	Met           // the job is done, by its deadline
	Late          // it is done after its deadline, or is not done and the deadline is over
	Lost          // the loss of its chief ended it
	Truncated     // the traces, or the horizon of the spec, end before it is done and before its deadline
)

// Outcome is what a step leads to.
type Outcome struct {
	Reward float64 // minus the dollars of the step, and of lateness at the end
	USD    float64 // cost since the start of the run, without the price of lateness
	End    End
}

// Env is an environment: a run that goes on step by step.
type Env struct {
	of    *Study
	world sim.World
	play  play
	start sim.Time // of the run
	progress
}

// progress is how far an episode has come.
type progress struct {
	at          sim.Time // of the last step
	usd         float64  // of all steps so far
	paidBesides float64  // what they cost besides: of many jobs, and by lateness
	end         End
	begun       bool
}

// New returns an environment that is to be reset first.
func (g *Study) New() *Env { return &Env{of: g, play: g.task.play()} }

// Reset begins an episode: the market and all random numbers are those of a seed, start is from the
// beginning of the traces (Study.Start has that of a seed).
func (e *Env) Reset(seed int64, start time.Duration) error {
	config, err := e.of.config(seed, start, e.play.policy())
	if err != nil {
		return err
	}
	if pools := config.Market.Pools(); pools != len(e.of.pools) {
		return fmt.Errorf("seed %d: a market of %d pools, expected %d as at first", seed, pools, len(e.of.pools))
	}
	e.play.begin(&config)
	if err := e.world.Reset(config); err != nil {
		return err
	}
	e.progress = progress{at: -1, begun: true}
	e.start = config.Start
	e.advance()
	return nil
}

// ErrOver is that of an action in an environment whose episode is over, or that was never reset.
var ErrOver = errors.New("the episode is over or has not begun: reset the environment first")

// Act holds n instances by pool until the next step or, of many jobs, has the jobs of the slots run where it says, as
// far as there is room, in the order of the slots. Errors name the pool or the slot.
func (e *Env) Act(action []int32) (Outcome, error) {
	if !e.begun || e.end != Running {
		return Outcome{}, ErrOver
	}
	if err := e.play.act(e.world.View(), action); err != nil {
		return Outcome{}, err
	}
	return e.advance(), nil
}

// Fork makes to a copy that goes on by itself.
func (e *Env) Fork(to *Env) error {
	if !e.begun {
		return ErrOver
	}
	if to.of != e.of {
		to.of = e.of
		to.play = e.of.task.play()
	}
	e.play.copyTo(to.play)
	to.start = e.start
	to.progress = e.progress
	e.world.Fork(&to.world, to.play.policy())
	return nil
}

// View is what a policy sees at the present step. It is valid until the next one.
func (e *Env) View() (sim.View, error) {
	if !e.begun || e.end != Running {
		return sim.View{}, ErrOver
	}
	return e.world.View(), nil
}

// advance runs to the next step.
func (e *Env) advance() Outcome {
	for e.world.NextDecision() {
		view := e.world.View()
		e.play.count(view)
		if e.isStep(view) {
			e.at = view.Now()
			return e.pay(view.Bill())
		}
	}
	totals := e.world.Run()
	e.end = e.play.finish(totals)
	return e.pay(totals.Bill)
}

// occasions are what an agent is asked at besides its grid, if it is.
const occasions = sim.TriggerStart | sim.TriggerGrant | sim.TriggerReady | sim.TriggerNotice | sim.TriggerGone |
	sim.TriggerJob

// isStep reports whether the present instant is one of the steps.
func (e *Env) isStep(v sim.View) bool {
	onGrid := v.Now().Sub(v.Start())%e.of.rules.Step == 0
	onEvent := e.of.rules.Events && v.Trigger()&occasions != 0
	return v.Now() > e.at && (onGrid || onEvent)
}

// pay is what a step costs, by the bill so far and what there is besides.
func (e *Env) pay(bill sim.Bill) Outcome {
	usd := bill.Total()
	besides := e.play.besides()
	outcome := Outcome{Reward: e.usd - usd - (besides - e.paidBesides), USD: usd, End: e.end}
	e.usd = usd
	e.paidBesides = besides
	return outcome
}
