package cmd

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/gym"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/policies/plugin/message"
)

// docs/install.md has the versions of the code, and the address of the schema of specs.
func TestStability(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range map[string][]byte{"spec": spec.Schema(), "sweep": sweep.Schema(), "state": advise.StateSchema(), "advice": advise.AdviceSchema()} {
		id := regexp.MustCompile(`"\$id": "(\S+/(marigram-(\w+)-(\d+)\.schema\.json))"`).FindSubmatch(schema)
		if id == nil || string(id[3]) != name {
			t.Fatalf("the schema of a %s has no address: %.200s", name, schema)
		}
		if name == "spec" && !strings.Contains(string(page), "$schema: "+string(id[1])+"\n") ||
			name != "advice" && !strings.Contains(string(page), string(id[2])) {
			t.Errorf("the page has no %s", id[1])
		}
		if version := string(id[4]); name == "spec" && !strings.Contains(string(page), "| specs | "+version+" |") || name != "spec" && version != "1" {
			t.Errorf("version %s of the schema of a %s is not in the page", version, name)
		}
	}
	for _, row := range []string{fmt.Sprintf("| result tables | %d |", results.SchemaVersion),
		fmt.Sprintf("| messages of policies in other languages | %d |", message.Version), fmt.Sprintf("| messages of `marigram gym` | %d |", gym.Version)} {
		if !strings.Contains(string(page), row) {
			t.Errorf("the page has no %s", row)
		}
	}
}
