// Package advise answers what a policy would do now: from a live state (what is held, how far the
// training is) and the traces until now it works out the policy's plan, and what that is expected
// to cost and when to end, beside what other policies would.
//
// The run is followed from its beginning to now in a market that grants exactly what was granted
// (sim.Market.Granting), with the policy asked at every instant, so that its memory of the past is what it
// would have; then it decides. Many continuations from there, the same for all policies, are on markets
// like the past (Past, Continuations). Nothing after now is read.
package advise
