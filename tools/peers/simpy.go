package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed hold.py
var script string

// simpy runs hold.py with one interpreter.
type simpy struct {
	python  string
	version string // of SimPy and of the interpreter
	absent  string // why it cannot be run; empty if it can
}

// simpyRun is what hold.py prints.
type simpyRun struct {
	Version string
	Events  int     // of hold, where they are counted; customers of mm1
	Sojourn float64 // mean seconds of a customer of mm1
}

// findSimPy asks the interpreter for SimPy and checks that hold.py fires as many
// events as renewal theory says.
func findSimPy(python string) simpy {
	s := simpy{python: python, version: "none"}
	const n, events = 100, 200_000
	out, _, err := s.call("count", n, events)
	switch {
	case err != nil:
		s.absent = err.Error()
	case abs(out.Events-events) > events/200:
		s.absent = fmt.Sprintf("hold.py fires %d events where %d are expected", out.Events, events)
	default:
		s.version = out.Version
	}
	return s
}

func abs(n int) int { return max(n, -n) }

// call runs hold.py and returns its answer and the processor time that the
// interpreter used, start-up included.
func (s simpy) call(what string, args ...int) (out simpyRun, cpu time.Duration, err error) {
	argv := []string{"-c", script, what}
	for _, a := range args {
		argv = append(argv, strconv.Itoa(a))
	}
	cmd := exec.Command(s.python, argv...)
	answer, err := cmd.Output()
	if err != nil {
		return out, 0, fmt.Errorf("%s hold.py %s: %w%s", s.python, what, err, lastLine(err))
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return out, 0, fmt.Errorf("%s hold.py %s: its answer: %w", s.python, what, err)
	}
	return out, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// lastLine returns what a failed interpreter said last.
func lastLine(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	return ": " + lines[len(lines)-1]
}

// hold measures a process per timer by the difference between a short and a long
// run, which leaves out the start of the interpreter and of the processes.
func (s simpy) hold(n int) func() (float64, error) {
	return func() (float64, error) {
		short, long := 20*n, 20*n+1_500_000
		return s.difference("hold", []int{n, short}, []int{n, long}, long-short)
	}
}

// mm1 measures a process per customer, likewise.
func (s simpy) mm1() (float64, error) {
	const short, long = 1_000, 201_000
	return s.difference("mm1", []int{short}, []int{long}, long-short)
}

func (s simpy) difference(what string, short, long []int, events int) (float64, error) {
	_, start, err := s.call(what, short...)
	if err != nil {
		return 0, err
	}
	out, stop, err := s.call(what, long...)
	if err != nil {
		return 0, err
	}
	if what == "mm1" && (out.Sojourn < 4 || out.Sojourn > 6) {
		return 0, fmt.Errorf("customers spend %v s in the mean, expected about 5", out.Sojourn)
	}
	return perEvent(start, stop, events), nil
}
