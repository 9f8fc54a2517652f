package adrs

import (
	"fmt"
	"math"
)

// Kind is what runs in a tick.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	Spot
	OnDemand
)

func (k Kind) String() string { return [...]string{"none", "spot", "on demand"}[k] }

// View is what a program sees at a tick.
type View struct {
	Case  *Case // what is fixed of the run; a native program reads no availability of it
	Tick  int
	Last  Kind    // what ran in the tick before
	Has   bool    // spot is available in the zone before the decision
	Zone  int     // the zone before the decision
	Up    uint16  // by zone, a bit each: spot is available in this tick
	DoneS float64 // sum of the work
	WorkS float64 // of the tick before
	LeftS float64 // overhead that is left of a launch
}

// up reports whether spot is available in a zone.
func (v *View) up(zone int) bool { return v.Up>>zone&1 == 1 }

// Choice is what a program asks for.
type Choice struct {
	Kind Kind
	Zone int
}

// Program decides. A run begins with tick 0; the runs of a program come one after another.
type Program interface {
	Decide(*View) (Choice, error)
}

// Outcome is what came of a run. Costs are in USD: LEVI bills what was asked for in the tick that found the job done,
// the leaderboard does not.
type Outcome struct {
	LEVIUSD        float64 `json:"cost_levi_usd"`
	LeaderboardUSD float64 `json:"cost_leaderboard_usd"`
	RanUSD         float64 `json:"billed_where_it_ran_usd"` // each tick at the price of its zone
	BilledUSD      float64 `json:"billed_usd"`              // RanUSD, and a restart on demand for each free move
	DoneTick       int     `json:"done_tick"`               // the tick that found the job done
	LateS          float64 `json:"late_s"`
	SpotTicks      int     `json:"spot_ticks"`
	OnDemandTicks  int     `json:"od_ticks"`
	Launches       int     `json:"launches"`
	Preemptions    int     `json:"preemptions"`
	Forced         int     `json:"forced"`     // ticks in which the guard changed what was asked for
	Blocked        int     `json:"blocked"`    // ticks in which spot was asked for, not forced, where it was not up
	Moves          int     `json:"moves"`      // changes of the current zone between ticks that ran
	FreeMoves      int     `json:"free_moves"` // of these: with an instance that went on running
	AfterEnd       bool    `json:"billed_after_end"`

	afterUSD float64 // of the tick that was asked for after the end
}

// Referee runs a case at a time, by the rules of the problems: Strategy.step and TraceEnv of the leaderboard's sky_spot,
// simulate of LEVI's problem.py. The loops agree. It keeps its memory from run to run.
type Referee struct {
	Ran []Choice // by tick: what ran where in the present run, or the last

	gap   float64
	ticks int
	view  View
	out   Outcome
}

// Run runs a case. An error is that of the program, or that the recorded window ended before the job.
func (r *Referee) Run(c *Case, program Program) (Outcome, error) {
	r.begin(c)
	for {
		view, err := r.look()
		if err != nil {
			return r.out, err
		}
		asked, err := program.Decide(view)
		if err != nil {
			return r.out, fmt.Errorf("tick %d: %w", view.Tick, err)
		}
		over, err := r.play(asked)
		if over || err != nil {
			return r.out, err
		}
	}
}

// begin begins a run.
func (r *Referee) begin(c *Case) {
	r.Ran = r.Ran[:0]
	r.gap = c.Zones[0].GapS
	r.ticks = c.ticks()
	r.view = View{Case: c}
	r.out = Outcome{}
}

// look begins a tick: losses, the work of the tick before, and what a program may know.
func (r *Referee) look() (*View, error) {
	v := &r.view
	if v.Tick >= r.ticks {
		return nil, fmt.Errorf("the job is not done after all %d ticks of the window", r.ticks)
	}
	v.Up = upAt(v.Case, v.Tick)
	v.Has = v.up(v.Zone)
	if v.Last == Spot && !v.Has {
		r.out.Preemptions++
	}
	account(v.Case, r.gap, v)
	return v, nil
}

