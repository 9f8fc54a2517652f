package traces

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
)

// Schema describes the neutral form's tables and the manifest in Markdown, from the
// definitions in this package: the first part of FORMATS.md.
func Schema() string {
	var b strings.Builder
	b.WriteString(schemaHead)
	for _, t := range []struct {
		file, what string
		columns    []columnar.Column
	}{
		{poolsFile, "The pools; always present.", columnar.Columns[Pool]()},
		{pricesFile, "Price of a machine, from t on.", columnar.Columns[PriceRow]()},
		{capacityFile, "Number of available machines, from t on.", columnar.Columns[CapacityRow]()},
		{probesFile, "Results of attempts to launch.", columnar.Columns[ProbeRow]()},
		{eventsFile, "Events of single machines.", columnar.Columns[InstanceEventRow]()},
		{signalsFile, "Indicators published by a cloud, without guarantee, from t on.", columnar.Columns[SignalRow]()},
		{jobsFile, "Jobs that were submitted; they belong to no pool.", columnar.Columns[JobRow]()},
		{gapsFile, fmt.Sprintf("Times without data; this is not the same as no capacity. Between two polls "+
			"further apart than %d times their\n"+
			"median distance (`--max-hole` sets another limit) a gap begins one median distance after the first.\n"+
			"Shorter silences are not gaps: the last row holds. Import reports count those longer than two medians.",
			DefaultMaxHole), columnar.Columns[GapRow]()},
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
	b.WriteString("\n## Manifest\nJSON under the key `" + manifestKey +
		"` in the metadata of every file of a trace.\n\n| field | meaning |\n|---|---|\n")
	t := reflect.TypeFor[Manifest]()
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
