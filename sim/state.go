package sim

// Stateful is a Policy whose decisions depend on what happened before in ways that a View
// does not show: queues that jobs moved through, service that they received. The world keeps
// what it remembers, so that the policy can be used for several runs and a fork has its own.
type Stateful interface {
	Policy
	// NewState returns what the policy remembers at first: at the beginning of a run, where
	// from is nil, and in a fork, where from is what the run remembers, perhaps of
	// another policy, and the result shares no memory with it.
	NewState(from any) any
}

// State returns what the policy remembers of this run (Stateful), nil for other policies.
// It may change it.
func (v View) State() any { return v.w.state }

// remembered returns the state of a policy that goes on from another.
func remembered(p Policy, from any) any {
	if s, ok := p.(Stateful); ok {
		return s.NewState(from)
	}
	return nil
}
