package term

import (
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/table"
)

// printJobs prints the table of runs of many jobs, a row a policy.
func printJobs(w io.Writer, rows []experiments.Aggregate) {
	first := &rows[0]
	fmt.Fprintf(w, "%s: %s jobs; market: %s; %d runs per policy\n", first.Objective, count(first.Jobs.Jobs), first.Market, first.Runs)
	header := []string{"policy", "done", "mean JCT h|hours", "p50|hours", "p95|hours", "p99|hours", "queue h|hours", "makespan h|hours", "utilisation|percent",
		"suspended", "preempted", "moved", "on time", "fairness|%.2f", "cost USD|usd"}
	above := ""
	if first.Bound != nil {
		header, above = append(header, "above bound"), "; above bound: what the runs in which no job was late cost more than their bounds"
		fmt.Fprintf(w, "bound: %v\n", bestBound(rows))
	}
	t := table.New(header...)
	for i := range rows {
		t.Row(jobCells(&rows[i])...)
	}
	for column, of := range map[int]func(*experiments.JobsAggregate) *float64{
		2: meanJCT,
		3: func(j *experiments.JobsAggregate) *float64 { return j.JCTP50S },
		4: func(j *experiments.JobsAggregate) *float64 { return j.JCTP95S },
		5: func(j *experiments.JobsAggregate) *float64 { return j.JCTP99S },
		6: func(j *experiments.JobsAggregate) *float64 { return j.QueueMeanS },
		7: func(j *experiments.JobsAggregate) *float64 { return j.MakespanS },
	} {
		table.MarkBest(t, column, rows, func(a *experiments.Aggregate) float64 {
			if x := of(a.Jobs); x != nil && !a.Oracle && a.Finished == a.Runs {
				return *x
			}
			return math.NaN()
		})
	}
	Print(w, t)
	fmt.Fprintln(w, "\nmeans per run; JCT: job completion time, from submission to finish; p50, p95, p99: percentiles of the jobs; queue: time without GPUs; "+
		"utilisation: of the servers' GPU time; suspended: times that the scheduler stopped a job; preempted: times that the cloud did; "+
		"on time: jobs that met their deadline; fairness: mean finish-time fairness (1: as with an equal part of the servers); *: best value"+above)
	for i := range rows {
		if a := &rows[i]; a.Finished < a.Runs {
			Warn(w, "%s: in %d of %d runs jobs were not done when the run was cut: the times are of those that were", a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
}

func meanJCT(j *experiments.JobsAggregate) *float64 {
	if j.JCTMeanS == nil {
		return nil
	}
	return &j.JCTMeanS.Mean
}

func jobCells(a *experiments.Aggregate) []any {
	j := a.Jobs
	name, punctual := a.Policy, ""
	if a.Oracle {
		name += " (knows durations)"
	}
	if j.Deadlines > 0 {
		punctual = fmt.Sprintf("%.4g/%.4g", j.Punctual, j.Deadlines)
	}
	cells := []any{name, tenths(j.Done), meanJCT(j), j.JCTP50S, j.JCTP95S, j.JCTP99S, j.QueueMeanS, j.MakespanS, j.Utilisation,
		tenths(j.Suspensions), tenths(j.Preemptions), tenths(j.Moves), punctual, j.FTFMean, a.CostUSD.Mean}
	if a.Bound != nil {
		cells = append(cells, a.Bound.AboveText())
	}
	return cells
}

// tenths writes a mean number of things.
func tenths(x float64) string { return fmt.Sprintf("%.10g", math.Round(10*x)/10) }

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

// count is a number of jobs, or the mean where runs have different ones.
func count(mean float64) string {
	if mean == math.Trunc(mean) {
		return fmt.Sprintf("%.0f", mean)
	}
	return fmt.Sprintf("on average %.1f", mean)
}
