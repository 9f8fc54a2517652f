package sim

// Price says what one instance of a pool costs from an instant on.
type Price struct {
	At  Time
	USD float64 // per instance-hour, at least 0
}

// Capacity says how many instances of a pool a job can hold from an instant on.
type Capacity struct {
	At Time
	N  int
}

// NodeEvent says that one machine of a recorded fleet was added or removed.
type NodeEvent struct {
	At   Time
	Node int // its slot, from 0, which may be used again after its machine is removed
	Up   bool
}

// History is what happened to one pool.
type History struct {
	Pool
	// Prices are in ascending order of time; the first holds from the
	// beginning of the market, whatever its instant. There is at least one.
	Prices []Price
	// Capacity in ascending order of time; before the first record there is
	// none. If it and Nodes are empty, only the quota limits.
	Capacity []Capacity
	// Nodes in ascending order of time; not together with Capacity.
	Nodes []NodeEvent
}
