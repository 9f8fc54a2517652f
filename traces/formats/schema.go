package formats

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// schema returns FORMATS.md: the neutral form and the formats that can be
// imported, from the definitions in the code.
func schema() string {
	var b strings.Builder
	b.WriteString(traces.Schema())
	b.WriteString("\n## Formats that can be imported\n")
	writeBounds(&b)
	for _, f := range Formats() {
		what := f.What + "."
		if f.Kind == Run {
			what += " It records a run: `marigram observe` and `backtest` read it ([docs/own-runs.md](../docs/own-runs.md))."
		}
		fmt.Fprintf(&b, "\n### %s\n%s\n\n```\n%s\n```\n", f.Name, units.Wrap(what, textWidth), f.Example)
	}
	return b.String()
}

// textWidth is the width of its paragraphs, in characters.
const textWidth = 150

// writeBounds says how much of a file and of a trace is held in memory.
func writeBounds(b *strings.Builder) {
	var streams []string
	for _, f := range Formats() {
		if f.Streams {
			streams = append(streams, f.Name)
		}
	}
	b.WriteString(units.Wrap(fmt.Sprintf("Packed with gzip or zstd, or not. `marigram traces import` and `pull` read files of any size in %s: "+
		"about %d MiB of the text are in memory, and %d rows of prices, while others wait in the output folder. "+
		"Of the other formats, and where a trace is imported into memory, a file holds at most %d MiB of text, unpacked. "+
		"A line, or a token of JSON, has at most %d MiB; a trace has at most %d rows (prices aside) and pools.",
		strings.Join(streams, ", "), read.WindowBytes>>20, spillRows, traces.DefaultMaxFileBytes>>20, read.MaxText>>20,
		maxHeld), textWidth) + "\n")
}
