package simtest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/sim"
)

// allocations checks that a warm policy of few jobs allocates nothing in a run, or at most as many times a decision as
// the suite allows.
func (x *trial) allocations() error {
	if x.seed > 2 || raceDetector {
		return nil // slow, and every seed takes the same paths
	}
	config := x.config(x.policy(x.market), x.seed, nil)
	run := world(config)
	run.Run()
	again := func() {
		if run.Reset(config) == nil {
			run.Run()
		}
	}
	n := testing.AllocsPerRun(3, again)
	if decisions := run.Totals().Decisions; n > x.allowed*float64(decisions) {
		return fmt.Errorf("%v allocations in the %v decisions of a run when warm, "+
			"expected %v a decision (simtest.Allocations); %s", n, decisions, x.allowed, allocated(again))
	}
	return nil
}

// steadyAllocations checks that a scheduler of many jobs allocates nothing at a decision in the second half of a run,
// but for a queue that grows now and then, or at most as many times as the suite allows. One that sets JobPlan.Hold may
// allocate 200 times a decision.
func (x *trial) steadyAllocations() error {
	if raceDetector {
		return nil
	}
	p := x.policy(x.market)
	run := world(x.config(p, x.seed, nil))
	run.Run()
	half := x.jobs[len(x.jobs)/2].Submit
	begin := func() error {
		if err := run.Reset(x.config(p, x.seed, nil)); err != nil {
			return err
		}
		run.RunUntil(sim.Time(0).Add(half))
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	before := run.Totals().Decisions
	on := func() { run.RunUntil(run.Now().Add(half / 4)) }
	n := testing.AllocsPerRun(1, on)
	decisions := float64(run.Totals().Decisions-before) / 2
	allowed := 200.0
	if sim.TraitsOf(p).Plans != sim.ByHold {
		allowed = cmp.Or(x.allowed, 0.1)
	}
	if n <= 1+allowed*decisions {
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	return fmt.Errorf("%v allocations in %v decisions in the middle of a run, "+
		"expected %v a decision (simtest.Allocations); %s", n, decisions, allowed, allocated(on))
}

// allocated does something once more with every allocation noted, and says where most of them are: the line that
// allocates, and that of the policy's decision which it is for.
func allocated(do func()) string {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	before := noted()
	do()
	type line struct {
		at string
		n  int64
	}
	times := map[string]int64{}
	for stack, n := range noted() {
		if at := place(stack[:]); at != "" {
			times[at] += n - before[stack]
		}
	}
	var lines []line
	for at, n := range times {
		if n > 0 {
			lines = append(lines, line{at, n})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.at, b.at)) })
	if len(lines) == 0 {
		return "once more it allocated nothing"
	}
	var said []string
	for _, l := range lines[:min(len(lines), 3)] {
		said = append(said, fmt.Sprintf("%d at %s", l.n, l.at))
	}
	return strings.Join(said, ", ")
}

// noted returns how many allocations were noted so far, by stack.
func noted() map[[32]uintptr]int64 {
	runtime.GC() // a profile may be two collections old
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := 0, false; !ok; {
		records = make([]runtime.MemProfileRecord, n+64)
		n, ok = runtime.MemProfile(records, true)
		records = records[:min(n, len(records))]
	}
	out := map[[32]uintptr]int64{}
	for _, record := range records {
		out[record.Stack0] += record.AllocObjects
	}
	return out
}

// place names the line of a stack that allocates, and the decision that it is for; "" for what noted allocates itself.
func place(stack []uintptr) (at string) {
	n := slices.Index(stack, 0)
	if n < 0 {
		n = len(stack)
	}
	for frames, more := runtime.CallersFrames(stack[:n]), true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
		line := fmt.Sprintf("%s (%s:%d)", name, filepath.Base(frame.File), frame.Line)
		switch {
		case name == "simtest.noted":
			return ""
		case at == "" && !strings.HasPrefix(name, "runtime."):
			at = line
		case at != "" && strings.HasSuffix(name, ".Decide"):
			return at + " in " + line
		}
	}
	return at
}
