package notebooks

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/recorded"
)

// sessionsOf reads a trace of the oracle.
func sessionsOf(t testing.TB, trace string) (list []Session) {
	t.Helper()
	for _, r := range recorded.Rows(t, "oracles/economics/notebook_sessions.csv") {
		number := func(column string) int { return int(recorded.Number(t, r[column])) }
		if r["trace"] != trace {
			continue
		}
		at := slices.IndexFunc(list, func(s Session) bool { return s.Number == number("session") })
		if at < 0 {
			at = len(list)
			list = append(list, Session{Number: number("session")})
		}
		start, duration := number("start_s"), number("duration_s")
		if r["event"] == "session" {
			list[at].Start, list[at].Stop, list[at].GPUs = start, start+duration, number("gpus")
		} else {
			list[at].Cells = append(list[at].Cells, Cell{start, duration, number("gpus")})
		}
	}
	return list
}

// cases are the settings of the oracle.
func cases() map[string]Pool {
	all := map[string]Pool{}
	for _, name := range []string{"default", "every15", "buffer0", "start120", "most6", "cold30"} {
		p := DefaultPool()
		switch name {
		case "every15":
			p.Every = 15
		case "buffer0":
			p.Buffer, p.Least = 0, 1
		case "start120":
			p.Start = 120
		case "most6":
			p.Most = 6
		case "cold30":
			p.Cold = 30
		}
		all[name] = p
	}
	return all
}

// What two programs give, one by events and one second by second.
func TestPool(t *testing.T) {
	for _, r := range recorded.Rows(t, "oracles/economics/notebook_pool.csv") {
		sessions := sessionsOf(t, r["trace"])
		p := cases()[r["case"]]
		got, err := p.Run(sessions)
		if err != nil {
			t.Fatal(err)
		}
		b := BoundsOf(sessions)
		for column, x := range map[string]float64{"reserved_gpu_h": b.Reserved, "active_gpu_h": b.Active, "host_h": got.HostH, "provisioned_gpu_h": got.GPUH,
			"saved_gpu_h": got.SavedGPUH, "peak_hosts": float64(got.PeakHosts), "cells": float64(got.Cells), "mean_delay_s": got.MeanDelayS,
			"p95_delay_s": float64(got.P95DelayS), "max_delay_s": float64(got.LargestS), "end_s": float64(got.EndS)} {
			if want := recorded.Number(t, r[column]); math.Abs(x-want) > 1e-6 {
				t.Errorf("%s %s: %s %v, want %v", r["trace"], r["case"], column, x, want)
			}
		}
	}
}