// play has the tick run what was asked for, as far as the rules allow it, and reports whether the job is done.
func (r *Referee) play(asked Choice) (over bool, err error) {
	v := &r.view
	c := v.Case
	if asked.Zone < 0 || asked.Zone >= len(c.Zones) || asked.Kind > OnDemand {
		return false, fmt.Errorf("tick %d: asked for kind %d in zone %d, expected kind 0 to 2, zone 0 to %d",
			v.Tick, asked.Kind, asked.Zone, len(c.Zones)-1)
	}
	ran := asked
	ran.Kind = guard(c, r.gap, v, asked.Kind)
	done := c.WorkS-v.DoneS <= 1e-8
	down := ran.Kind == Spot && !v.up(ran.Zone)
	switch {
	case down && asked.Kind == Spot && !done:
		r.out.Blocked++
	case down && asked.Kind == OnDemand, !down && ran.Kind != asked.Kind:
		r.out.Forced++
	}
	if down {
		ran.Kind = None
	}
	r.step(ran, done)
	if done {
		r.out.AfterEnd = ran.Kind != None
		r.bill(ran)
	}
	v.Tick++
	return done, nil
}

func upAt(c *Case, tick int) (bits uint16) {
	for zone := range c.Zones {
		if c.Zones[zone].Up[tick] {
			bits |= 1 << zone
		}
	}
	return bits
}

// account adds the work of the tick before.
func account(c *Case, gap float64, v *View) {
	v.WorkS = 0
	if v.Last == None {
		return
	}
	work := max(gap-v.LeftS, 0)
	v.LeftS -= gap - work
	if v.LeftS < 1e-3 {
		v.LeftS = 0
	}
	v.WorkS = min(work, c.WorkS-v.DoneS)
	v.DoneS += v.WorkS
}

// guard returns what runs where a program asked for a kind: on demand, or the spot that runs, when no more than one
// restart fits before the deadline (Strategy._apply_strong_guarantee).
func guard(c *Case, gap float64, v *View, asked Kind) Kind {
	left := c.WorkS - v.DoneS
	if left <= 1e-3 {
		return asked
	}
	remaining := math.Floor((c.DeadlineS-float64(v.Tick)*gap)/gap) * gap
	needed := math.Ceil((left+c.RestartS)/gap) * gap
	switch {
	case needed < remaining:
		return asked
	case v.Last == Spot && v.LeftS < 1e-3:
		return Spot
	}
	return OnDemand
}

// step begins the tick with what runs in it.
func (r *Referee) step(ran Choice, done bool) {
	v := &r.view
	held := v.Last
	if v.Last == Spot && !v.Has {
		held = None
	}
	moved := ran.Zone != v.Zone
	if moved && v.Tick > 0 && !done {
		r.out.Moves++
	}
	if ran.Kind != None && ran.Kind != held {
		v.LeftS = v.Case.RestartS
		if !done {
			r.out.Launches++
		}
	} else if moved && ran.Kind != None && !done {
		r.out.FreeMoves++
	}
	v.Last = ran.Kind
	v.Zone = ran.Zone
	if done {
		return
	}
	r.Ran = append(r.Ran, ran)
	switch ran.Kind {
	case Spot:
		r.out.SpotTicks++
	case OnDemand:
		r.out.OnDemandTicks++
	}
}

// bill adds up what the run costs; last is what was asked for in the tick that found the job done.
func (r *Referee) bill(last Choice) {
	c := r.view.Case
	hours := r.gap / 3600
	end := [...]float64{None: 0, Spot: c.Zones[last.Zone].USD, OnDemand: onDemandUSD}
	for _, ran := range r.Ran {
		r.out.LeaderboardUSD += float64(end[ran.Kind] * r.gap / 3600)
		r.out.LEVIUSD += float64(end[ran.Kind] * hours)
		here := [...]float64{None: 0, Spot: c.Zones[ran.Zone].USD, OnDemand: onDemandUSD}
		r.out.RanUSD += float64(here[ran.Kind] * hours)
	}
	r.out.afterUSD = float64(end[last.Kind] * hours)
	r.out.LEVIUSD += r.out.afterUSD
	r.out.BilledUSD = r.out.RanUSD + float64(float64(r.out.FreeMoves)*c.RestartS/3600*onDemandUSD)
	r.out.DoneTick = len(r.Ran)
	r.out.LateS = max(float64(r.out.DoneTick)*r.gap-c.DeadlineS, 0)
}
