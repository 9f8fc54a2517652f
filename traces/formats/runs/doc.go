// Package runs imports what vendors and trainers record of training runs, and writes runs in the same formats.
//
// The formats follow the vendors' documentation and were tried on samples made after it, not
// on records of real runs: Records.From says how well a format is known.
package runs
