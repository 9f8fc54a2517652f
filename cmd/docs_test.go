package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
)

// documents are those whose commands are run.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	studies, err := filepath.Glob("papers/ours/*/README.md")
	if err != nil || len(studies) == 0 {
		t.Fatal(studies, err)
	}
	return slices.Concat([]string{"README.md", "ARTIFACT.md"}, files, studies)
}

// decisions are the pages on why the program is as it is.
func decisions(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	return files
}

// block is a fenced block of a document.
type block struct {
	line   int
	lang   string
	notRun string // why, if the line before it is <!-- not run: why -->
	file   string // its name, if the line before it is <!-- file: name -->
	lines  []string
}

var (
	fence   = regexp.MustCompile("^\\s*```(\\w*)$")
	notRun  = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	fileOf  = regexp.MustCompile(`^<!-- file: (\S+) -->$`)
	queried = regexp.MustCompile(`(FROM|JOIN) '`) // of a query, by its path
	named   = regexp.MustCompile(`^# ([\w-]+\.yaml)(?:$|:)`)
)

// blocks returns the fenced blocks of a document.
func blocks(text string) (list []block) {
	open, why, name := false, "", ""
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && !open:
			list = append(list, block{line: i + 1, lang: m[1], notRun: why, file: name})
			open = true
		case m != nil:
			open = false
		case open:
			b := &list[len(list)-1]
			b.lines = append(b.lines, line)
		}
		why, name = "", ""
		if m := notRun.FindStringSubmatch(line); m != nil {
			why = m[1]
		}
		if m := fileOf.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
	}
	return list
}

// Every command that a document shows is run, in the order of the document, in one
// folder. In blocks of sh each line is a command; in those of console, a line after
// "$ " is, and the others are lines of what it prints, in order; "..." stands for
// anything. sql is for DuckDB. A block that begins with "# NAME.yaml" or that stands
// after <!-- file: NAME --> is a file, and <!-- not run: WHY --> takes the block
// after it out. make and aws are stand-ins (cmd/testdata/documents); ../marigram stands for
// this repository, for modules that use it.
func TestDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: all commands of all documents")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell:", err)
	}
	for _, name := range documents(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // others wait for a disk or another program
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sh := newShell(t)
			var sql []string
			for _, b := range blocks(string(text)) {
				if b.lang == "sql" && b.notRun == "" {
					sql = append(sql, queried.ReplaceAllString(strings.Join(b.lines, "\n"), "$1 '"+sh.dir+"/"))
				}
				sh.block(t, name, &b)
			}
			if sql != nil {
				t.Run("sql", func(t *testing.T) { sh.query(t, sql) })
			}
		})
	}
}

// shell runs commands in a folder.
type shell struct {
	dir, here string // of the commands, and of this repository
	env       []string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	realMake, err := exec.LookPath("make")
	if err != nil {
		t.Skip("no make:", err)
	}
	dir := t.TempDir()
	settings, err := exec.Command("go", "env", "GOCACHE", "GOFLAGS").Output()
	if err != nil {
		t.Skip("no Go tool:", err)
	}
	compiled, flags, _ := strings.Cut(strings.TrimSpace(string(settings)), "\n")
	return &shell{dir: dir, here: here, env: append(os.Environ(), "REPOSITORY="+here, "REAL_MAKE="+realMake,
		"XDG_CACHE_HOME="+filepath.Join(dir, ".cache"),
		"GOCACHE="+compiled,
		"GOFLAGS="+strings.TrimSpace(flags+" -ldflags=-w"), // no tables for debuggers: half the time of a link
		"PATH="+filepath.Join(here, "cmd", "testdata", "documents")+string(filepath.ListSeparator)+os.Getenv("PATH"))}
}

