package calibrate_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/testutil"
)

// The tables in PROFILES.md are the layout and the families in the code.
func TestProfilesFile(t *testing.T) {
	const file, head, next = "PROFILES.md", "## Columns\n", "\n## Profiles "
	var table strings.Builder
	table.WriteString("\n| column | unit | meaning | empty |\n|---|---|---|---|\n")
	for _, c := range fit.MeasuredColumns() {
		empty := c.Empty
		if empty == "" {
			empty = "not allowed"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", c.Name, c.Unit, c.Doc, empty)
	}
	var relative []string
	for _, f := range calibrate.Families() {
		if f.Relative {
			relative = append(relative, "`"+f.Name+"`")
		}
	}
	fmt.Fprintf(&table, "\n## Families\nWhat `--as` fits, from which columns, and which columns have one value in all rows of a fit.\n"+
		"Fitted by least squares of residual/measured, as the spread of a time is a share of it: %s.\n\n", strings.Join(relative, ", "))
	table.WriteString("| family | predicts | from | one value |\n|---|---|---|---|\n")
	for _, f := range calibrate.Families() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.Name, f.Target, strings.Join(f.Inputs, ", "), strings.Join(f.Same, ", "))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), head)
	_, after, _ := strings.Cut(rest, next)
	testutil.GoldenText(t, file, before+head+table.String()+next+after)
}
