package traces

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
)

// Schema returns FORMATS.md: the neutral form's tables, the manifest and the
// formats that can be imported, from the definitions in this package.
func Schema() string {
	var b strings.Builder
	b.WriteString(schemaHead)
	for _, t := range []struct {
		file, what string
		columns    []columnar.Column
	}{
		{poolsFile, "The pools; always there.", columnar.Columns[Pool]()},
		{pricesFile, "What a machine costs, from t on.", columnar.Columns[PriceRow]()},
		{capacityFile, "How many machines there are, from t on.", columnar.Columns[CapacityRow]()},
		{probesFile, "What became of attempts to launch.", columnar.Columns[ProbeRow]()},
		{eventsFile, "What happened to single machines.", columnar.Columns[InstanceEventRow]()},
		{signalsFile, "What a cloud says without promising it, from t on.", columnar.Columns[SignalRow]()},
		{jobsFile, "Jobs that were submitted; they belong to no pool.", columnar.Columns[JobRow]()},
		{gapsFile, fmt.Sprintf("Where nothing is known; not the same as no capacity. Between two polls further apart than %d times their\n"+
			"median distance (`--max-hole` says another limit) a gap begins one median distance after the first.\n"+
			"Shorter silences are no gaps: the last row holds, and reports of imports count those of more than two medians.", usualHoles), columnar.Columns[GapRow]()},
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
	b.WriteString("\n## Formats that can be imported\n")
	writeBounds(&b)
	for _, f := range Formats() {
		fmt.Fprintf(&b, "\n### %s\n%s.\n\n```\n%s\n```\n", f.Name, f.What, f.Example)
	}
	return b.String()
}

// writeBounds says how much of a file and of a trace is held in memory.
func writeBounds(b *strings.Builder) {
	var streams []string
	for i := range importers {
		if importers[i].streams {
			streams = append(streams, importers[i].Name)
		}
	}
	fmt.Fprintf(b, "Packed with gzip or zstd, or not. `marigram traces import` and `pull` read files of any size in %s:\n"+
		"about %d MiB of the text are in memory, and %d rows of prices, while others wait in the output folder.\n"+
		"Of the other formats, and where a trace is imported into memory, a file holds at most %d MiB of text, unpacked.\n"+
		"A line, or a token of JSON, has at most %d MiB; a trace has at most %d rows (prices aside) and pools.\n",
		strings.Join(streams, ", "), windowBytes>>20, spillRows, DefaultMaxFileBytes>>20, maxText>>20, maxHeld)
}

func writeManifestSchema(b *strings.Builder) {
	b.WriteString("\n## Manifest\nJSON under the key `" + manifestKey + "` in the metadata of every file of a trace.\n\n| field | meaning |\n|---|---|\n")
	t := reflect.TypeFor[Manifest]()
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Fprintf(b, "| %s | %s |\n", f.Tag.Get("json"), f.Tag.Get("doc"))
	}
}

const schemaHead = `# Formats of traces

Printed from the code (` + "`go test ./traces -run TestSchema -update`" + `); do not edit.

## The neutral form
A trace is a folder of Parquet files, one a table. Tables without rows are left out, but for the pools.
Rows are in ascending order of (t, seq). A row holds from t until the next row of its pool; the last one
until the end of the observation (manifest, t_end_us). Instants are microseconds UTC; a trace with a
relative clock begins at 1970-01-01T00:00:00Z. Money is in whole nano-USD.
`
