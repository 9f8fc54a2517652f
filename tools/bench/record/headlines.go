package main

// headline is a benchmark that is recorded. All of its units are processor time for
// a fixed amount of work, so that less is better.
type headline struct {
	name      string // in the record and the figure
	folder    string // of its package
	benchmark string // as testing prints it, without the number of processors
	unit      string // of what it prints
	per       float64
	recorded  string // unit in the record: a printed value divided by per, or per divided by it where it is a rate
	rate      bool
}

// headlines are the ten whose record is kept: the event queue, runs of one job under
// four policies, a sweep with its tables, tables read, many jobs, a plan, the bound. The jobs
// are under tiresias; until 2026-11-22 the benchmark's servers were spot ("jobs under tiresias").
var headlines = []headline{
	{name: "timers", folder: "./sim", benchmark: "BenchmarkHold/q=tree/N=100/dist=uni", unit: "cpu-ns/op", per: 1, recorded: "ns an event"},
	{name: "run of 12 h", folder: "./policies", benchmark: "BenchmarkRun12h", unit: "cpu-ns/op", per: 1e3, recorded: "us a run"},
	{name: "run that polls", folder: "./policies", benchmark: "BenchmarkRun12hPolled", unit: "cpu-ns/op", per: 1e3, recorded: "us a run"},
	{name: "busy run", folder: "./policies", benchmark: "BenchmarkRunBusy", unit: "cpu-ns/op", per: 1e3, recorded: "us a run"},
	{name: "parcae", folder: "./policies/parcae", benchmark: "BenchmarkParcaeRuns/starts=hourly/plans=remembered", unit: "cpu-ns/run", per: 1e3,
		recorded: "us a run"},
	{name: "sweep with tables", folder: "./experiments/sweep", benchmark: "BenchmarkMillion/workers=1", unit: "cpu-ns/run", per: 1e3, recorded: "us a run"},
	{name: "prices read", folder: "./internal/columnar", benchmark: "BenchmarkScanPrices/narrow", unit: "Mrows/cpu-s", per: 1e3, recorded: "ns a row", rate: true},
	{name: "jobs on own servers", folder: "./policies/schedulers", benchmark: "BenchmarkSchedulers/tiresias", unit: "jobs/cpu-s", per: 1e6,
		recorded: "us a job", rate: true},
	{name: "plan of spotDNN", folder: "./policies/spotdnn", benchmark: "BenchmarkPlanSpotDNN/5x25", unit: "cpu-ns/op", per: 1e3, recorded: "us a plan"},
	{name: "bound of a trace", folder: "./experiments", benchmark: "BenchmarkBounds/6h", unit: "cpu-ns/op", per: 1e6, recorded: "ms a trace"},
}

// value is what is recorded of a printed value.
func (h *headline) value(printed float64) float64 {
	if h.rate {
		return h.per / printed
	}
	return printed / h.per
}
