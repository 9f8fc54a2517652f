package term

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/format"
)

// printNotebooks prints the tables of runs of sessions of notebooks, one an objective.
func printNotebooks(w io.Writer, rows []experiments.Aggregate) error {
	for from := 0; from < len(rows); {
		n := 1
		for from+n < len(rows) && rows[from+n].Objective == rows[from].Objective {
			n++
		}
		if err := printSessions(w, rows[from:from+n]); err != nil {
			return err
		}
		from += n
	}
	_, err := fmt.Fprintln(w, "\nmeans per run; GPU-h: of the hosts that were held; saved: less than reservations take; delay: from when a cell is due until it begins, "+
		"for the last time if its host was taken away (of notebook-reserved: from the start of a session until it has its GPUs); "+
		"lost: times that a cell was lost with its host; moved: cells that waited for the state of their kernel")
	for i := range rows {
		if a := &rows[i]; a.Finished < a.Runs {
			Warn(w, "%s: in %d of %d runs cells had not run when the run was cut: the numbers are until then", a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
	return err
}

// printSessions prints one table, a row a policy.
func printSessions(w io.Writer, rows []experiments.Aggregate) error {
	first := rows[0].Notebooks
	fmt.Fprintf(w, "%s: reservations take %.1f GPU-h, cells alone %.1f: at most %.1f can be saved; market: %s; %d runs per policy\n", rows[0].Objective,
		first.ReservedGPUH, first.ActiveGPUH, first.ReservedGPUH-first.ActiveGPUH, rows[0].Market, rows[0].Runs)
	t := NewTable("policy", "GPU-h", "saved", "cells", "delay s", "p50", "p95", "p99", "max", "lost", "moved", "cost USD", "spot", "on demand")
	for i := range rows {
		n := rows[i].Notebooks
		t.Row(rows[i].Policy, fmt.Sprintf("%.1f", n.GPUH), fmt.Sprintf("%.1f", n.SavedGPUH), count(n.Cells), seconds(n.DelayMeanS), seconds(n.DelayP50S),
			seconds(n.DelayP95S), seconds(n.DelayP99S), seconds(n.DelayMaxS), count(n.CellsLost), count(n.CellsMoved), format.USD(rows[i].CostUSD.Mean),
			format.USD(n.CostSpotUSD), format.USD(n.CostOnDemandUSD))
	}
	return t.Print(w)
}

// seconds writes seconds.
func seconds(s *float64) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.4g", *s)
}
