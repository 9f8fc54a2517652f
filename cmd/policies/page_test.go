package policies

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	_ "github.com/marigram/marigram/papers/extensions" // whose policies the page lists, too
)

// docs/policies.md ends with a table of all policies, which is written from what they say of themselves.
func TestPageOfPolicies(t *testing.T) {
	const path = "../../docs/policies.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, _, _ := strings.Cut(string(page), "\n| policy | what it does |")
	infos, err := policyInfos(nil)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("\n| policy | what it does | it needs | source |\n|---|---|---|---|\n")
	for _, info := range infos {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", info.Name, info.Doc, info.Needs, info.Source)
	}
	testutil.GoldenText(t, path, written+table.String())
}
