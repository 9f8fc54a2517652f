package results

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
)

// schemaTable describes one of the result tables.
type schemaTable struct {
	File    string // its name in the folder
	Rows    string // what a row is
	Columns []columnar.Column
}

// schemaTables lists the result tables.
func schemaTables() []schemaTable {
	return []schemaTable{
		{SummaryFile, "one row per run", columnar.Columns[Summary]()},
		{SpansFile, "one row for each pool for as long as it stays the same; the first pool of a run, and those of which something is held or requested, have one for each interval in which nothing of the run changed, as do all rows of many jobs", columnar.Columns[Span]()},
		{DecisionsFile, "one row for each decision of a policy, except those by its own timer that changed nothing",
			columnar.Columns[Decision]()},
		{CandidatesFile, "one row for each alternative that a policy considered in a decision, in its order",
			columnar.Columns[Candidate]()},
		{InstancesFile, "one row for each instance that a run held, in the order of its grants",
			columnar.Columns[Instance]()},
		{JobsFile, "one row for each of the many jobs of a run whose timeline is kept (jobs in the spec)", columnar.Columns[Job]()},
		{TasksFile, "one row for each time that a task of a job had room on an instance that jobs share, in the order of their ends, if the timeline of the run is kept",
			columnar.Columns[Task]()},
		{"part-*.parquet", "of a sweep: one row per run, the columns of summary.parquet followed by those of the sweep",
			columnar.Columns[SweepRow]()[len(columnar.Columns[Summary]()):]},
	}
}

// printedSchema is the result schema in Markdown: a table for each file, and the
// metadata keys. SCHEMA.md is its output.
func printedSchema() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Result tables\n\nPrinted from the code (`go test ./experiments/results -run "+
		"TestSchemaFile -update`); version %d.\n", SchemaVersion)
	b.WriteString("Parquet, snappy; times are seconds from the start of the run unless stated otherwise. A " +
		"type ending in ? may be null.\nColumns that had other names in earlier versions are listed in " +
		"[renamed.md](../../docs/renamed.md).\n")
	for _, t := range schemaTables() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.File, capital(t.Rows))
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, typeOf(c), cell(c.Unit), cell(c.Doc))
		}
	}
	b.WriteString("\n## Metadata\n\nThe same in all files of a set, as key-value metadata.\n\n| key | value |\n|---|---|\n")
	for _, row := range metaDocs {
		fmt.Fprintf(&b, "| `%s` | %s |\n", row[0], row[1])
	}
	return b.String()
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
