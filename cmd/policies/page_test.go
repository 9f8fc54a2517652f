package policies

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/units"
	_ "github.com/marigram/marigram/papers/extensions" // whose policies the page lists, too
	"github.com/marigram/marigram/policies/safe"
)

// docs/policies.md ends with lists of all policies, one for each kind of job, which are written from what they say of
// themselves.
func TestPageOfPolicies(t *testing.T) {
	const path = "../../docs/policies.md"
	const heading = "\n## All policies\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, rest, found := strings.Cut(string(page), heading)
	if !found {
		t.Fatal("the page has no heading of its lists")
	}
	introduction, _, _ := strings.Cut(rest, "\n### ")
	infos, err := policyInfos(nil)
	if err != nil {
		t.Fatal(err)
	}
	var needs []string
	for _, info := range infos {
		if !slices.Contains(needs, info.Needs) {
			needs = append(needs, info.Needs)
		}
	}
	slices.Sort(needs)
	var lists strings.Builder
	for _, need := range needs {
		fmt.Fprintf(&lists, "\n### For %s\n", need)
		for _, info := range infos {
			if info.Needs == need {
				// The page says once what is promised, in its section on the safe form.
				does := strings.Replace(info.Doc, safe.Promise, "[promises the deadline](#the-safe-form-of-a-policy)", 1)
				// So it does with what is true of all that follow tools.
				source := strings.Replace(info.Source, ", as read; not made or checked by its authors", "", 1)
				item := units.Wrap(fmt.Sprintf("- `%s`: %s. *%s*", info.Name, does, source), 154)
				lists.WriteString(strings.ReplaceAll(item, "\n", "\n  ") + "\n")
			}
		}
	}
	testutil.GoldenText(t, path, written+heading+introduction+lists.String())
}
