package term

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/traces/replay"
)

// Aggregates prints what runs came to, a table an objective and a row a policy, and what there is to doubt.
func Aggregates(w io.Writer, rows []experiments.Aggregate) {
	switch {
	case rows[0].Jobs != nil:
		printJobs(w, rows)
	case rows[0].Notebooks != nil:
		printNotebooks(w, rows)
	default:
		printAggregates(w, rows)
	}
	printFailures(w, rows)
	printSlow(w, rows)
}

// printFailures prints what the runs say of machines that fail, if any does.
func printFailures(w io.Writer, rows []experiments.Aggregate) {
	fails := func(a experiments.Aggregate) bool { return a.Failures != nil }
	if !slices.ContainsFunc(rows, fails) {
		return
	}
	fmt.Fprintln(w)
	for of := range byObjective(rows) {
		shown := table.New(of[0].Objective+": machines that fail", "failures|%.1f", "repairs|%.1f", "retired|%.1f",
			"down h|%.1f", "spare h|%.1f", "ETTR|%.4f", "p5|%.4f", "p95|%.4f")
		for i := range of {
			failures := of[i].Failures
			if failures != nil {
				shown.Row(of[i].Policy, failures.Failures, failures.Repairs, failures.Retired, failures.DownH,
					failures.SpareH, failures.ETTR.Mean, failures.ETTR.P5, failures.ETTR.P95)
			}
		}
		Print(w, shown)
	}
	fmt.Fprintln(w, "failures, repairs, hours: means per run, of machines; "+
		"ETTR: effective training time ratio, productive of the instance-hours held")
}

// printSlow prints what the runs say of slow machines, if there are any.
func printSlow(w io.Writer, rows []experiments.Aggregate) {
	if !slices.ContainsFunc(rows, func(a experiments.Aggregate) bool { return a.Slow != nil }) {
		return
	}
	fmt.Fprintln(w)
	for of := range byObjective(rows) {
		shown := table.New(of[0].Objective+": slow machines", "S|%.4f", "slowed h|%.1f", "replaced|%.2f",
			"training lost h|%.1f", "restoring h|%.1f")
		for i := range of {
			if slow := of[i].Slow; slow != nil {
				shown.Row(of[i].Policy, slow.Slowdown, slow.SlowedH, slow.Replaced, slow.LostH, slow.RestoringH)
			}
		}
		Print(w, shown)
	}
	fmt.Fprintln(w, "means per run, hours of instances; S: time of training over that on fast machines")
}

