package sim

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
