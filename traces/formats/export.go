package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/traces"
)

// exporter writes a set in a format of others.
type exporter struct {
	name string
	// write returns what the format has no place for; the writer keeps its own
	// errors until it is flushed.
	write func(*traces.Set, *bufio.Writer) error
}

// ErrNoPlace is in the error of a set that a format has no place for.
var ErrNoPlace = errors.New("the format has no place for this set")

// exporters in alphabetical order.
var exporters = []exporter{
	{"aws-json", exportAWSJSON},
}

// ExportFormats returns the names of the formats that Export writes.
func ExportFormats() []string {
	var names []string
	for _, e := range exporters {
		names = append(names, e.name)
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
		if e.name != format {
			continue
		}
		b := bufio.NewWriter(w)
		if err := e.write(s, b); err != nil {
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
	return atomicfile.Write(path, func(w io.Writer) error { return Export(format, s, w) })
}
