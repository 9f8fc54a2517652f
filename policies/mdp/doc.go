// Package mdp is a policy that plans ahead: it solves a Markov decision process of the market that it believes in, and
// holds what costs least until the next decision and is expected to cost least from then on.
//
// # The process
//
// The state is a step of time, the work that is left, and the regime of the market: which spot pools have room. The
// value of a state is the least expected cost to go. In a step a cluster of the regime trains: one of those on the
// lower convex hull of (rate, price), with on demand. The next step keeps the regime or draws it anew. For a single
// pool that goes on and off this is its Markov chain exactly; for many pools it is the mean of theirs. A change of
// the regime costs what boots, losses and restarts take. Late work costs more than any cluster. Where moves of the
// job's state take more than a boot, its place is part of the state, and a cluster elsewhere costs its move, USD and
// seconds. Solved backward in time, on a grid with linear interpolation, that is a table in milliseconds. Tables are
// kept, and serve all runs that have the same job, prices and law.
//
// # The law
//
// A spot pool is believed to have room for spans of an exponential distribution, and none for others. Their rates have
// a Gamma distribution: at first that of the settings, then with the removals and grants that the run has seen, and the
// hours in which they could have come. Prices are believed to stay as they are.
//
// # The decision
//
// At each decision the clusters of the pools that have room now are priced, with what is held: the cost until the next
// decision, and the value of the state then, where boots, restarts and rollbacks count as work. Pools that have no room
// keep a request where the best cluster would have their instances.
//
// The promise is that of package safe, and above it: whatever is believed, the policy is asked only while on demand
// still meets the deadline, and a plan after which it would not is not taken. So is a plan after which on demand alone
// would cost more than the limit of what waiting for spot may cost.
package mdp
