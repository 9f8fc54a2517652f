package adrs

import (
	"context"
	"slices"
)

// native is a rule of our own that others are compared with.
type native struct {
	name string
	run  func(context.Context, []Case) ([]Outcome, [][]Choice, error)
}

// natives lists them; slow adds the planner.
func natives(all *archives, slow bool) []native {
	list := []native{{"ondemand", plain(onDemandRule{})}, {"spot", plain(spotRule{})}}
	if slow {
		list = append(list, native{"planner", all.plan})
	}
	return list
}

// plain runs a rule that knows nothing of other cases.
func plain(rule Program) func(context.Context, []Case) ([]Outcome, [][]Choice, error) {
	return func(_ context.Context, cases []Case) (outcomes []Outcome, paths [][]Choice, err error) {
		var r Referee
		for i := range cases {
			out, err := r.Run(&cases[i], rule)
			if err != nil {
				return nil, nil, err
			}
			outcomes = append(outcomes, out)
			paths = append(paths, slices.Clone(r.Ran))
		}
		return outcomes, paths, nil
	}
}

// The plain rules that others are compared with.

// ask is what a rule asks for until the job is done.
func ask(v *View, kind Kind) (Choice, error) {
	if v.Case.WorkS-v.DoneS <= 1e-8 {
		kind = None
	}
	return Choice{kind, v.Zone}, nil
}

// onDemandRule is on demand from the first tick to the last: strategies/on_demand.py of the leaderboard.
type onDemandRule struct{}

func (onDemandRule) Decide(v *View) (Choice, error) { return ask(v, OnDemand) }

// spotRule takes spot where it is and waits where it is not; on time is the guard's affair: strategies/only_spot.py.
type spotRule struct{}

func (spotRule) Decide(v *View) (Choice, error) {
	if v.Has {
		return ask(v, Spot)
	}
	return ask(v, None)
}
