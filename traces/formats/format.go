package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats/read"
)

// Format is a file format that can be imported. Register makes it known.
type Format struct {
	Name    string // chosen by this name
	What    string // what it holds and who writes it: a sentence without its end
	Example string // how it begins
	// Version is that of the importer: it rises when the importer makes other rows
	// of the same files.
	Version int
	// Recognise reports whether a file has the format, from its beginning. No other
	// format may know the same file.
	Recognise func(*read.Source) bool
	// New returns an importer for the files of one import, which adds what they say
	// to the builder.
	New func(*Builder) Importer
	// Streams says that no more than one row of a file is held at a time, but for
	// the table of prices: a file may have any size.
	Streams bool
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
var registered []Format

// Register makes formats known to Import, and to all that lists formats. Call it in an
// init function. It panics for a format that is incomplete, and for a name that another
// format has.
func Register(list ...Format) {
	for _, f := range list {
		if f.Name == "" || f.What == "" || f.Example == "" || f.Version < 1 || f.Recognise == nil || f.New == nil {
			panic(fmt.Sprintf("formats: Register of %q: expected name, what, example, a version from 1, Recognise and New",
				f.Name))
		}
		at, taken := slices.BinarySearchFunc(registered, f.Name,
			func(f Format, name string) int { return cmp.Compare(f.Name, name) })
		if taken {
			panic(fmt.Sprintf("formats: Register of %q: there is a format of this name", f.Name))
		}
		registered = slices.Insert(registered, at, f)
	}
}

// Formats lists the formats that Import reads, by name.
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
	return Format{}, fmt.Errorf("unknown format %q, expected one of: %s", name, strings.Join(names, ", "))
}

// recognised returns the format of a file, nil where none knows it. That two know it
// is an error.
func recognised(s *read.Source) (found *Format, err error) {
	for i := range registered {
		f := &registered[i]
		if !f.Recognise(s.Beginning()) {
			continue
		}
		if found != nil {
			return nil, s.Errorf(0, 0, "has the format %s, and the format %s as well; name the format", found.Name, f.Name)
		}
		found = f
	}
	return found, nil
}
