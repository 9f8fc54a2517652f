package eva

import (
	"github.com/marigram/marigram/sim"
)

// Resources are GPUs, CPU cores and GB of memory.
type Resources = sim.Resources

// Type is a type of instance. The order of types decides ties.
type Type struct {
	Name string
	Full Resources
	USD  float64 // per hour, finite
	// Free is how many more may be rented; Unlimited for as many as there are tasks.
	Free int
}

// Unlimited is Type.Free without a limit.
const Unlimited = -1

// Nowhere is the demand of a task of a type on which it does not run.
var Nowhere = Resources{-1}

// Task is a part of a job that runs on one instance. A job has one task or several, which run at
// the speed of the slowest.
type Task struct {
	ID int // unique
	// Kind is from 0: tasks of one kind have the same demands and as many tasks in their jobs, and what is learned of the
	// speed of one holds for all.
	Kind   int
	Demand []Resources // by type, see Nowhere
	Tasks  int         // of its job
}

// on returns what a task takes of an instance of a type, false if it does not run there.
func (t *Task) on(typ int) (Resources, bool) {
	d := t.Demand[typ]
	return d, d != Nowhere
}

// Planned is an instance with its tasks.
type Planned struct {
	Type     int
	Instance int // that is there already, New for another
	Tasks    []*Task
}

// New is Planned.Instance of one that is to be rented.
const New = -1

// Running is an instance that is there.
type Running struct {
	ID, Type int
	Tasks    []*Task // that are assigned to it
}

// aligned is how well a demand suits what is left of an instance.
func aligned(full, demand, used Resources) float64 {
	sum := 0.0
	for i := range full {
		if full[i] > 0 {
			sum += demand[i] / full[i] * ((full[i] - used[i]) / full[i])
		}
	}
	return sum
}

// used is what tasks take of an instance of a type.
func used(tasks []*Task, typ int) Resources {
	var sum Resources
	for _, t := range tasks {
		sum = sum.Plus(t.Demand[typ])
	}
	return sum
}
