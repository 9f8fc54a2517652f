package runs

import (
	"github.com/marigram/marigram/traces/formats"
)

// input is one file that is read.
type input struct{ *formats.RunFile }

// How well formats are known.
const (
	fromDocumentation = "the vendor's documentation; tried on samples made after it only"
	fromCode          = "the tool's public code; tried on samples made after it only"
	fromThread        = "a public thread of its developers; tried on samples made after it only"
	fromMemory        = "memory, not checked against the documentation or a real record; tried on made samples only"
)
