package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A script's line "call marigram ..." is "exec marigram ..." in a process that the script keeps: a start of the program
// takes longer than most command lines (docs/design/026). What a script starts in the background, stops, or gives an
// input or a terminal is started by exec.

// calls is the name of the program that runs command lines until its input ends.
const calls = "marigram-calls"

// call is a command line in a folder; answer is what became of it.
type (
	call struct {
		Dir       string
		Env, Args []string
	}
	answer struct {
		Code           int
		Stdout, Stderr string
	}
)

// caller is the process of a script; its zero value has not been started.
type caller struct {
	dir        string   // of the scripts
	env, names []string // of the script at its beginning; those that it sets
	process    *exec.Cmd
	in         *json.Encoder
	out        *json.Decoder
	said       bytes.Buffer
}

// runScripts runs the scripts of a folder; each has its caller.
func runScripts(t *testing.T, dir string) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Values[calls] = &caller{dir: dir, env: e.Vars}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": callMarigram}})
}

var setsVariable = regexp.MustCompile(`(?m)^env (\w+)=`)

// start starts the process, which ends with the script.
func (c *caller) start(ts *testscript.TestScript) {
	text, err := os.ReadFile(filepath.Join(c.dir, ts.Name()+".txt"))
	ts.Check(err)
	for _, m := range setsVariable.FindAllStringSubmatch(string(text), -1) {
		c.names = append(c.names, m[1])
	}
	requests, in, err := os.Pipe()
	ts.Check(err)
	out, answers, err := os.Pipe()
	ts.Check(err)
	c.process = exec.Command(calls)
	c.process.ExtraFiles = []*os.File{requests, answers}
	c.process.Stderr = &c.said
	ts.Check(c.process.Start())
	requests.Close()
	answers.Close()
	c.in, c.out = json.NewEncoder(in), json.NewDecoder(out)
	ts.Defer(func() {
		in.Close()
		_ = c.process.Wait()
		out.Close()
	})
}

// callMarigram is the line "call marigram ...".
func callMarigram(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "marigram" {
		ts.Fatalf("usage: call marigram ARGUMENTS")
	}
	c := ts.Value(calls).(*caller)
	if c.process == nil {
		c.start(ts)
	}
	dir := ts.MkAbs(".")
	env := append([]string{"PWD=" + dir}, c.env...)
	for _, name := range c.names {
		env = append(env, name+"="+ts.Getenv(name))
	}
	ts.Check(c.in.Encode(call{dir, env, args[1:]}))
	var a answer
	if err := c.out.Decode(&a); err != nil {
		ts.Fatalf("%v: %v\n%s", args, err, &c.said)
	}
	_, _ = ts.Stdout().Write([]byte(a.Stdout))
	_, _ = ts.Stderr().Write([]byte(a.Stderr))
	switch {
	case a.Code != 0 && !neg:
		ts.Fatalf("%v: exit status %d\n%s", args, a.Code, a.Stderr)
	case a.Code == 0 && neg:
		ts.Fatalf("%v: unexpected success", args)
	}
}

// serveCalls is the program marigram-calls.
func serveCalls() {
	in, out := json.NewDecoder(os.NewFile(3, "calls")), json.NewEncoder(os.NewFile(4, "answers"))
	for {
		var c call
		if in.Decode(&c) != nil {
			return
		}
		os.Clearenv()
		for _, e := range c.Env {
			name, value, _ := strings.Cut(e, "=")
			os.Setenv(name, value)
		}
		if err := os.Chdir(c.Dir); err != nil {
			panic(err)
		}
		var a answer
		var stdout, stderr bytes.Buffer
		a.Code = execute(c.Args, &stdout, &stderr)
		a.Stdout, a.Stderr = stdout.String(), stderr.String()
		if err := out.Encode(a); err != nil {
			panic(err)
		}
	}
}
