package spotdnn

import (
	"fmt"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

// Strategy finds a cluster for a task: one decision of a provisioner.
type Strategy interface {
	// Search returns the cluster; Counts of the choice are valid until the next
	// search.
	Search(t *Task) Choice
}

// StrategyInfo describes a strategy.
type StrategyInfo struct {
	Name string
	Doc  string // one sentence
	New  func() Strategy
}

// Strategies returns spotDNN's search (IWQoS 2023, Algorithm 1) and the baselines of its paper, in the
// order in which they are shown.
func Strategies() []StrategyInfo {
	return []StrategyInfo{
		{"spotdnn", "the cheapest window of instances, sorted by speed, that meets the deadline",
			func() Strategy { return &Window{} }},
		{"cmdare+", "the same search with a model without contention: the speed of a cluster is the sum " +
			"of the speeds of its workers alone",
			func() Strategy { return &Uncontended{} }},
		{"srifty+", "the cheapest cluster that meets the deadline, by exhaustive search",
			func() Strategy { return &Exhaustive{} }},
		{"homo-slow", "as many workers as spotdnn takes, all of the slowest type among them",
			func() Strategy { return &homogeneous{} }},
		{"homo-fast", "as many workers as spotdnn takes, all of the fastest type among them",
			func() Strategy { return &homogeneous{Fast: true} }},
	}
}

// StrategyNames returns the names of the strategies.
func StrategyNames() []string {
	var names []string
	for _, s := range Strategies() {
		names = append(names, s.Name)
	}
	return names
}

// NewStrategy returns a strategy by name.
func NewStrategy(name string) (Strategy, error) {
	for _, s := range Strategies() {
		if s.Name == name {
			return s.New(), nil
		}
	}
	return nil, registry.Unknown("strategy", name, StrategyNames())
}

// Uncontended is Window with a model in which each worker is as fast as alone;
// times and costs of its choices are by that model.
type Uncontended struct {
	window Window
	model  alone
	task   Task
}

// Search implements Strategy.
func (u *Uncontended) Search(t *Task) Choice {
	u.model.WorkerModel = t.Model
	u.task = *t
	u.task.Model = &u.model
	return u.window.Search(&u.task)
}

// alone is a model without contention.
type alone struct{ sim.WorkerModel }

// Workers implements sim.WorkerModel.
func (m *alone) Workers(_ int, _ float64, into []sim.Worker) { m.WorkerModel.Workers(1, 0, into) }

// homogeneous takes the number of workers from Window and one type for all of them:
// the slowest or the fastest of the types that Window took.
type homogeneous struct {
	Fast bool

	window Window
}

// Search implements Strategy. A type whose quota is too small for the number is
// not feasible.
func (h *homogeneous) Search(t *Task) Choice {
	choice := h.window.Search(t)
	workers := h.window.workers
	t.Model.Workers(choice.Workers, t.Margin, workers)
	pool := -1
	for p, n := range choice.Counts {
		if n > 0 && (pool < 0 || (workers[p].Rate > workers[pool].Rate) == h.Fast) {
			pool = p
		}
	}
	if pool < 0 {
		return choice
	}
	var tally sim.Tally
	tally.Add(choice.Workers, workers[pool])
	clear(choice.Counts)
	choice.Counts[pool] = choice.Workers
	choice.Estimate = t.Model.Estimate(tally, t.From, t.To)
	choice.Speed = tally.Speed
	choice.USD = float64(choice.Workers) * t.USD[pool] * choice.Seconds / 3600
	choice.Feasible = choice.Seconds <= t.Seconds
	choice.Reason = ""
	if !choice.Feasible {
		choice.Reason = fmt.Sprintf("%d of that type take %.0f s", choice.Workers, choice.Seconds)
	} else if choice.Workers > t.Free[pool]+t.Have[pool] {
		choice.Feasible = false
		choice.Reason = fmt.Sprintf("the quota of that type is below %d", choice.Workers)
	}
	return choice
}
