package sources

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// Format is a format of records of runs. Register makes it known.
type Format struct {
	Name string // chosen by this name
	What string // what it holds and who writes it: a sentence without its end
	// Command exports it: one line of a shell.
	Command string
	// From says how well the format is known: by its documentation, by its code or from
	// memory.
	From string
	// Lost is what the records have no place for, or lose: a sentence without its end.
	Lost string
	// Recognise reports whether a file has the format, from its beginning. No other format
	// may know the same file.
	Recognise func(*read.Source) bool
	// Read adds the events of a file.
	Read func(*Input) error
	// Keep is what comes back of a run that is written in the format and read again.
	Keep func(*ownruns.Run) []ownruns.Event
	// Write writes what Keep keeps; the writer keeps its own errors until it is flushed.
	Write func(*bufio.Writer, *ownruns.Run)
}

// registered are the formats by name.
var registered []Format

// Register makes formats known to Load and Export. Call it in an init function. It panics
// for a format that is incomplete, and for a name that another one has.
func Register(list ...Format) {
	for _, f := range list {
		if f.Name == "" || f.What == "" || f.From == "" || f.Recognise == nil || f.Read == nil || f.Keep == nil || f.Write == nil {
			panic(fmt.Sprintf("sources: Register of %q: expected name, what, from, Recognise, Read, Keep and Write", f.Name))
		}
		at, taken := slices.BinarySearchFunc(registered, f.Name, func(f Format, name string) int { return cmp.Compare(f.Name, name) })
		if taken {
			panic(fmt.Sprintf("sources: Register of %q: there is a format of this name", f.Name))
		}
		registered = slices.Insert(registered, at, f)
	}
}

// Formats lists the formats, by name.
func Formats() []Format { return slices.Clone(registered) }

// Named returns the format with a name; the error lists the names.
func Named(name string) (Format, error) {
	var names []string
	for _, f := range registered {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q of records of runs, expected one of: %s", name, strings.Join(names, ", "))
}

// How well formats are known.
const (
	fromDocumentation = "the vendor's documentation; tried on samples made after it only"
	fromCode          = "the tool's public code; tried on samples made after it only"
	fromThread        = "a public thread of its developers; tried on samples made after it only"
	fromMemory        = "memory, not checked against the documentation or a real record; tried on made samples only"
)
