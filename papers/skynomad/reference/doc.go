// Package reference replays the simulator of SkyNomad (NSDI 2027) as its public code
// counts (andylizf/skynomad-artifact at 62b9aaa): one job with a deadline, at most one
// instance in one of several zones, decisions at the starts of ticks. Slips of that
// code are kept where its numbers need them, and named where they are.
package reference
