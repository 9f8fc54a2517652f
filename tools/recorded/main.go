// Command recorded runs go test and says at the end how many recorded rows were compared, and how many were not, for
// want of a public data set.
//
//	make test, or: make -C tools tools && bin/tools/recorded [-tables] [flags and packages of go test]
//
// With -tables a table in a testdata folder that no test read is an error; it is for runs of all tests. The counts come
// from the attributes that tests give (internal/testutil: Table, Missing), which go test remembers with its results.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Attributes of tests, and the environment variable that says what is pulled: internal/testutil has the same.
const (
	attrRows    = "recorded-rows"
	attrMissing = "recorded-missing"
	envPulled   = "MARIGRAM_PULLED"
)

func main() {
	args := os.Args[1:] // all but the first are those of go test
	tables := len(args) > 0 && args[0] == "-tables"
	if tables {
		args = args[1:]
	}
	code, err := run(tables, args, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorded:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

// run runs go test and returns its exit status, or 1 where a table is not read.
func run(all bool, args []string, out io.Writer) (int, error) {
	state, err := pulledState()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Env = append(os.Environ(), envPulled+"="+state)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	t := newTally()
	if err := t.read(stdout, out); err != nil {
		return 0, err
	}
	code := 0
	if err := cmd.Wait(); err != nil {
		if code = cmd.ProcessState.ExitCode(); code <= 0 {
			return 0, err
		}
	}
	t.report(out)
	if all && code == 0 {
		unread, err := t.unread(".")
		if err != nil {
			return 0, err
		}
		for _, path := range unread {
			fmt.Fprintf(out, "%s is read by no test: compare it with something, or remove it\n", path)
			code = 1
		}
	}
	return code, nil
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, Key, Value string
}

// read takes the events and prints what go test prints without -v: the line of each package, and what failing tests
// said.
func (t *tally) read(in io.Reader, out io.Writer) error {
	said := map[[2]string][]string{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text())
			continue
		}
		id := [2]string{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			said[id] = append(said[id], e.Output)
		case "attr":
			if err := t.attribute(id, e.Key, e.Value); err != nil {
				return err
			}
		case "pass", "fail", "skip":
			t.end(id, e.Action)
			for _, text := range said[id] {
				if line := e.Test == "" && (strings.HasPrefix(text, "ok ") || strings.HasPrefix(text, "? ")); line || e.Action == "fail" {
					fmt.Fprint(out, text)
				}
			}
			delete(said, id)
		}
	}
	return lines.Err()
}

// attribute takes what a test says of itself.
func (t *tally) attribute(id [2]string, key, value string) error {
	switch key {
	case attrMissing:
		t.missing[id] = append(t.missing[id], value)
	case attrRows:
		path, rows, _ := strings.Cut(value, " ")
		n, err := strconv.Atoi(rows)
		if err != nil {
			return fmt.Errorf("%s of %s: %q, expected a table and its rows", key, id[1], value)
		}
		t.rows[path] = n
		t.tables[id] = append(t.tables[id], path)
	}
	return nil
}
