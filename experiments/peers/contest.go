package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// entry is one engine on one load.
type entry struct {
	load    string // what is simulated
	engine  string
	version string
	absent  string  // why the engine cannot be run here
	goal    float64 // least ratio to the first entry of the load; 0 for none

	run func() (float64, error) // processor time per event, ns
	ns  []float64               // by round
}

// measure takes one more measurement.
func (e *entry) measure() error {
	if e.absent != "" {
		return nil
	}
	runtime.GC() // nobody pays for what another left behind
	ns, err := e.run()
	e.ns = append(e.ns, ns)
	return err
}

// contest lists what is measured. The first entry of each load is ours. The
// numbers of events keep every measurement near a second.
func contest(py simpy) []*entry {
	var all []*entry
	for _, size := range []struct {
		timers    int
		simpyGoal float64
	}{{100, 40}, {10_000, 50}} {
		n := size.timers
		load := fmt.Sprintf("hold, %d timers", n)
		all = append(all,
			&entry{load: load, engine: "marigram sim.Timers", version: "this tree", run: inProcess(holdTimers, n, 20_000_000)},
			&entry{load: load, engine: "container/heap", version: runtime.Version(), run: inProcess(holdHeap, n, 4_000_000)},
			&entry{load: load, engine: "akita SerialEngine", version: moduleVersion(akitaModule), run: inProcess(holdAkita, n, 2_000_000), goal: 30},
			&entry{load: load, engine: "SimPy processes", version: py.version, absent: py.absent, run: py.hold(n), goal: size.simpyGoal},
		)
	}
	const load = "M/M/1, customers"
	return append(all,
		&entry{load: load, engine: "marigram sim.Timers", version: "this tree", run: mm1Timers},
		&entry{load: load, engine: "SimPy processes", version: py.version, absent: py.absent, run: py.mm1, goal: 50},
	)
}

// inProcess adapts a hold model that runs in this process.
func inProcess(hold func(n, events int) outcome, n, events int) func() (float64, error) {
	return func() (float64, error) { return hold(n, events).ns, nil }
}

const akitaModule = "github.com/sarchlab/akita/v4"

// moduleVersion returns the version of a module that is built in.
func moduleVersion(path string) string {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, m := range info.Deps {
			if m.Path == path {
				return m.Version
			}
		}
	}
	return "unknown"
}
