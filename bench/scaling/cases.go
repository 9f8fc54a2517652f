package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// growth is a command whose input grows in one way.
type growth struct {
	command, of string
	least       int                                    // size at 1x
	prepare     func(program, dir string, n int) error // makes the input of size n
	args        func(n int) []string
}

var cases = []growth{
	{"traces stats", "rows of prices", 10_000, prices(8), fixed("traces", "stats", "prices.json")},
	{"traces stats", "pools of ten rows", 500, func(p, dir string, n int) error { return prices(n)(p, dir, 10*n) }, fixed("traces", "stats", "prices.json")},
	{"traces import", "rows of prices", 10_000, prices(8), fixed("traces", "import", "prices.json", "--out", "history")},
	{"validate", "pools of a spec", 10, pools, fixed("validate", "spec.yaml")},
	{"run", "pools of a spec, 20 seeds", 10, pools, fixed("run", "spec.yaml", "-s", "timelines=0", "--out", "out", "--no-plots")},
	{"run", "pools of a spec, with a timeline", 10, pools, fixed("run", "spec.yaml", "--out", "out", "--no-plots")},
	{"run", "seeds", 200, nothing, func(n int) []string {
		return []string{"run", "quickstart", "--policy", "reactive", "--seeds", strconv.Itoa(n), "--out", "out", "--no-plots"}
	}},
	{"run", "jobs", 1_000, jobs, fixed("run", "cluster.yaml", "--policy", "fifo", "--out", "out", "--no-plots")},
	{"run", "jobs, tiresias", 1_000, jobs, fixed("run", "cluster.yaml", "--policy", "tiresias", "--out", "out", "--no-plots")},
	{"sweep", "cells", 10, cells, fixed("sweep", "cells.yaml", "--out", "out")},
	{"sweep merge", "runs", 1_000, swept, fixed("sweep", "merge", "out", "-o", "merged.parquet")},
	{"compare", "runs", 1_000, swept, fixed("compare", "out", "--baseline", "ondemand")},
	{"report", "runs", 1_000, swept, fixed("report", "out", "-o", "report.html")},
	{"bound", "seeds", 1, nothing, func(n int) []string {
		return []string{"bound", "quickstart", "--policy", "reactive", "--seeds", strconv.Itoa(n)}
	}},
	{"tune", "settings of a grid", 2, nothing, func(n int) []string {
		values := make([]string, n)
		for i := range values {
			values[i] = strconv.Itoa(60 + i)
		}
		return []string{"tune", "quickstart", "--policy", "reactive", "--objective", "loss-0.8-in-40min", "--share", "0.1",
			"-s", "policy.patience_s=" + strings.Join(values, ","), "--most", strconv.Itoa(200 * n)}
	}},
}

func fixed(args ...string) func(int) []string { return func(int) []string { return args } }

func nothing(string, string, int) error { return nil }

// file writes lines.
func file(dir, name string, fill func(w *bufio.Writer)) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fill(w)
	return w.Flush()
}

// prices writes rows in the form of the AWS CLI, of so many pools in turn; prices go
// round, and never stay.
func prices(pools int) func(program, dir string, rows int) error {
	return func(_, dir string, rows int) error {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		return file(dir, "prices.json", func(w *bufio.Writer) {
			w.WriteString(`{"SpotPriceHistory": [`)
			for i := range rows {
				if i > 0 {
					w.WriteString(",\n")
				}
				pool, turn := i%pools, i/pools
				fmt.Fprintf(w, `{"AvailabilityZone": "us-east-%da", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "%.4f", "Timestamp": "%s"}`,
					pool+1, 1+float64((turn*7+pool)%50)/100, start.Add(time.Duration(turn)*10*time.Minute).Format(time.RFC3339))
			}
			w.WriteString("]}\n")
		})
	}
}

// pools writes a spec of so many pools on a synthetic market: up to twenty zones a region.
func pools(_, dir string, n int) error {
	return file(dir, "spec.yaml", func(w *bufio.Writer) {
		fmt.Fprintf(w, `name: pools
seeds: 20
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{loss: 0.8, time_s: 2400}]
policies: [{name: reactive}]
market:
  synthetic: {regions: %d, zones: %d, machines: 16}
  pools:
    - {type: p3.2xlarge, quota: 2, on_demand_quota: 4, on_demand_usd_per_h: 3.06}
`, max(1, n/20), min(n, 20))
	})
}

// jobs writes a trace of one-GPU and larger jobs that fill nine tenths of 1,000 GPUs.
func jobs(_, dir string, n int) error {
	err := file(dir, "jobs.csv", func(w *bufio.Writer) {
		w.WriteString("job_id,submit_s,gpus,duration_s\n")
		for i := range n {
			gang := []int{1, 1, 1, 1, 1, 1, 2, 2, 4, 8}[i*7%10] // 2.2 a job
			fmt.Fprintf(w, "%d,%d,%d,%d\n", i, i*60, gang, 3600*(1+i*13%12))
		}
	})
	if err != nil {
		return err
	}
	return file(dir, "cluster.yaml", func(w *bufio.Writer) {
		w.WriteString(`name: cluster
market: {servers: [{gpu: v100, gpus: 8, count: 125, per_rack: 25}]}
jobs: {trace: jobs.csv}
policies: [{name: fifo}, {name: tiresias}]
`)
	})
}

// cells writes a sweep of so many settings.
func cells(_, dir string, n int) error {
	return file(dir, "cells.yaml", func(w *bufio.Writer) {
		w.WriteString("base: quickstart\nseeds: 4\nmatrix:\n  policies: [[{name: reactive}]]\n  market.replay.notice_s: [")
		for i := range n {
			fmt.Fprintf(w, "%d,", 1+i)
		}
		w.WriteString("]\n")
	})
}

// swept runs a sweep of so many runs in chunks of 1,000.
func swept(program, dir string, n int) error {
	err := file(dir, "runs.yaml", func(w *bufio.Writer) {
		w.WriteString("base: quickstart\nmatrix:\n  policies: [[{name: ondemand}, {name: reactive}]]\nchunk_runs: 1000\n")
	})
	if err != nil {
		return err
	}
	_, err = call(program, dir, "sweep", "runs.yaml", "--seeds", strconv.Itoa(n/4), "--out", "out")
	return err
}
