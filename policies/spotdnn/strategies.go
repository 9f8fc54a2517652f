package spotdnn

import "github.com/marigram/marigram/sim"

// Strategy finds a cluster for a task: one decision of a provisioner.
type Strategy interface {
	// Search returns the cluster; Counts of the choice are valid until the next
	// search.
	Search(t *Task) Choice
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
