// Package runs imports what vendors and trainers record of training runs, and writes runs in the same formats.
//
// The formats follow the vendors' documentation and were tried on samples made after it, not
// on records of real runs: Records.From says how well a format is known.
package runs

// How well formats are known.
const (
	fromDocumentation = "the vendor's documentation; tried on samples made after it only"
	fromCode          = "the tool's public code; tried on samples made after it only"
	fromThread        = "a public thread of its developers; tried on samples made after it only"
	fromMemory        = "memory, not checked against the documentation or a real record; tried on made samples only"
)
