package gym

import (
	"errors"
	"fmt"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// End is how an episode ends.
type End int

// The ends of an episode. Running is none.
const (
	Running   End = iota
	Met           // the job is done, by its deadline
	Late          // it is done, after its deadline
	Lost          // the loss of its chief ended it
	Truncated     // the histories, or the horizon of the spec, end before it is done
)

// Outcome is what a step leads to.
type Outcome struct {
	Reward float64 // minus the dollars of the step, and of lateness at the end
	USD    float64 // cost since the start of the run, without the price of lateness
	End    End
}

// Env is an environment: a run that goes on step by step.
type Env struct {
	of       *Study
	world    sim.World
	agent    plugin.Agent
	deadline sim.Time
	at       sim.Time // of the last step
	usd      float64  // of all steps so far
	end      End
	begun    bool
}

// New returns an environment that is to be reset first.
func (g *Study) New() *Env { return &Env{of: g, agent: plugin.Agent{Step: g.rules.Step}} }

// Reset begins an episode: the market and all random numbers are those of a seed, start is from the
// beginning of the histories.
func (e *Env) Reset(seed int64, start time.Duration) error {
	config, err := e.of.config(seed, start, &e.agent)
	if err != nil {
		return err
	}
	if n := config.Market.Pools(); n != len(e.of.pools) {
		return fmt.Errorf("seed %d: a market of %d pools, expected %d as at first", seed, n, len(e.of.pools))
	}
	clear(e.agent.Hold)
	if err := e.world.Reset(config); err != nil {
		return err
	}
	job := &config.Jobs[0]
	e.deadline = config.Start.Add(job.Submit).Add(job.Objective.Within)
	e.at, e.usd, e.end, e.begun = -1, 0, Running, true
	e.advance()
	return nil
}

// ErrOver is that of an action in an environment whose episode is over, or that was never reset.
var ErrOver = errors.New("the episode is over or has not begun: reset the environment first")

// Act holds so many instances by pool until the next step. Errors name the pool.
func (e *Env) Act(hold []int32) (Outcome, error) {
	if !e.begun || e.end != Running {
		return Outcome{}, ErrOver
	}
	if len(hold) != len(e.of.pools) {
		return Outcome{}, fmt.Errorf("an action of %d numbers, expected %d, one a pool", len(hold), len(e.of.pools))
	}
	for p, n := range hold {
		if largest := e.of.pools[p].Quota; n < 0 || int(n) > largest {
			return Outcome{}, fmt.Errorf("%d instances of pool %s, expected 0 to %d", n, e.of.pools[p].Name, largest)
		}
	}
	e.agent.Hold = e.agent.Hold[:0]
	for _, n := range hold {
		e.agent.Hold = append(e.agent.Hold, int(n))
	}
	return e.advance(), nil
}

// Fork makes to a copy that goes on by itself.
func (e *Env) Fork(to *Env) error {
	if !e.begun {
		return ErrOver
	}
	to.agent.Hold = append(to.agent.Hold[:0], e.agent.Hold...)
	to.of, to.agent.Step, to.deadline, to.at, to.usd, to.end, to.begun = e.of, e.agent.Step, e.deadline, e.at, e.usd, e.end, true
	e.world.Fork(&to.world, &to.agent)
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
		if v := e.world.View(); e.isStep(v) {
			e.at = v.Now()
			bill := v.Bill()
			return e.pay(bill.Total())
		}
	}
	totals := e.world.Run()
	e.end = e.endOf(totals)
	x := e.pay(totals.Bill.Total())
	x.Reward -= e.lateUSD(totals.End)
	return x
}

// occasions are what an agent is asked at besides its grid, if it is.
const occasions = sim.TriggerGrant | sim.TriggerReady | sim.TriggerNotice | sim.TriggerGone | sim.TriggerJob

func (e *Env) isStep(v sim.View) bool {
	return v.Now() > e.at && (e.agent.OnGrid(v) || e.of.rules.Events && v.Trigger()&occasions != 0)
}

func (e *Env) pay(usd float64) Outcome {
	x := Outcome{Reward: e.usd - usd, USD: usd, End: e.end}
	e.usd = usd
	return x
}

func (e *Env) endOf(t *sim.Totals) End {
	job := &t.Jobs[0]
	switch {
	case job.Lost:
		return Lost
	case !job.Finished:
		return Truncated
	case t.End > e.deadline:
		return Late
	}
	return Met
}

// lateUSD is the price of an objective that is not met.
func (e *Env) lateUSD(end sim.Time) float64 {
	if e.end == Met {
		return 0
	}
	return e.of.rules.LateUSD + e.of.rules.LateUSDPerHour*max(end.Sub(e.deadline).Hours(), 0)
}
