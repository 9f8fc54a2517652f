package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var link = regexp.MustCompile(`\](?:\(|: )([^)#\s]+)(?:#[^)]*)?`)

// Links between the documents lead to files that are there.
func TestDocumentLinks(t *testing.T) {
	for _, name := range append(append(documents(t), decisions(t)...), "DESIGN.md", "CHANGELOG.md", "tools/bench/README.md", "calibrate/DEVIATIONS.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

var inline = regexp.MustCompile("`marigram ([^`]+)`")

// Commands in the text, which are not run, are there, and so are their flags.
func TestInlineCommands(t *testing.T) {
	seen := 0
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			seen++
			root := rootCommand()
			root.InitDefaultCompletionCmd()
			cmd, rest, err := root.Find(strings.Fields(m[1]))
			if err == nil && cmd.HasParent() {
				err = cmd.ParseFlags(rest)
			}
			if err != nil && !strings.Contains(err.Error(), "needs an argument") && !errors.Is(err, pflag.ErrHelp) ||
				!cmd.HasParent() && !strings.HasPrefix(m[1], "-") {
				t.Errorf("%s: marigram %s: %v", name, m[1], err)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d commands were found", seen)
	}
}
