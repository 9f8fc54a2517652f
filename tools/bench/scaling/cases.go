package main

import (
	"strconv"
	"strings"
)

// growth is a command whose input grows in one way.
type growth struct {
	command, of string
	minimum     int                                    // size at 1x
	prepare     func(program, dir string, n int) error // makes the input of size n
	args        func(n int) []string
}

var cases = []growth{
	{"traces stats", "rows of prices", 10_000, prices(8), fixed("traces", "stats", "prices.json")},
	{"traces stats", "pools of ten rows", 500, func(p, dir string, n int) error { return prices(n)(p, dir, 10*n) }, fixed("traces", "stats", "prices.json")},
	{"traces import", "rows of prices", 10_000, prices(8), fixed("traces", "import", "prices.json", "--out", "trace")},
	{"traces plot", "rows of prices", 10_000, prices(8), fixed("traces", "plot", "prices.json", "--out", "figures")},
	{"traces stats", "jobs", 1_000, jobs, fixed("traces", "stats", "jobs.csv")},
	{"validate", "pools of a spec", 10, pools, fixed("validate", "spec.yaml")},
	{"run", "pools of a spec, 20 seeds", 10, pools, fixed("run", "spec.yaml", "-s", "timelines=0", "--out", "out", "--no-plots")},
	{"run", "pools of a spec, with a timeline", 10, pools, fixed("run", "spec.yaml", "--out", "out", "--no-plots")},
	{"run", "seeds", 200, nothing, func(n int) []string {
		return []string{"run", "quickstart", "--policy", "reactive", "--seeds", strconv.Itoa(n), "--out", "out", "--no-plots"}
	}},
	{"run", "seeds, each with timelines of eight runs", 4, nothing, func(n int) []string {
		return []string{"run", "quickstart", "--seeds", strconv.Itoa(n), "-s", "timelines=" + strconv.Itoa(n), "--out", "out", "--no-plots"}
	}},
	{"run", "jobs", 1_000, jobs, fixed("run", "cluster.yaml", "--policy", "fifo", "--out", "out", "--no-plots")},
	{"run", "jobs, tiresias", 1_000, jobs, fixed("run", "cluster.yaml", "--policy", "tiresias", "--out", "out", "--no-plots")},
	{"sweep", "cells", 10, cells, fixed("sweep", "cells.yaml", "--out", "out")},
	{"sweep merge", "runs", 1_000, swept, fixed("sweep", "merge", "out", "-o", "merged.parquet")},
	{"compare", "runs", 1_000, swept, fixed("compare", "out", "--baseline", "ondemand")},
	{"plot cdf", "runs", 1_000, swept, fixed("plot", "cdf", "out", "--of", "cost", "-o", "cdf.svg")},
	{"plot placement", "jobs", 100, scheduled, fixed("plot", "placement", "out", "-o", "placement.svg")},
	{"explain --dollars", "runs", 40, ran, fixed("explain", "out", "--dollars", "--policy", "reactive")},
	{"explain --at", "runs", 40, ran, fixed("explain", "out", "--at", "0:10")},
	{"explain --job", "jobs", 100, scheduled, fixed("explain", "out", "--job", "17")},
	{"report", "jobs", 100, scheduled, fixed("report", "out", "-o", "report.html")},
	{"report", "runs", 1_000, swept, fixed("report", "out", "-o", "report.html")},
	{"bound", "seeds", 1, nothing, func(n int) []string {
		return []string{"bound", "quickstart", "--policy", "reactive", "--seeds", strconv.Itoa(n)}
	}},
	{"observe", "instances", 100, record, fixed("observe", "run.csv", "--out", "again.csv")},
	{"backtest", "past runs", 3, records, fixed("backtest", "past")},
	{"advise", "pools of a spec", 2, live, fixed("advise", "live.yaml", "--state", "state.yaml", "--continuations", "20")},
	{"advise", "continuations", 20, func(p, dir string, _ int) error { return live(p, dir, 4) }, func(n int) []string {
		return []string{"advise", "live.yaml", "--state", "state.yaml", "--continuations", strconv.Itoa(n)}
	}},
	{"calibrate fit", "measured runs", 100, profile, fixed("calibrate", "fit", "profile.csv", "--as", "step-time-linear", "-o", "model.json")},
	{"tune", "settings of a grid", 2, nothing, func(n int) []string {
		values := make([]string, n)
		for i := range values {
			values[i] = strconv.Itoa(60 + i)
		}
		return []string{"tune", "quickstart", "--policy", "reactive", "--objective", "loss-0.8-in-40min", "--share", "0.1",
			"-s", "policy.patience_s=" + strings.Join(values, ","), "--max-runs", strconv.Itoa(200 * n)}
	}},
}
