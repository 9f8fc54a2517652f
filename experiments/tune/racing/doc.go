// Package racing finds the cheapest of many settings that meets an objective in a share
// of the runs, with far fewer runs than all of them on all blocks. It knows numbers only.
//
// A block is what settings share and what is drawn anew and independently: a seed, or a
// start in a recorded trace. Every setting runs the same blocks in the same order, so
// that differences of costs are paired. The race (in the manner of Maron and Moore,
// Hoeffding races, 1994, with paired tests as F-Race's, Birattari and others, 2002):
//
//   - Looks at 10, 15, 22, ... blocks, each half as many again as the one before.
//   - A setting is out when the upper bound of its share lies below the one asked for.
//   - The leader is the cheapest setting whose share, as estimated, is high enough. A
//     setting is dropped if it is surely not cheaper than the leader by more than the
//     margin; this is asked again, on the same blocks, for every new leader. So a leader
//     that goes out gives everything back that was dropped because of it.
//   - When all others are dropped, one setting runs blocks that chose nothing until the
//     lower bound of its share proves it, or the upper bound disproves it, or even a
//     little more than what it shows could not be proven; then the race goes on without it.
//     It is the cheapest that may meet the share, or, if its share is in doubt, the one
//     within the margin of it that met the objective most often.
//
// With probability 1 - Alpha the winner costs at most (1 + Within) times the cheapest
// setting that meets the share, and with probability 1 - Alpha its share is as proven. Alpha
// is split: for costs one half, for shares in the race and on fresh blocks a quarter each, of
// which every look has its part, and each of the possible leaders an equal one.
// Bounds of shares are exact (Clopper and Pearson, 1934). Those of costs are Student's, which
// take means of paired differences to be normal.
//
// The cost of a run that misses its objective counts as it is.
package racing
