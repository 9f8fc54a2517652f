package formats_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces/ownruns"
)

// The list of kinds of events in docs/backtest.md is what the code says.
func TestRunDocument(t *testing.T) {
	const path = "../../docs/backtest.md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	testutil.GoldenText(t, path, between(string(old), "kinds", kinds()))
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
