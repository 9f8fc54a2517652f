package results

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/units"
)

// printedSchema is the result schema in Markdown: a table for each file, and the
// metadata keys. SCHEMA.md is its output.
func printedSchema() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Result tables\n\nPrinted from the code (`go test ./experiments/results -run "+
		"TestSchemaFile -update`); version %d.\n", SchemaVersion)
	b.WriteString("Parquet, snappy; times are seconds from the start of the run unless stated otherwise. A " +
		"type ending in ? may be null.\n")
	for _, t := range Tables {
		printColumns(&b, t.File, t.Rows, t.columns())
	}
	printColumns(&b, "part-*.parquet", "of a sweep: one row per run, the columns of summary.parquet followed by those of the sweep",
		columnar.Columns[SweepRow]()[len(columnar.Columns[Summary]()):])
	b.WriteString("\n## Metadata\n\nThe same in all files of a set, as key-value metadata.\n\n| key | value |\n|---|---|\n")
	for _, row := range metaDocs {
		fmt.Fprintf(&b, "| `%s` | %s |\n", row[0], row[1])
	}
	return b.String()
}

func printColumns(b *strings.Builder, file, rows string, columns []columnar.Column) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", file, units.Wrap(capital(rows)+".", 150))
	for _, c := range columns {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, typeOf(c), cell(c.Unit), cell(c.Doc))
	}
}

var metaDocs = [][2]string{
	{keyVersion, "version of marigram"},
	{keyCommit, "commit that it was built from; empty if unknown"},
	{keySpec, "name of the study"},
	{keySpecSHA, "SHA-256 of its file"},
	{keyInputs, "files that it read: JSON, a list of `{name, sha256}`"},
	{keySeed, "first seed"},
	{keyCommand, "command line: JSON, a list of strings"},
	{keyArch, "processor architecture (GOARCH); floating point differs between them"},
	{keySchema, "version of this schema"},
	{keyPlan, "of a sweep only: hash of its plan"},
	{keyChunk, "of a sweep only: number of the chunk; -1 where all are merged"},
	{keyFailed, "of a sweep only: number of runs that failed"},
	{"columnar.crc32c", "CRC-32C of the whole file with zeros in its place; checked when read"},
}

func typeOf(c columnar.Column) string {
	if c.Optional {
		return c.Type + "?"
	}
	return c.Type
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
