// Package sources reads what vendors and trainers record of training runs into runs of
// package ownruns, and writes runs in the same formats.
//
// Load takes the files of one run, of any formats, and merges them. A file's format is
// recognised by its content or named. Files that package formats knows, of machines and of
// prices, are taken as well. Export writes a run in a format and says what the format has no
// place for.
//
// The formats follow the vendors' documentation and were tried on samples made after it, not
// on records of real runs: Format.From says how well a format is known.
package sources
