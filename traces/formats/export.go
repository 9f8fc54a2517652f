package formats

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
)

// Exporter writes sets in a format of others. RegisterExporter makes it known.
type Exporter struct {
	Name string
	// Write returns what the format has no place for; the writer keeps its own errors
	// until it is flushed.
	Write func(*traces.Set, *bufio.Writer) error
}

// ErrNoPlace is in the error of a set that a format has no place for.
var ErrNoPlace = errors.New("the format has no place for this set")

// exporters by name.
var exporters []Exporter

// RegisterExporter makes a format known to Export. Call it in an init function. It
// panics for a name that another one has.
func RegisterExporter(e Exporter) {
	at, taken := slices.BinarySearchFunc(exporters, e.Name,
		func(e Exporter, name string) int { return cmp.Compare(e.Name, name) })
	if taken || e.Name == "" || e.Write == nil {
		panic(fmt.Sprintf("formats: RegisterExporter of %q: expected a name that no other has, and Write", e.Name))
	}
	exporters = slices.Insert(exporters, at, e)
}

// ExportFormats returns the names of the formats that Export writes.
func ExportFormats() []string {
	var names []string
	for _, e := range exporters {
		names = append(names, e.Name)
	}
	return names
}

// Export writes a set in a format of others. The format aws-json is the page
// that `aws ec2 describe-spot-price-history` prints for all the prices of the
// set, character for character: newest first, rows of one instant in the order
// of their sources, prices with six decimals. What the format has no place for
// is an error (ErrNoPlace) that names the pool and what it lacks; tables other than the
// prices are not written.
func Export(format string, s *traces.Set, w io.Writer) error {
	for _, e := range exporters {
		if e.Name != format {
			continue
		}
		b := bufio.NewWriter(w)
		if err := e.Write(s, b); err != nil {
			return fmt.Errorf("export as %s: %w: %w", format, ErrNoPlace, err)
		}
		if err := b.Flush(); err != nil {
			return fmt.Errorf("export as %s: %w", format, err)
		}
		return nil
	}
	return fmt.Errorf("unknown export format %q, expected one of: %s", format, strings.Join(ExportFormats(), ", "))
}

// ExportFile is Export into a file, which appears whole or not at all.
func ExportFile(format string, s *traces.Set, path string) error {
	return store.Write(context.Background(), path, func(w io.Writer) error { return Export(format, s, w) })
}
