package formats

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Schema returns FORMATS.md: the neutral form and the formats that can be imported, from the definitions in the code.
func Schema() string {
	var b strings.Builder
	b.WriteString(neutralForm())
	b.WriteString("\n## Formats that can be imported\n")
	writeBounds(&b)
	for _, f := range Formats() {
		writeFormat(&b, &f)
	}
	return b.String()
}

// writeFormat describes a format: what is read, an example and, of records of runs, what is lost and how to get them.
func writeFormat(b *strings.Builder, f *Format) {
	what := f.What + "."
	if f.Records != nil {
		what += " It records a run: `marigram observe` and `backtest` read it ([docs/backtest.md](../docs/backtest.md)). " +
			"Lost: " + f.Records.Lost + ". Known from: " + f.Records.From + "."
	}
	fmt.Fprintf(b, "\n### %s\n%s\n\n```\n%s\n```\n", f.Name, units.Wrap(what, textWidth), f.Example)
	if f.Records != nil && f.Records.Command != "" {
		fmt.Fprintf(b, "How to get it:\n```sh\n%s\n```\n", f.Records.Command)
	}
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

// neutralForm describes the tables of the neutral form and the manifest in Markdown: the first part of FORMATS.md.
func neutralForm() string {
	var b strings.Builder
	b.WriteString(schemaHead)
	for _, t := range []struct {
		file, what string
		columns    []columnar.Column
	}{
		{"pools.parquet", "The pools; always present.", columnar.Columns[traces.Pool]()},
		{"prices.parquet", "Price of a machine, from t on.", columnar.Columns[traces.PriceRow]()},
		{"capacity.parquet", "Number of available machines, from t on.", columnar.Columns[traces.CapacityRow]()},
		{"probes.parquet", "Results of attempts to launch.", columnar.Columns[traces.ProbeRow]()},
		{"instance_events.parquet", "Events of single machines.", columnar.Columns[traces.InstanceEventRow]()},
		{"jobs.parquet", "Jobs that were submitted; they belong to no pool.", columnar.Columns[traces.JobRow]()},
		{"gaps.parquet", fmt.Sprintf("Times without data; this is not the same as no capacity. Between two polls "+
			"further apart than %d times their\n"+
			"median distance (`--max-hole` sets another limit) a gap begins one median distance after the first.\n"+
			"Shorter silences are not gaps: the last row holds. Import reports count those longer than two medians.",
			traces.DefaultMaxHole), columnar.Columns[traces.GapRow]()},
	} {
		fmt.Fprintf(&b, "\n### %s\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.file, t.what)
		for _, c := range t.columns {
			typ := c.Type
			if c.Optional {
				typ += ", optional"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Name, typ, c.Unit, c.Doc)
		}
	}
	writeManifestSchema(&b)
	return b.String()
}

func writeManifestSchema(b *strings.Builder) {
	b.WriteString("\n## Manifest\nJSON under the key `marigram.manifest` in the metadata of every file of a trace.\n\n| field | meaning |\n|---|---|\n")
	t := reflect.TypeFor[traces.Manifest]()
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Fprintf(b, "| %s | %s |\n", f.Tag.Get("json"), f.Tag.Get("doc"))
	}
}

const schemaHead = `# Formats of traces

Printed from the code (` + "`go test ./traces/formats -run TestSchema -update`" + `); do not edit.

## The neutral form
A trace is a folder of Parquet files, one per table. Empty tables are left out, except the pools.
Rows are in ascending order of (t, seq). A row holds from t until the next row of its pool; the last one
until the end of the observation (manifest, t_end_us). Instants are microseconds UTC; a trace with a
relative clock begins at 1970-01-01T00:00:00Z. Money is in whole nano-USD.
`