func (s *shell) block(t *testing.T, document string, b *block) {
	t.Helper()
	switch {
	case b.notRun != "":
		t.Logf("%s:%d: not run: %s", document, b.line, b.notRun)
	case b.lang == "sh":
		s.run(t, document, b.line, strings.Join(b.lines, "\n"))
	case b.lang == "console":
		s.console(t, document, b)
	case b.lang == "":
		t.Errorf("%s:%d: a block without a language: expected sh, console, or one that is no command", document, b.line)
	default:
		if m := named.FindStringSubmatch(b.lines[0]); m != nil {
			b.file = m[1]
		}
		if b.file != "" {
			path := filepath.Join(s.dir, b.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			write(t, path, strings.ReplaceAll(strings.Join(b.lines, "\n"), "../marigram", s.here)+"\n")
		}
	}
}

// query runs the queries of a document, each of which has to have an answer.
func (s *shell) query(t *testing.T, sql []string) {
	t.Helper()
	for i, rows := range duck(t, sql...) {
		if len(rows) == 0 {
			t.Errorf("no rows: %s", sql[i])
		}
	}
}

// run returns what a script prints; it must not fail.
func (s *shell) run(t *testing.T, document string, line int, script string) string {
	t.Helper()
	// By its own path, what is compiled for the tests is not compiled once more.
	cmd := exec.Command("sh", "-e", "-c", strings.ReplaceAll(script, "../marigram", s.here))
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s:%d: %v\n%s\n%s", document, line, err, script, out)
	}
	return string(out)
}

// console runs each command of a block and looks for the lines that are to follow.
func (s *shell) console(t *testing.T, document string, b *block) {
	t.Helper()
	if len(b.lines) == 0 || !strings.HasPrefix(b.lines[0], "$ ") {
		t.Fatalf("%s:%d: expected a command after \"$ \" first", document, b.line)
	}
	var printed []string
	for i, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			printed = strings.Split(s.run(t, document, b.line+1+i, command), "\n")
			continue
		}
		if line == "..." {
			continue
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".*") + "$")
		at := slices.IndexFunc(printed, pattern.MatchString)
		if at < 0 {
			t.Errorf("%s:%d: expected in what is printed: %q\nit has, still:\n%s", document, b.line+1+i, line,
				strings.Join(printed, "\n"))
			continue
		}
		printed = printed[at+1:]
	}
}

// What the tests of documents do not find they do not hold.
func TestFencedBlocks(t *testing.T) {
	list := blocks("a\n```sh\nx\ny\n```\n<!-- not run: why -->\n```console\n$ z\n```\n\n```\n```\n")
	if len(list) != 3 || list[0].lang != "sh" || len(list[0].lines) != 2 || list[0].line != 2 ||
		list[1].notRun != "why" || list[2].lang != "" || list[2].notRun != "" {
		t.Errorf("%+v", list)
	}
}

// Specs that pages run by a name alone come with the program, in text as well as in blocks.
func TestNamedSpecsComeWithTheProgram(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("marigram (?:run|bound|validate|plan start) ([a-z][a-z0-9-]*)(?:[ `\n])")
	found := 0
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if !slices.Contains(spec.Builtin(), match[1]) {
				t.Errorf("%s: marigram run %s: no spec of this name comes with the program", page, match[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("%d specs are named in the pages", found)
	}
}

// Commands that pages show and no test runs have flags that there are.
func TestFlagsOfCommandsNotRun(t *testing.T) {
	checked := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(string(text)) {
			if b.notRun == "" || b.lang != "sh" && b.lang != "console" {
				continue
			}
			for _, line := range b.lines {
				words := strings.Fields(strings.TrimPrefix(line, "$ "))
				if len(words) < 2 || words[0] != "marigram" {
					continue
				}
				checked++
				checkFlags(t, page+": "+line, words[1:])
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d commands were checked", checked)
	}
}

// checkFlags reports flags of a command line that its command has not.
func checkFlags(t *testing.T, where string, words []string) {
	t.Helper()
	root := rootCommand()
	command, rest, err := root.Find(words)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	for _, word := range rest {
		name, is := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(strings.Trim(name, "'`"), "=")
		if !is || name == "" {
			continue
		}
		if command.Flags().Lookup(name) == nil && command.InheritedFlags().Lookup(name) == nil {
			t.Errorf("%s: marigram %s has no flag --%s", where, command.Name(), name)
		}
	}
}

// docs/write-a-policy.md shows the whole of a policy that is compiled and tested.
func TestDocumentedPolicy(t *testing.T) {
	text, err := os.ReadFile("docs/write-a-policy.md")
	if err != nil {
		t.Fatal(err)
	}
	const file = "policies/steady_test.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```go\n"+string(source)+"```\n") {
		t.Errorf("docs/write-a-policy.md shows another policy than %s", file)
	}
}