// byObjective are the rows of each objective, which stand together.
func byObjective(rows []experiments.Aggregate) iter.Seq[[]experiments.Aggregate] {
	return func(yield func([]experiments.Aggregate) bool) {
		for len(rows) > 0 {
			n := ofFirst(rows)
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// ofFirst counts the rows of the objective of the first.
func ofFirst(rows []experiments.Aggregate) int {
	n := 1
	for n < len(rows) && rows[n].Objective == rows[0].Objective {
		n++
	}
	return n
}

// legendOf says what the columns of the tables mean; hasBest, whether best values are marked.
func legendOf(rows []experiments.Aggregate, units string, hasBest bool) string {
	legend := "met: runs that met the objective, with Wilson's 95 % interval for " + units +
		"; cost, finish, preemptions, instance-h: means per run; p5, p95: percentiles; useful: share of instance-hours"
	if hasBest {
		legend += "; *: best value (of costs: among the policies that meet the objective, or miss it least)"
	}
	if slices.ContainsFunc(rows, func(row experiments.Aggregate) bool { return row.ObjectiveShare != nil }) {
		legend += "; verdict: proven if the interval is above the required share, missed if it is below"
	}
	if rows[0].Bound != nil {
		legend += "; above bound: what the runs that met the objective cost more than the bound on the same runs"
	}
	return legend
}

// printAggregates prints one table an objective.
func printAggregates(w io.Writer, rows []experiments.Aggregate) {
	between := ""
	for of := range byObjective(rows) {
		fmt.Fprint(w, between)
		printObjective(w, of)
		between = "\n"
	}
	by := rows[0].SamplingUnit
	fewest := rows[0].MetCI.Units
	for i := range rows {
		fewest = min(fewest, rows[i].MetCI.Units) // of the policy whose runs last longest
	}
	noBest := experiments.NoBest(rows)
	if slices.ContainsFunc(rows, func(a experiments.Aggregate) bool { return a.CannotMeet == "" }) {
		fmt.Fprintln(w, "\n"+legendOf(rows, intervals.CountIndependent(fewest, by), noBest == ""))
	}
	printAssumptions(w, rows)
	warnNoBest(w, noBest)
	for of := range byObjective(rows) {
		warnUnproven(w, &of[0])
		for i := range of {
			for _, text := range of[i].NotDecided {
				Warn(w, "%s: %s", of[i].Objective, text)
			}
		}
	}
	for _, row := range rows {
		if row.CannotMeet != "" {
			Fault(w, "%s, %s: %s", row.Objective, row.Policy, row.CannotMeet)
			continue
		}
		if row.Untrained > 0 {
			Fault(w, "%s, %s: %d of %d runs never trained the job, and their cost is no price of it: %s",
				row.Objective, row.Policy, row.Untrained, row.Runs, why(row.Warnings))
		}
		warnNeverSpot(w, &row, "")
		if row.SavingShare > experiments.MuchSaving {
			Warn(w, "%s, %s: saves took %.0f %% of the instance-hours", row.Objective, row.Policy, 100*row.SavingShare)
		}
	}
	for of := range byObjective(rows) {
		warnUnfinished(w, of)
	}
	if doubt := intervals.Doubt(fewest, by); doubt != "" && !strings.HasPrefix(noBest, doubt) {
		Warn(w, "%s", doubt)
	}
	if by == results.BySeed && fewest < fewForTails {
		Warn(w, "p5 and p95 of %s are uncertain, at least %d needed: --seeds %[2]d", perPolicy(fewest), fewForTails)
	}
}

// printAssumptions says what policies assume that their sources do not say: in one line those that assume the same.
func printAssumptions(w io.Writer, rows []experiments.Aggregate) {
	var order []string
	names := map[string][]string{}
	for _, row := range rows {
		if row.Assumes == "" || slices.Contains(names[row.Assumes], row.Policy) {
			continue
		}
		if names[row.Assumes] == nil {
			order = append(order, row.Assumes)
		}
		names[row.Assumes] = append(names[row.Assumes], row.Policy)
	}
	for _, assumes := range order {
		policies := strings.Join(names[assumes], ", ")
		fmt.Fprintf(w, "assumed of %s: %s\n", policies, strings.ReplaceAll(assumes, " ", ", "))
	}
	if order != nil {
		fmt.Fprintln(w, "(marigram policies NAME says what that means)")
	}
}

// warnUnfinished names, in one line an objective, the policies with runs that did not finish.
func warnUnfinished(w io.Writer, rows []experiments.Aggregate) {
	var policies []string
	for i := range rows {
		row := &rows[i]
		if row.CannotMeet == "" && row.Finished < row.Runs && !objective.Named(row.Goal).ByWork {
			policies = append(policies, fmt.Sprintf("%s %d of %d", row.Policy, row.Runs-row.Finished, row.Runs))
		}
	}
	if len(policies) > 0 {
		Warn(w, "%s: runs that did not finish: %s. "+
			"Their cost and hours are counted until they were cut by the horizon, lost or given up",
			rows[0].Objective, strings.Join(policies, ", "))
	}
}

// warnNoBest says why no policy is called the best, if none is.
func warnNoBest(w io.Writer, why string) {
	if why != "" {
		Warn(w, "no policy is called the best: %s", why)
	}
}

// why returns what is said of runs that never trained.
func why(warnings []string) string {
	var found []string
	for _, warning := range warnings {
		if text, is := strings.CutPrefix(warning, experiments.NeverTrained); is {
			text, _, _ = strings.Cut(text, "; ")
			if !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	return strings.Join(found, "; or ")
}

// warnNeverSpot says that the limit of a policy let it request no spot instance in any run, and how to let it; when
// says under which assumption.
func warnNeverSpot(w io.Writer, row *experiments.Aggregate, when string) {
	if row.NeverSpot < row.Runs {
		return
	}
	for _, warning := range row.Warnings {
		_, why, found := strings.Cut(warning, experiments.NeverSpot)
		if found {
			why, _, _ = strings.Cut(why, "; ")
			Warn(w, "%s, %s%s: %s%s; a larger policy.%s.regret may let it try",
				row.Objective, row.Policy, when, experiments.NeverSpot, why, row.Policy)
			return
		}
	}
}

// printObjective prints the policies of one objective, but those that were set so that they cannot meet it: what they
// cost is no price of the job, and stands beside no other.
func printObjective(w io.Writer, all []experiments.Aggregate) {
	first := &all[0]
	rows := slices.DeleteFunc(slices.Clone(all), func(a experiments.Aggregate) bool { return a.CannotMeet != "" })
	goal := fmt.Sprintf("loss %v", first.ObjectiveLoss)
	if first.ObjectiveLoss == 0 {
		goal = "all samples"
	}
	seconds := func(s float64) string { return fmt.Sprintf("%.10g s", s) }
	goal = results.GoalText(goal, first.Goal, first.GoalValue, first.ObjectiveS, seconds)
	header := []string{"policy", "met", "95 % CI", "cost USD|usd", "p5|usd", "p95|usd",
		"finish s|%.0f", "p5|%.0f", "p95|%.0f", "preemptions|%.2f", "instance-h|%.2f", "useful|percent"}
	if share := first.ObjectiveShare; share != nil {
		goal += fmt.Sprintf(" in at least %.6g %% of the runs", 100**share)
		header = append(header, "verdict")
	}
	if objective.Named(first.Goal).ByWork {
		header = append(header, "work done|percent")
	}
	for _, said := range first.Says {
		format := "|usd"
		if said.Share {
			format = "|percent"
		}
		header = append(header, said.Name+format)
	}
	fmt.Fprintf(w, "%s: %s; market: %s; %s\n", first.Objective, goal, first.Market, perPolicy(first.Runs))
	for _, text := range replay.Meanings(first.Replay) {
		fmt.Fprintf(w, "assumed by %s\n", text)
	}
	if first.Bound != nil {
		header = slices.Insert(header, 12, "above bound")
		fmt.Fprintf(w, "bound: %v\n", bestBound(all))
	}
	if len(rows) == 0 {
		return // said of each below
	}
	shown := table.New(header...)
	for i := range rows {
		shown.Row(aggregateCells(&rows[i])...)
	}
	markAggregates(shown, rows)
	Print(w, shown)
}

// bestBound returns what no policy can beat: where policies have speeds of their own, what
// no policy can at the speeds of the best.
func bestBound(rows []experiments.Aggregate) *results.Ceiling {
	best := rows[0].Bound
	for i := range rows {
		if rows[i].Bound.Better(best) {
			best = rows[i].Bound
		}
	}
	return best
}

// warnUnproven warns where no policy can be proven to meet an objective.
func warnUnproven(w io.Writer, a *experiments.Aggregate) {
	if a.ObjectiveShare == nil {
		return
	}
	smallest := intervals.Min(*a.ObjectiveShare)
	if smallest == 0 {
		Warn(w, "%s: no number of seeds or starts proves 100 %%", a.Objective)
	} else if a.MetCI.Units < smallest {
		more := fmt.Sprintf("--seeds %d", smallest)
		if a.SamplingUnit == results.ByStart {
			more = "starts (key starts)"
		}
		Warn(w, "%s: %s cannot prove %.6g %%, at least %d needed: %s", a.Objective,
			intervals.CountIndependent(a.MetCI.Units, a.SamplingUnit), 100**a.ObjectiveShare, smallest, more)
	}
}

// fewForTails is the number of units of which five lie beyond a percentile of 5 or 95.
const fewForTails = 100

// markAggregates marks the best policies of an objective. Those that know the future
// do not take part, nor in costs those that intervals.Best leaves out, nor in times
// those with runs that the horizon cut. Nothing is marked where no policy may be called the best (experiments.NoBest).
func markAggregates(t *table.Table, rows []experiments.Aggregate) {
	if experiments.NoBest(rows) != "" {
		return
	}
	ranking := make([]intervals.RankingRow, len(rows))
	for i := range rows {
		ranking[i] = rows[i].RankingRow()
	}
	best := map[string]bool{}
	for i, isBest := range intervals.Best(ranking, rows[0].ObjectiveShare) {
		best[rows[i].Policy] = isBest
	}
	for column, of := range map[int]func(*experiments.Aggregate) float64{
		1:  func(a *experiments.Aggregate) float64 { return -float64(a.Met) },
		3:  func(a *experiments.Aggregate) float64 { return a.CostUSD.Mean },
		4:  func(a *experiments.Aggregate) float64 { return a.CostUSD.P5 },
		5:  func(a *experiments.Aggregate) float64 { return a.CostUSD.P95 },
		6:  func(a *experiments.Aggregate) float64 { return a.FinishS.Mean },
		7:  func(a *experiments.Aggregate) float64 { return a.FinishS.P5 },
		8:  func(a *experiments.Aggregate) float64 { return a.FinishS.P95 },
		11: func(a *experiments.Aggregate) float64 { return -a.UsefulShare },
	} {
		table.MarkBest(t, column, rows, func(a *experiments.Aggregate) float64 {
			cost := column >= 3 && column <= 5
			time := column >= 6 && column <= 8
			if a.Oracle || cost && !best[a.Policy] || time && a.Finished < a.Runs {
				return math.NaN()
			}
			return of(a)
		})
	}
}

func aggregateCells(a *experiments.Aggregate) []any {
	name := a.Policy
	if a.Oracle {
		name += " (knows the future)"
	}
	interval := fmt.Sprintf("%.0f to %.0f %%", 100*a.MetCI.Low, 100*a.MetCI.High)
	cells := []any{name, fmt.Sprintf("%d/%d", a.Met, a.Runs), interval, a.CostUSD.Mean, a.CostUSD.P5, a.CostUSD.P95}
	if a.FinishS == nil {
		cells = append(cells, "never", nil, nil)
	} else {
		cells = append(cells, a.FinishS.Mean, a.FinishS.P5, a.FinishS.P95)
	}
	cells = append(cells, a.Preemptions, a.InstanceH, a.UsefulShare)
	if a.Bound != nil {
		cells = append(cells, a.Bound.AboveText())
	}
	if a.Verdict != "" {
		cells = append(cells, a.Verdict)
	}
	if objective.Named(a.Goal).ByWork {
		cells = append(cells, 1-a.Value.Mean/100)
	}
	for _, said := range a.Says {
		cells = append(cells, said.Mean)
	}
	return cells
}

// printJobs prints the table of runs of many jobs, a row a policy.
func printJobs(w io.Writer, rows []experiments.Aggregate) {
	first := &rows[0]
	fmt.Fprintf(w, "%s: %s jobs; market: %s; %s\n",
		first.Objective, count(first.Jobs.Jobs), first.Market, perPolicy(first.Runs))
	columns := []string{"policy", "done", "mean JCT h|hours", "p50|hours", "p95|hours", "p99|hours", "queue h|hours",
		"makespan h|hours", "utilisation|percent", "suspended", "preempted", "moved"}
	resized := slices.ContainsFunc(rows, func(a experiments.Aggregate) bool { return a.Jobs.Resizes > 0 })
	if resized {
		columns = append(columns, "resized")
	}
	shown := table.New(append(columns, "on time", "fairness|%.2f", "cost USD|usd")...)
	for i := range rows {
		shown.Row(jobCells(&rows[i], resized)...)
	}
	noBest := experiments.NoBest(rows)
	mark := ""
	if noBest == "" {
		mark = "; *: best value"
	}
	for column, of := range map[int]func(*experiments.JobsAggregate) *float64{
		2: meanJCT,
		3: func(j *experiments.JobsAggregate) *float64 { return j.JCTP50S },
		4: func(j *experiments.JobsAggregate) *float64 { return j.JCTP95S },
		5: func(j *experiments.JobsAggregate) *float64 { return j.JCTP99S },
		6: func(j *experiments.JobsAggregate) *float64 { return j.QueueMeanS },
		7: func(j *experiments.JobsAggregate) *float64 { return j.MakespanS },
	} {
		table.MarkBest(shown, column, rows, func(row *experiments.Aggregate) float64 {
			value := of(row.Jobs)
			if value == nil || row.Oracle || row.Finished < row.Runs || noBest != "" {
				return math.NaN()
			}
			return *value
		})
	}
	Print(w, shown)
	fmt.Fprintln(w, "\nmeans per run; JCT: job completion time, from submission to finish; "+
		"p50, p95, p99: percentiles of the jobs; queue: time without GPUs; utilisation: of the servers' GPU time; "+
		"suspended: times that the scheduler stopped a job; preempted: times that the cloud did; "+
		resizedText(resized)+"on time: jobs that met their deadline; "+
		"fairness: mean finish-time fairness (1: as with an equal part of the servers)"+mark)
	warnNoBest(w, noBest)
	for i := range rows {
		row := &rows[i]
		if row.Finished < row.Runs {
			Warn(w, "%s: in %d of %d runs jobs were not done when the run was cut: the times are of those that were",
				row.Policy, row.Runs-row.Finished, row.Runs)
		}
		warnPolicy(w, row)
	}
}

// mostSaid bounds what a policy says of its runs that is printed.
const mostSaid = 3

// warnPolicy prints what a policy says of its runs, which begins with its name.
func warnPolicy(w io.Writer, row *experiments.Aggregate) {
	var said []string
	for _, texts := range row.Warnings {
		for text := range strings.SplitSeq(texts, "; ") {
			if strings.HasPrefix(text, row.Policy+": ") && !slices.Contains(said, text) {
				said = append(said, text)
			}
		}
	}
	for _, text := range said[:min(len(said), mostSaid)] {
		Warn(w, "%s", text)
	}
	if len(said) > mostSaid {
		Warn(w, "%s: the runs say %d things more (--json has all)", row.Policy, len(said)-mostSaid)
	}
}

// resizedText says what the column of resizes is, where it is shown.
func resizedText(shown bool) string {
	if !shown {
		return ""
	}
	return "resized: times that a job went on on another number of GPUs, which are no moves; "
}

func meanJCT(j *experiments.JobsAggregate) *float64 {
	if j.JCTMeanS == nil {
		return nil
	}
	return &j.JCTMeanS.Mean
}

// jobCells are the cells of a row of printJobs, that of resizes if it is shown.
func jobCells(a *experiments.Aggregate, resized bool) []any {
	j := a.Jobs
	name := a.Policy
	if a.Oracle {
		name += " (knows durations)"
	}
	punctual := ""
	if j.Deadlines > 0 {
		punctual = fmt.Sprintf("%.4g/%.4g", j.Punctual, j.Deadlines)
	}
	cells := []any{name, tenths(j.Done), meanJCT(j), j.JCTP50S, j.JCTP95S, j.JCTP99S, j.QueueMeanS, j.MakespanS,
		j.Utilisation, tenths(j.Suspensions), tenths(j.Preemptions), tenths(j.Moves)}
	if resized {
		cells = append(cells, tenths(j.Resizes))
	}
	return append(cells, punctual, j.FTFMean, a.CostUSD.Mean)
}

// tenths writes a mean number of things.
func tenths(x float64) string { return fmt.Sprintf("%.10g", math.Round(10*x)/10) }

// printNotebooks prints the tables of runs of sessions of notebooks, one an objective.
func printNotebooks(w io.Writer, rows []experiments.Aggregate) {
	for of := range byObjective(rows) {
		printSessions(w, of)
	}
	fmt.Fprintln(w, "\nmeans per run; GPU-h: of the hosts that were held; saved: less than reservations take; "+
		"delay: from when a cell is due until it begins, for the last time if its host was taken away "+
		"(of notebook-reserved: from the start of a session until it has its GPUs); "+
		"lost: times that a cell was lost with its host; moved: cells that waited for the state of their kernel")
	for i := range rows {
		row := &rows[i]
		if row.Finished < row.Runs {
			Warn(w, "%s: in %d of %d runs cells had not run when the run was cut: the numbers are until then",
				row.Policy, row.Runs-row.Finished, row.Runs)
		}
	}
}

// printSessions prints one table, a row a policy.
func printSessions(w io.Writer, rows []experiments.Aggregate) {
	first := rows[0].Notebooks
	fmt.Fprintf(w, "%s: reservations take %.1f GPU-h, cells alone %.1f: at most %.1f can be saved; market: %s; %s\n",
		rows[0].Objective, first.ReservedGPUH, first.ActiveGPUH, first.ReservedGPUH-first.ActiveGPUH,
		rows[0].Market, perPolicy(rows[0].Runs))
	shown := table.New("policy", "GPU-h|%.1f", "saved|%.1f", "cells", "delay s|%.4g", "p50|%.4g", "p95|%.4g",
		"p99|%.4g",
		"max|%.4g", "lost", "moved", "cost USD|usd", "spot|usd", "on demand|usd")
	for i := range rows {
		notebooks := rows[i].Notebooks
		shown.Row(rows[i].Policy, notebooks.GPUH, notebooks.SavedGPUH, tenths(notebooks.Cells), notebooks.DelayMeanS,
			notebooks.DelayP50S, notebooks.DelayP95S, notebooks.DelayP99S, notebooks.DelayMaxS,
			tenths(notebooks.CellsLost), tenths(notebooks.CellsMoved), rows[i].CostUSD.Mean, notebooks.CostSpotUSD,
			notebooks.CostOnDemandUSD)
	}
	Print(w, shown)
}

// perPolicy counts the runs of each policy: "100 runs per policy".
func perPolicy(n int) string { return units.Count(n, "run", "runs") + " per policy" }

// count is a number of jobs, or the mean where runs have different ones.
func count(mean float64) string {
	if mean == math.Trunc(mean) {
		return fmt.Sprintf("%.0f", mean)
	}
	return fmt.Sprintf("on average %.1f", mean)
}
