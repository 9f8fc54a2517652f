package pool_test

import (
	"bytes"
	"encoding/csv"
	"math"

	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	policy "github.com/marigram/marigram/papers/notebooks/pool"
	"github.com/marigram/marigram/sim"
)

// recordedSessions reads a trace of the oracle.
func recordedSessions(t testing.TB, trace string) []notebooks.Session {
	t.Helper()
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	columns := []string{"session", "event", "start_s", "duration_s", "gpus"}
	out.Write(columns)
	for _, r := range testutil.Rows(t, "papers/notebooks/testdata/notebook_sessions.csv") {
		if r["trace"] == trace {
			row := make([]string, len(columns))
			for i, c := range columns {
				row[i] = r[c]
			}
			out.Write(row)
		}
	}
	out.Flush()
	list, err := notebooks.ReadSessions(trace, &text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// settings are those of the oracle's cases.
func settings(name string) *policy.Pool {
	p := policy.New(policy.Autoscaled)
	switch name {
	case "every15":
		p.Every = 15 * time.Second
	case "buffer0":
		p.Buffer, p.MinHosts = 0, 1
	case "start120":
		p.Start = 120 * time.Second
	case "most6":
		p.MaxHosts = 6
	case "cold30":
		p.Cold = 30 * time.Second
	}
	return p
}

// run runs sessions on a pool of hosts at 1 USD an hour.
func run(t testing.TB, p sim.Policy, sessions []notebooks.Session, nodes ...sim.NodeEvent) (*sim.Totals, notebooks.Result) {
	t.Helper()
	platform, err := notebooks.NewPlatform(sessions, 8)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.NewMarket(sim.Time(0).Add(100*time.Hour), []sim.Trace{{Pool: sim.Pool{Name: "hosts", Quota: 64}, Prices: []sim.Price{{USD: 1}}, Nodes: nodes},
		{Pool: sim.Pool{Name: "hosts on demand", OnDemand: true, Quota: 64}, Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{{Model: platform, Objective: sim.Objective{Within: 99 * time.Hour}}}, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	return totals, w.State().(notebooks.Reporter).Notebooks()
}

func percentile(delays []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(delays))
	return sorted[int(math.Ceil(share*float64(len(sorted))))-1]
}

// What two programs give, one by events and one second by second, in the world.
func TestPoolAsRecorded(t *testing.T) {
	check := near.Count(t)
	for _, r := range testutil.Rows(t, "papers/notebooks/testdata/notebook_pool.csv") {
		sessions := recordedSessions(t, r["trace"])
		totals, got := run(t, settings(r["case"]), sessions)
		hosts, sum := totals.Jobs[0].InstanceTime.Hours(), 0.0
		for _, d := range got.DelaysS {
			sum += d
		}
		for column, x := range map[string]float64{"reserved_gpu_h": got.Reserved, "active_gpu_h": got.Active, "host_h": hosts, "provisioned_gpu_h": 8 * hosts,
			"saved_gpu_h": got.Reserved - 8*hosts, "peak_hosts": float64(got.PeakHosts), "cells": float64(got.Cells), "mean_delay_s": sum / float64(len(got.DelaysS)),
			"p95_delay_s": percentile(got.DelaysS, 0.95), "max_delay_s": slices.Max(got.DelaysS), "end_s": got.EndS} {
			if want := testutil.Number(t, r[column]); check.Off(x, want, 1e-6) {
				t.Errorf("%s %s: %s %v, want %v", r["trace"], r["case"], column, x, want)
			}
		}
		if !totals.Jobs[0].Finished || check.Off(totals.Bill.Spot, hosts, 1e-6) {
			t.Errorf("%s %s: finished %v, %v USD for %v host-hours at 1 USD", r["trace"], r["case"], totals.Jobs[0].Finished, totals.Bill.Spot, hosts)
		}
	}
}

func at(hours float64) sim.Time { return sim.Time(0).Add(time.Duration(hours * float64(time.Hour))) }

// one is one host that holds one session; its GPUs are needed from 1 h on, for 2 h.
func one() *policy.Pool {
	p := policy.New(policy.Autoscaled)
	p.MinHosts, p.Buffer, p.Start, p.Stop, p.Patience = 1, 0, 0, 0, 0
	return p
}

func longCell() []notebooks.Session {
	return []notebooks.Session{{Stop: 4 * 3600, GPUs: 2, Cells: []notebooks.Cell{{Start: 3600, Duration: 2 * 3600, GPUs: 2},
		{Start: 3*3600 + 60, Duration: 60, GPUs: 2}}}}
}

// By hand: the host is taken at 2 h without notice, and another comes at 2.5 h. The cell has
// lost an hour on two GPUs and runs again until 4.5 h; the next cell was meant for a minute
// later.
func TestPreemptedHostLosesItsCells(t *testing.T) {
	check := near.Count(t)
	nodes := []sim.NodeEvent{{At: 0, Node: 0, Up: true}, {At: at(2), Node: 0}, {At: at(2.5), Node: 1, Up: true}}
	totals, got := run(t, one(), longCell(), nodes...)
	if got.Lost != 1 || check.Off(got.LostGPUH, 2, 1e-9) || got.Cells != 2 || !slices.Equal(got.DelaysS, []float64{5400, 0}) {
		t.Errorf("%+v", got)
	}
	if end := 4.5*3600 + 120; got.EndS != end || totals.Jobs[0].Elapsed.Seconds() != end || totals.Preemptions != 1 {
		t.Errorf("ends at %v, the job after %v, %d preemptions", got.EndS, totals.Jobs[0].Elapsed, totals.Preemptions)
	}
	if want := 2 + 2 + 120./3600; check.Off(totals.Bill.Spot, want, 1e-9) || totals.Bill.OnDemand != 0 {
		t.Errorf("%v USD, want %v", totals.Bill.Spot, want)
	}
}

// A request that waits goes on demand after the patience: ten minutes at 3 USD are paid from
// then on.
func TestPatienceGoesOnDemand(t *testing.T) {
	check := near.Count(t)
	p := one()
	p.Patience = 10 * time.Minute
	totals, got := run(t, p, longCell(), sim.NodeEvent{At: 0, Node: 0, Up: true}, sim.NodeEvent{At: at(2), Node: 0})
	if want := []float64{3600 + 600, 0}; !slices.Equal(got.DelaysS, want) || check.Off(totals.Bill.Spot, 2, 1e-9) ||
		check.Off(totals.Bill.OnDemand, 3*(2+120./3600), 1e-9) {
		t.Errorf("%+v, %+v", got, totals.Bill)
	}
}

// Two sessions of two hosts: a cell that finds no room where its kernel has its only replica
// waits for the state to be written and read, 40 s + 25 s for 5 GB.
func TestReplicasMove(t *testing.T) {
	var sessions []notebooks.Session
	for i, g := range []int{4, 6} {
		sessions = append(sessions, notebooks.Session{Number: i, Stop: 7200, GPUs: g, Cells: []notebooks.Cell{{Start: 60 + i, Duration: 60, GPUs: g},
			{Start: 1000 + 4000*i, Duration: 600, GPUs: g}}})
	}
	sessions = append(sessions, notebooks.Session{Number: 2, Start: 900, Stop: 7200, GPUs: 8, Cells: []notebooks.Cell{{Start: 990, Duration: 3000, GPUs: 8}}})
	p := one()
	p.MinHosts, p.Replicas, p.StateGB, p.Every = 2, 1, 5, time.Hour
	_, got := run(t, p, sessions)
	if got.Migrated != 1 || got.Cells != 5 || got.EndS != 7200 {
		t.Errorf("%+v", got)
	}
	p.Replicas = 2 // a replica on each host: no moves
	if _, got = run(t, p, sessions); got.Migrated != 0 {
		t.Errorf("two replicas: %+v", got)
	}
}

// A reservation holds hosts as long as sessions are open: no cell waits for a host but that of
// its session, and more is paid than sessions reserve.
func TestReserved(t *testing.T) {
	check := near.Count(t)
	sessions := recordedSessions(t, "a")
	totals, got := run(t, policy.New(policy.Reserved), sessions)
	if hours := 8 * totals.Jobs[0].InstanceTime.Hours(); check.Below(hours, got.Reserved) || got.Cells != len(sessions) ||
		check.Above(slices.Max(got.DelaysS), 45+15) {
		t.Errorf("%v GPU-h for %v reserved, %+v", hours, got.Reserved, got)
	}
}

// A session that begins when the autoscaler looks, and fits on a host that is there, asks for no other.
func TestReservedTakesCapacity(t *testing.T) {
	sessions := []notebooks.Session{{Stop: 7200, GPUs: 2}, {Number: 1, Start: 1800, Stop: 7200, GPUs: 4}, {Number: 2, Start: 3600, Stop: 7200, GPUs: 4}}
	_, got := run(t, policy.New(policy.Reserved), sessions[:2])
	_, more := run(t, policy.New(policy.Reserved), sessions)
	if got.PeakHosts != 1 || more.PeakHosts != 2 {
		t.Errorf("%d hosts for 2 and 4 GPUs, %d for 4 more, expected 1 and 2", got.PeakHosts, more.PeakHosts)
	}
}

// A fork goes on as the run that it was made of.
func TestForkGoesOn(t *testing.T) {
	sessions := recordedSessions(t, "b")
	p, other := settings("most6"), settings("most6")
	p.Replicas, other.Replicas = 3, 3
	platform, _ := notebooks.NewPlatform(sessions, 8)
	m, err := sim.NewMarket(at(100), []sim.Trace{{Pool: sim.Pool{Name: "hosts", Quota: 64}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{{Model: platform, Objective: sim.Objective{Within: time.Hour}}}, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(at(6))
	var fork sim.World
	w.Fork(&fork, other)
	a := fork.Run().Bill
	forked := fork.State().(notebooks.Reporter).Notebooks()
	b := w.Run().Bill
	if got := w.State().(notebooks.Reporter).Notebooks(); a != b || !slices.Equal(got.DelaysS, forked.DelaysS) || got.EndS != forked.EndS {
		t.Errorf("%+v and %+v, ends %v and %v", a, b, got.EndS, forked.EndS)
	}
}
