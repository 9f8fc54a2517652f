package formats

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// Format is a file format that can be imported. Register makes it known.
type Format struct {
	Name    string // chosen by this name
	What    string // what it holds and who writes it: a sentence without its end
	Example string // how it begins
	Kind    Kind   // what it records
	// Version is that of the importer: it rises when the importer makes other rows
	// of the same files. Records of runs have none.
	Version int
	// Clock is the kind of clock of its times, and Semantics what an observation means, as the manifest has them; an
	// importer may say otherwise of a file. Jobs have their own.
	Clock, Semantics string
	// Recognise reports whether a file has the format, from its beginning. No other
	// format may know the same file.
	Recognise func(*read.Source) bool
	// New returns an importer for the files of one import, which adds what they say
	// to the builder. Records of runs have Records.Read instead.
	New func(*Builder) Importer
	// Streams says that no more than one row of a file is held at a time, but for
	// the table of prices: a file may have any size.
	Streams bool
	// Records says how a run is written in the format; nil: it is not.
	Records *Records
}

// Kind is what a format records, and with it which import reads it.
type Kind int

// The kinds.
const (
	Market Kind = iota // pools: prices, capacity, machines (Import, ImportTo); ImportRun takes machines and prices
	Jobs               // jobs of a cluster (Import, ImportTo, ImportJobs)
	Run                // one training run (ImportRun)
)

// Records is a format as one that records a run.
type Records struct {
	// Command exports it: one line of a shell.
	Command string
	// From says how well the format is known: by its documentation, by its code or from
	// memory.
	From string
	// Lost is what the records have no place for, or lose: a sentence without its end.
	Lost string
	// Read adds the events of a file; nil where the format has New.
	Read func(*RunFile) error
	// Keep is what comes back of a run that is written in the format and read again.
	Keep func(*ownruns.Run) []ownruns.Event
	// Write writes what Keep keeps; the writer keeps its own errors until it is flushed.
	Write func(*bufio.Writer, *ownruns.Run)
}

// Importer reads the files of one import, one after another. What it has to know
// from file to file is its own.
type Importer interface {
	// Read adds what a file says. Bad data is an error of Source.Errorf or its like,
	// which name the place.
	Read(*read.Source) error
}

// Settler is an importer that has something to add when all files are read.
type Settler interface {
	Importer
	Settle() error
}

// registered are the formats by name.
var registered = registry.New[Format]("format")

// Register makes formats known to the imports, and to all that lists formats. Call it in an
// init function. It panics for a format that is incomplete, and for a name that another
// format has.
func Register(list ...Format) {
	for _, f := range list {
		if why := f.lacks(); why != "" {
			panic(fmt.Sprintf("formats: Register of %q: expected %s", f.Name, why))
		}
		registered.Add(f.Name, f)
	}
}

// lacks says what a format does not have and needs.
func (f *Format) lacks() string {
	r := f.Records
	switch {
	case f.Name == "" || f.What == "" || f.Example == "" || f.Recognise == nil:
		return "name, what, example and Recognise"
	case f.Kind != Run && (f.Version < 1 || f.New == nil):
		return "a version from 1 and New"
	case f.Kind == Run && (r == nil || r.Read == nil):
		return "Records with Read"
	case r != nil && (r.From == "" || r.Keep == nil || r.Write == nil):
		return "Records with From, Keep and Write"
	}
	return ""
}

// Formats lists the formats, by name: of some kinds, or all.
func Formats(kinds ...Kind) []Format {
	return slices.DeleteFunc(registered.All(), func(f Format) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, f.Kind)
	})
}

// RunFormats lists the formats in which runs are written, by name.
func RunFormats() []Format {
	return slices.DeleteFunc(registered.All(), func(f Format) bool { return f.Records == nil })
}

// Named returns the format with a name; the error names the nearest, or all.
func Named(name string) (Format, error) { return registered.Named(name) }

// recognised returns the format of a file, nil where none knows it. That two know it
// is an error.
func recognised(s *read.Source) (found *Format, err error) {
	for _, f := range registered.All() {
		if !f.Recognise(s.Beginning()) {
			continue
		}
		if found != nil {
			return nil, s.Errorf(0, 0, "has the format %s, and the format %s as well; name the format",
				found.Name, f.Name)
		}
		found = &f
	}
	return found, nil
}

// nearestHeader names the format of a table with a header whose example shares most columns with that of a file, at
// least two, and shows it: a table may lack a column, or have it under another name. It is empty where none does.
func nearestHeader(s *read.Source) string {
	own := columns(s.Beginning().FirstRecord())
	best := Format{}
	shared := 1
	for _, f := range registered.All() {
		n := 0
		for _, name := range columns(f.Example) {
			if slices.Contains(own, name) {
				n++
			}
		}
		if n > shared {
			best = f
			shared = n
		}
	}
	if shared < 2 {
		return ""
	}
	header, _, _ := strings.Cut(best.Example, "\n")
	return fmt.Sprintf("\nthe nearest is %s, with a header such as %s", best.Name, header)
}

// columns returns the names in the first line of a table, whatever stands between them.
func columns(text string) []string {
	line, _, _ := strings.Cut(text, "\n")
	names := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;\t\r ", r) })
	return slices.DeleteFunc(names, func(n string) bool { return n[0] >= '0' && n[0] <= '9' })
}
