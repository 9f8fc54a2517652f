// Package rollout is a policy that tries what it could do in imagined futures.
//
// At the start, at losses and their notices, and every ten minutes it lists what it could
// do: what its base would do, the base with other numbers of instances on demand, and
// holdings that differ a little from the present ones. Each goes on under its base in the
// same futures (sim.View.Imagine), which are drawn from what is believed of spot capacity:
// a prior, and what the run has seen so far. Something else than the base is done only if
// it meets the objective in as many futures, and is cheaper by more than chance.
//
// The base is the safe form of a policy. Between two such decisions it, or the variant that
// was chosen, decides; and from the last instant at which the fastest cluster on demand
// still meets the deadline, the base decides alone. So the guarantee of package safe holds,
// on the fastest cluster, whatever the prior is.
package rollout
