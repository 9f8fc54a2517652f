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

// Policy decides what to hold. Its exported fields are its settings. Decide may
// keep scratch memory in unexported fields, but its decision is a function of
// the View and the settings alone, so that a fork can go its own way.
type Policy interface {
	// Name is how a spec calls the policy.
	Name() string
	// Decide looks at the world and changes the plan. It allocates nothing
	// when warm. The plan arrives as it was left the last time.
	Decide(v View, plan *Plan)
}

// PriceWatcher is a Policy that wants to be asked whenever a price changes.
type PriceWatcher interface{ WatchPrices() }

// Oracle is a Policy that knows the future, or does not pay what others pay
// (JobPlan.Free). Results mark it as a bound.
type Oracle interface{ KnowsFuture() }
