package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
)

// entry is one engine on one load.
type entry struct {
	load    string // what is simulated
	engine  string
	version string
	absent  string  // why the engine cannot be run here
	goal    float64 // least ratio to the first entry of the load; 0 for none

	run func() (float64, error) // processor time per event (customer, row), ns
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

// others are the peers that are not built in.
type others struct {
	simpy  simpy
	ns3    ns3
	duckdb duckdb
}

// contest lists what is measured. The first entry of each load is ours. The
// numbers of events keep every measurement near a second.
func contest(x others) []*entry {
	const queue, scan = "M/M/1, customers", "prices by pool, rows"
	return slices.Concat(
		holdContest(x, 100, 40),
		holdContest(x, 10_000, 50),
		[]*entry{
			{load: queue, engine: ourQueue, version: thisTree, run: mm1Timers},
			{load: queue, engine: "SimPy processes", version: x.simpy.version, absent: x.simpy.absent, run: x.simpy.mm1, goal: 50},
			{load: scan, engine: "marigram columnar.Scan", version: thisTree, run: scanTime(x.duckdb.table)},
			{load: scan, engine: "DuckDB", version: x.duckdb.version, absent: x.duckdb.absent, run: x.duckdb.scan, goal: 0.7},
		})
}

const ourQueue, thisTree = "marigram sim.Timers", "this tree"

// holdContest is the hold model with n timers.
func holdContest(x others, n int, simpyGoal float64) []*entry {
	akita, simgo := moduleVersion(akitaModule), moduleVersion(simgoModule)
	all := []*entry{
		{engine: ourQueue, version: thisTree, run: inProcess(holdTimers, n, 20_000_000)},
		{engine: "container/heap", version: runtime.Version(), run: inProcess(holdHeap, n, 4_000_000)},
		{engine: "akita SerialEngine", version: akita, run: inProcess(holdAkita, n, 2_000_000), goal: 30},
		{engine: "simgo handlers", version: simgo, run: inProcess(holdSimgoHandlers, n, 1_000_000)},
		{engine: "simgo processes", version: simgo, run: inProcess(holdSimgoProcesses, n, 500_000)},
		{engine: "SimPy processes", version: x.simpy.version, absent: x.simpy.absent, run: x.simpy.hold(n), goal: simpyGoal},
	}
	for _, scheduler := range ns3Schedulers {
		all = append(all, &entry{engine: "ns-3 " + scheduler, version: x.ns3.version, absent: x.ns3.absent, run: x.ns3.hold(scheduler, n)})
	}
	for _, e := range all {
		e.load = fmt.Sprintf("hold, %d timers", n)
	}
	return all
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
