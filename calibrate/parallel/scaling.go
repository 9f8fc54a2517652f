package parallel

// Scaling says what stays the same when workers join.
type Scaling uint8

const (
	// Strong scaling: the batch of a step stays the same, a worker's share shrinks.
	Strong Scaling = iota
	// Weak scaling: the batch of a worker stays the same, a step's batch grows.
	Weak
)

// String returns "strong" or "weak".
func (s Scaling) String() string { return [...]string{"strong", "weak"}[s] }
