package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/marigram/marigram/internal/registry"
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
var exporters = registry.New[Exporter]("export format")

// RegisterExporter makes a format known to Export. Call it in an init function. It
// panics for a name that another one has.
func RegisterExporter(e Exporter) {
	if e.Write == nil {
		panic(fmt.Sprintf("formats: RegisterExporter of %q: expected Write", e.Name))
	}
	exporters.Add(e.Name, e)
}

// ExportFormats returns the names of the formats that Export writes.
func ExportFormats() []string { return exporters.Names() }

// Export writes a set in a format of others. The format aws-json is the page
// that `aws ec2 describe-spot-price-history` prints for all the prices of the
// set, character for character: newest first, rows of one instant in the order
// of their sources, prices with six decimals. What the format has no place for
// is an error (ErrNoPlace) that names the pool and what it lacks; tables other than the
// prices are not written.
func Export(format string, s *traces.Set, w io.Writer) error {
	e, err := exporters.Named(format)
	if err != nil {
		return err
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

// ExportFile is Export into a file, which appears whole or not at all.
func ExportFile(format string, s *traces.Set, path string) error {
	return store.Write(context.Background(), path, func(w io.Writer) error { return Export(format, s, w) })
}
