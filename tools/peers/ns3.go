package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed ns3/hold.cc
var ns3Source string

// ns3 runs hold.cc, compiled against the ns-3 of the system.
type ns3 struct {
	program string
	version string
	absent  string // why it cannot be run; empty if it can
}

// findNS3 compiles hold.cc into a folder, and checks that it fires the events that
// ours does.
func findNS3(folder string) ns3 {
	s := ns3{program: filepath.Join(folder, "hold"), version: "none"}
	version, err := exec.Command("pkg-config", "--modversion", "ns3-core").Output()
	if err != nil {
		s.absent = fmt.Sprintf("pkg-config --modversion ns3-core: %v%s", err, lastLine(err))
		return s
	}
	source := s.program + ".cc"
	if err := errors.Join(os.WriteFile(source, []byte(ns3Source), 0o644), output(exec.Command("g++", "-O2", "-o", s.program, source, "-lns3-core"))); err != nil {
		s.absent = err.Error()
		return s
	}
	const n, events = 100, 200_000
	got, err := s.call(ns3Schedulers[0], n, events)
	switch want := holdTimers(n, events).sum; {
	case err != nil:
		s.absent = err.Error()
	case got.sum != want:
		s.absent = fmt.Sprintf("hold.cc's instants sum to %#x, ours to %#x", got.sum, want)
	default:
		s.version = strings.TrimSpace(string(version))
	}
	return s
}

// output runs a command; its error has what the command said last.
func output(cmd *exec.Cmd) error {
	if _, err := cmd.Output(); err != nil {
		return fmt.Errorf("%s: %w%s", cmd.Path, err, lastLine(err))
	}
	return nil
}

// ns3Schedulers are the default one, and the one that was the fastest at these
// loads.
var ns3Schedulers = []string{"MapScheduler", "PriorityQueueScheduler"}

func (s ns3) call(scheduler string, n, events int) (out outcome, err error) {
	cmd := exec.Command(s.program, "ns3::"+scheduler, fmt.Sprint(n), fmt.Sprint(events))
	answer, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("hold.cc: %w%s", err, lastLine(err))
	}
	if _, err := fmt.Sscan(string(answer), &out.ns, &out.sum); err != nil {
		return out, fmt.Errorf("hold.cc: its answer %q: %w", answer, err)
	}
	return out, nil
}

func (s ns3) hold(scheduler string, n int) func() (float64, error) {
	return func() (float64, error) {
		out, err := s.call(scheduler, n, 4_000_000)
		return out.ns, err
	}
}
