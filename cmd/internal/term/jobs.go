package term

import (
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/format"
)

// printJobs prints the table of runs of many jobs, a row a policy.
func printJobs(w io.Writer, rows []experiments.Aggregate) error {
	first := &rows[0]
	fmt.Fprintf(w, "%s: %.10g jobs; market: %s; %d runs per policy\n", first.Objective, first.Jobs.Jobs, first.Market, first.Runs)
	t := NewTable("policy", "done", "mean JCT h", "p50", "p95", "p99", "queue h", "makespan h", "utilisation", "suspended", "preempted", "moved",
		"on time", "fairness", "cost USD")
	for i := range rows {
		t.Row(jobCells(&rows[i])...)
	}
	for column, of := range map[int]func(*experiments.JobsAggregate) *float64{
		2: func(j *experiments.JobsAggregate) *float64 { return meanJCT(j) },
		3: func(j *experiments.JobsAggregate) *float64 { return j.JCTP50S },
		4: func(j *experiments.JobsAggregate) *float64 { return j.JCTP95S },
		5: func(j *experiments.JobsAggregate) *float64 { return j.JCTP99S },
		6: func(j *experiments.JobsAggregate) *float64 { return j.QueueMeanS },
		7: func(j *experiments.JobsAggregate) *float64 { return j.MakespanS },
	} {
		MarkBest(t, column, rows, func(a *experiments.Aggregate) float64 {
			if x := of(a.Jobs); x != nil && !a.Oracle && a.Finished == a.Runs {
				return *x
			}
			return math.NaN()
		})
	}
	if err := t.Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nmeans per run; JCT: job completion time, from submission to finish; p50, p95, p99: percentiles of the jobs; queue: time without GPUs; "+
		"utilisation: of the servers' GPU time; suspended: times that the scheduler stopped a job; preempted: times that the cloud did; "+
		"on time: jobs that met their deadline; fairness: mean finish-time fairness (1: as with an equal part of the servers); *: best value")
	for i := range rows {
		if a := &rows[i]; a.Finished < a.Runs {
			Warn(w, "%s: in %d of %d runs jobs were not done when the run was cut: the times are of those that were", a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
	return err
}

func meanJCT(j *experiments.JobsAggregate) *float64 {
	if j.JCTMeanS == nil {
		return nil
	}
	return &j.JCTMeanS.Mean
}

func jobCells(a *experiments.Aggregate) []string {
	j := a.Jobs
	name := a.Policy
	if a.Oracle {
		name += " (knows durations)"
	}
	punctual := ""
	if j.Deadlines > 0 {
		punctual = fmt.Sprintf("%.4g/%.4g", j.Punctual, j.Deadlines)
	}
	return []string{name, fmt.Sprintf("%.10g", math.Round(10*j.Done)/10), hours(meanJCT(j)), hours(j.JCTP50S), hours(j.JCTP95S), hours(j.JCTP99S), hours(j.QueueMeanS),
		hours(j.MakespanS), percent(j.Utilisation), count(j.Suspensions), count(j.Preemptions), count(j.Moves), punctual, plain(j.FTFMean),
		format.USD(a.CostUSD.Mean)}
}

// hours writes seconds as hours.
func hours(s *float64) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *s/3600)
}

func percent(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100**x)
}

func plain(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *x)
}

func count(x float64) string { return fmt.Sprintf("%.10g", math.Round(10*x)/10) }
