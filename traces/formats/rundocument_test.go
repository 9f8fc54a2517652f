package formats_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// The lists of kinds and of formats in docs/own-runs.md are what the code says.
func TestRunDocument(t *testing.T) {
	const path = "../../docs/own-runs.md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := between(string(old), "kinds", kinds())
	testutil.GoldenText(t, path, between(text, "formats", list()))
}

// between puts a text between the marks of a name.
func between(text, name, what string) string {
	before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, end := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !ok || !end {
		panic("no marks of " + name)
	}
	return before + "<!-- " + name + " -->\n" + what + "<!-- end of " + name + " -->" + after
}

func kinds() string {
	var b strings.Builder
	b.WriteString("| event | what happened | value |\n|---|---|---|\n")
	for _, k := range ownruns.Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.What, k.Value)
	}
	return b.String()
}

func list() string {
	var b strings.Builder
	for _, f := range formats.RunFormats() {
		fmt.Fprintf(&b, "\n### %s\n%s\n\n", f.Name, units.Wrap("Read: "+f.What+".", 150))
		if f.Records.Command != "" {
			fmt.Fprintf(&b, "<!-- not run: needs the vendor's tools and account -->\n```sh\n%s\n```\n", f.Records.Command)
		}
		fmt.Fprintf(&b, "%s\n", units.Wrap("Lost: "+f.Records.Lost+". Known from: "+f.Records.From+".", 150))
	}
	return b.String() + "\n"
}
