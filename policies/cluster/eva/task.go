package eva

// Resources are GPUs, CPU cores and GB of memory.
type Resources [3]float64

// Type is a type of instance. The order of types decides ties.
type Type struct {
	Name, Family string
	Full         Resources
	USD          float64 // per hour
}

// Task is a part of a job that runs on one instance. A job has one task or several, which run at
// the speed of the slowest.
type Task struct {
	ID     int                  // unique
	Name   string               // by which speeds are learned
	Demand map[string]Resources // by family of instances; a family that is missing does not run it
	Tasks  int                  // of its job
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

// fits reports whether resources and more of them are no more than what an instance has.
func (full Resources) fits(used, more Resources) bool {
	for i := range full {
		if used[i]+more[i] > full[i] {
			return false
		}
	}
	return true
}

func (used Resources) plus(more Resources) Resources {
	for i := range used {
		used[i] += more[i]
	}
	return used
}
