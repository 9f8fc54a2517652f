// Package clairvoyant is a policy that knows the future: it looks for the cheapest
// schedule of clusters that meets the objective, on the very market and random numbers of
// the run, and follows it. What it costs is what could have been reached; the bound of
// package bound is what could not.
//
// The clusters are those that are best at some price of progress. For each of several
// prices, dynamic programming over a grid of time finds the schedule of the least cost
// less the worth of its progress, boots reckoned with. Such schedules jump from late to
// early in a market that does not move; so two of them share the time, switched where the
// objective is just met. What some ordinary policies held, mdp among them, are schedules,
// too, and none of them costs less. The simulator is the judge throughout: a schedule
// counts only if its simulated run meets the objective.
package clairvoyant
