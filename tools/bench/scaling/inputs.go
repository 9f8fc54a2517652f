package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

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

// prices writes rows in the form of the AWS CLI, of n pools in turn; prices go
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
				fmt.Fprintf(w, `{"AvailabilityZone": "us-east-%da", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": `+
					`"%.4f", "Timestamp": "%s"}`,
					pool+1, 1+float64((turn*7+pool)%50)/100, start.Add(time.Duration(turn)*10*time.Minute).Format(time.RFC3339))
			}
			w.WriteString("]}\n")
		})
	}
}

// pools writes a spec of n pools on a synthetic market: up to twenty zones a region.
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

// cells writes a sweep of n settings.
func cells(_, dir string, n int) error {
	return file(dir, "cells.yaml", func(w *bufio.Writer) {
		w.WriteString("base: quickstart\nseeds: 4\nmatrix:\n  policies: [[{name: reactive}]]\n  market.replay.notice_s: [")
		for i := range n {
			fmt.Fprintf(w, "%d,", 1+i)
		}
		w.WriteString("]\n")
	})
}

// swept runs a sweep of n runs in chunks of 1,000.
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

// ran runs the quickstart under n seeds, each with a timeline.
func ran(program, dir string, n int) error {
	_, err := call(program, dir, "run", "quickstart", "--policy", "reactive", "--seeds", strconv.Itoa(n), "--out", "out", "--no-plots")
	return err
}

// scheduled runs a trace of n jobs.
func scheduled(program, dir string, n int) error {
	if err := jobs(program, dir, n); err != nil {
		return err
	}
	_, err := call(program, dir, "run", "cluster.yaml", "--policy", "fifo", "--out", "out", "--no-plots")
	return err
}

// record writes what was recorded of a run that held n instances, four at a time: each boots, saves twice and is
// preempted.
func record(_, dir string, n int) error { return past(dir, "run.csv", n, 1) }

func past(dir, name string, instances int, speed float64) error {
	return file(dir, name, func(w *bufio.Writer) {
		w.WriteString("time,event,instance,type,zone,value\n0,start,,,,\n")
		row := func(at int, format string, args ...any) {
			fmt.Fprintf(w, "%d,"+format+"\n", append([]any{at}, args...)...)
		}
		for i := range instances {
			at := i / 4 * 3600
			row(at, "launched,i-%d,p3.2xlarge,zone-%d,", i, i%4)
			row(at+100+i%7, "ready,i-%d,p3.2xlarge,zone-%d,", i, i%4)
			row(at+3400+i%11, "preempted,i-%d,p3.2xlarge,zone-%d,", i, i%4)
		}
		hours := (instances + 3) / 4
		for minute := range 60 * hours {
			row(60*minute+30, "step,,,,%d", int(speed*float64(60*minute)))
		}
		row(3600*hours, "end,,,,")
	})
}

// records writes n past runs of eight instances each, of speeds that differ.
func records(_, dir string, n int) error {
	if err := os.Mkdir(filepath.Join(dir, "past"), 0o777); err != nil {
		return err
	}
	for i := range n {
		if err := past(dir, filepath.Join("past", fmt.Sprintf("run-%d.csv", i)), 8, 1+float64(i%5)/50); err != nil {
			return err
		}
	}
	return nil
}

// live writes a spec of n pools with three days of traces, and the state of a job in the first two.
func live(_, dir string, n int) error {
	start := time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
	if err := os.Mkdir(filepath.Join(dir, "capacity"), 0o777); err != nil {
		return err
	}
	for z := range n {
		err := file(dir, fmt.Sprintf("capacity/us-east-1z%d_v100_1.csv", z), func(w *bufio.Writer) {
			w.WriteString("date,availability\n")
			for i := range 36 {
				fmt.Fprintf(w, "%s,%d\n", start.Add(time.Duration(2*i)*time.Hour+time.Duration(z*7%110)*time.Minute).Format(time.DateTime), (i+z)%3)
			}
		})
		if err != nil {
			return err
		}
	}
	err := file(dir, "live.yaml", func(w *bufio.Writer) {
		w.WriteString(`name: live
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{loss: 0.54, within: 12h}]
policies: [{name: reactive}]
market:
  traces:
    - {name: fleet, path: capacity, format: availability-csv, polarity: "1=available", from: 2026-02-20T00:00:00Z}
  replay: {adapter: count_cap, notice_s: 120}
  pools:
`)
		for z := range n {
			onDemand := ""
			if z == 0 {
				onDemand = "on_demand_quota: 4, on_demand_usd_per_h: 3.06, "
			}
			fmt.Fprintf(w, "    - {type: p3.2xlarge, zone: us-east-1z%d, quota: 2, %sprices: {trace: fleet, pool: us-east-1z%d_v100_1, usd_per_h: "+
				"0.9%d}, capacity: {trace: fleet, pool: us-east-1z%d_v100_1}}\n", z, onDemand, z, z%10, z)
		}
	})
	if err != nil {
		return err
	}
	return file(dir, "state.yaml", func(w *bufio.Writer) {
		w.WriteString(`now: 2026-02-22T09:00:00Z
started: 2026-02-22T06:30:00Z
done: 0.3
instances:
  - {id: i-0, type: p3.2xlarge, zone: us-east-1z0, since: 2026-02-22T06:30:00Z, ready: 2026-02-22T06:32:10Z}
`)
	})
}

// profile writes measured steps of n runs, exactly on a line but for a hundredth.
func profile(_, dir string, n int) error {
	return file(dir, "profile.csv", func(w *bufio.Writer) {
		w.WriteString("model,gpu,gpus,batch_per_gpu,step_time_s,source\n")
		for i := range n {
			batch := 8 * (1 + i%32)
			fmt.Fprintf(w, "resnet,v100,1,%d,%.6f,made\n", batch, (0.05+0.002*float64(batch))*(1+0.01*float64(i*7%5-2)))
		}
	})
}
