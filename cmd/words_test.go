package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// unclear are phrases that readers outside the project did not understand. What
// users read says it in the field's terms instead: "random numbers" for luck,
// "compared with" for held against, "meets the deadline" for in time.
var unclear = regexp.MustCompile(`(?i)held against|hold \w+ against|keeps? the books|the books of|set of books|of those who` +
	`|(less|cheapest|most) of what is there|what is there stays|for what there is|laid to begin|laid out anew` +
	`|is said\.|in time on demand|(be|all|is still) in time\b|as it was asked` +
	`|which nobody|nobody (says|gives|interrupts)|by luck|\bluck\b|says nothing of others|a good spec|may be given again|what was known last`)

// terms are words of our own, and what the field says. Names of keys, flags and columns are no part of it: they
// stand in code, or with other marks around them than spaces.
var terms = []struct {
	word *regexp.Regexp
	term string
}{
	{own(`in (the )?place of`), "instead of"},
	{own(`so many`), "n, a number, that many"},
	{own(`as often as`), "n times, at the rate"},
	{own(`(^|[^-])\bbeside [a-z]`), "compared with, next to, in addition to"},
	{own(`rooms?`), "package; capacity, free GPUs, slots, place"},
	{own(`guests?`), "plug-in (a policy); task (on a host)"},
	{own(`landlords?`), "host job, cluster owner"},
	{own(`tenants?`), "task, co-located task"},
	{own(`lives`), "lifetimes"},
	{own(`dear(er|est)?`), "expensive"},
	{own(`spells?`), "intervals"},
	{own(`(seers?|foresees|foreseen)`), "oracle; predict"},
	{own(`reckon(s|ed|ing)?`), "estimate, count, assume"},
	{own(`(strangers?|house|halls?|doors|wings)`), "newcomer; architecture; entry points"},
	{own(`(kit|spool|lanes?|agenda|haste|crews?|asker|unlaid)`), "policyutil; job store; batch slot; event list; workers; waiter; dirty"},
	{own(`worth of`), "value of"},
	{own(`recorded histor(y|ies)`), "traces, a trace"},
}

// own compiles a word of our own, whole and in any case.
func own(words string) *regexp.Regexp {
	if !strings.HasPrefix(words, "(^") {
		words = `\b(` + words + `)\b`
	}
	return regexp.MustCompile(`(?i)` + words)
}

// code is what a document shows of programs: blocks and spans.
var code = regexp.MustCompile("(?s)```.*?```|`[^`]*`")

// What users read has none of the unclear phrases, and the field's terms: documents, the help of every
// command, and the texts in the code (messages, labels, descriptions of settings
// and columns).
func TestWords(t *testing.T) {
	t.Parallel()
	refuse := func(where, text string) {
		for _, phrase := range unclear.FindAllString(text, -1) {
			t.Errorf("%s: %q: say it in the field's terms (docs/glossary.md)", where, phrase)
		}
		for _, x := range terms {
			for _, phrase := range x.word.FindAllString(text, -1) {
				t.Errorf("%s: %q: the field says: %s", where, phrase, x.term)
			}
		}
	}
	published, err := filepath.Glob("papers/*/published.csv")
	if err != nil || len(published) == 0 {
		t.Fatal(published, err)
	}
	for _, name := range slices.Concat(documents(t), decisions(t), published, []string{"CHANGELOG.md", "DESIGN.md", "CONTRIBUTING.md", "BENCHMARKS.md",
		"calibrate/DEVIATIONS.md", "calibrate/PROFILES.md",
		"calibrate/profiler/README.md", "traces/FORMATS.md", "experiments/results/SCHEMA.md", "experiments/slurm/README.md"}) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		refuse(name, code.ReplaceAllString(string(text), "`code`"))
	}
	var help func(*cobra.Command)
	help = func(c *cobra.Command) {
		refuse(c.CommandPath()+" --help", c.Short+"\n"+c.Long+"\n"+c.Flags().FlagUsages())
		for _, sub := range c.Commands() {
			help(sub)
		}
	}
	help(rootCommand())
	for where, text := range stringsInCode(t) {
		refuse(where, text)
	}
}

// stringsInCode returns the string literals of the module that are sentences or
// parts of them, by file and line; not those of tests.
func stringsInCode(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, " ") {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					texts[set.Position(lit.Pos()).String()] = text
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(texts) < 1000 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	return texts
}
