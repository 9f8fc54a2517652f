// Package judge compares policies of others with all of marigram's on a fixed set of studies.
//
// A Set is a versioned list of specs, each with its seeds or starts. Judge runs them and returns a Result: what
// each policy cost beside the least that any policy can cost in hindsight (package bound), how often it met
// the objective, and its rank with its interval. A set can be sealed (package seal): its histories are
// encrypted, and what was judged by it is signed.
//
// A run that misses its objective also pays what the whole job costs under the policy ondemand, so many times as the set
// says (Set.Late). A policy that is not for the model or the pools of a study counts there as ondemand.
package judge
