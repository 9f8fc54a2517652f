// Package reference replays the six strategies of "Analysis and exploitation of
// dynamic pricing in the public cloud for ML training" (DISPA 2020) as their public
// code counts (stanford-futuredata/training_on_a_dime, commit 85f6595). Time goes in
// whole days of UTC, a price of the evening is chosen at midnight, and one GPU of an
// instance is paid as its share. Nothing boots, waits, moves or is preempted, so that
// costs are lower bounds.
package reference
