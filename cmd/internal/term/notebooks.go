package term

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/table"
)

// printNotebooks prints the tables of runs of sessions of notebooks, one an objective.
func printNotebooks(w io.Writer, rows []experiments.Aggregate) {
	for of := range byObjective(rows) {
		printSessions(w, of)
	}
	fmt.Fprintln(w, "\nmeans per run; GPU-h: of the hosts that were held; saved: less than reservations take; delay: from when a cell is due until it begins, "+
		"for the last time if its host was taken away (of notebook-reserved: from the start of a session until it has its GPUs); "+
		"lost: times that a cell was lost with its host; moved: cells that waited for the state of their kernel")
	for i := range rows {
		if a := &rows[i]; a.Finished < a.Runs {
			Warn(w, "%s: in %d of %d runs cells had not run when the run was cut: the numbers are until then", a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
}

// printSessions prints one table, a row a policy.
func printSessions(w io.Writer, rows []experiments.Aggregate) {
	first := rows[0].Notebooks
	fmt.Fprintf(w, "%s: reservations take %.1f GPU-h, cells alone %.1f: at most %.1f can be saved; market: %s; %d runs per policy\n", rows[0].Objective,
		first.ReservedGPUH, first.ActiveGPUH, first.ReservedGPUH-first.ActiveGPUH, rows[0].Market, rows[0].Runs)
	t := table.New("policy", "GPU-h|%.1f", "saved|%.1f", "cells", "delay s|%.4g", "p50|%.4g", "p95|%.4g", "p99|%.4g", "max|%.4g", "lost", "moved",
		"cost USD|usd", "spot|usd", "on demand|usd")
	for i := range rows {
		n := rows[i].Notebooks
		t.Row(rows[i].Policy, n.GPUH, n.SavedGPUH, tenths(n.Cells), n.DelayMeanS, n.DelayP50S, n.DelayP95S, n.DelayP99S, n.DelayMaxS,
			tenths(n.CellsLost), tenths(n.CellsMoved), rows[i].CostUSD.Mean, n.CostSpotUSD, n.CostOnDemandUSD)
	}
	Print(w, t)
}
