package run

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
)

// printJobs prints the bound of many jobs, and the schedulers beside it: first those that were late in no run.
func (f *boundFlags) printJobs(w io.Writer, study *experiments.Study, rows []experiments.BoundRow) {
	var bounds []float64
	for i := range rows {
		if rows[i].BoundUSD != nil {
			bounds = append(bounds, *rows[i].BoundUSD)
		}
	}
	seeds := study.Spec.Seeds
	fmt.Fprintf(w, "%s: a schedule can meet all deadlines %s\n", rows[0].Objective, f.Of("at most ", len(bounds), len(rows), seeds))
	if len(bounds) < len(rows) {
		fmt.Fprintln(w, f.Never(rows, seeds))
	}
	lines := make([]jobsLine, len(study.Spec.Policies))
	for p := range lines {
		if lines[p].name = study.Spec.Policies[p].Name; rows[0].Jobs[p].KnowsDurations {
			lines[p].name += " (knows durations)"
		}
		for i := range rows {
			lines[p].add(&rows[i], p)
		}
	}
	slices.SortStableFunc(lines, func(a, b jobsLine) int {
		return cmp.Or(cmp.Compare(b.punctual, a.punctual), cmp.Compare(stats.Mean(a.all), stats.Mean(b.all)))
	})
	t := table.New("policy", "never late", "jobs late|percent", "cost USD|usd", "bound USD|usd", "above bound|share", "median|share", "max|share")
	if len(bounds) > 0 {
		t.Row("bound", fmt.Sprintf("%d/%d", len(bounds), len(rows)), nil, nil, stats.Mean(bounds))
	}
	for i := range lines {
		t.Row(lines[i].cells(len(rows))...)
	}
	term.Print(w, t)
	fmt.Fprintln(w, "never late: runs in which all jobs were done and met their deadlines; above bound: what these cost more than their bounds, all together; "+
		"cost: mean of all runs; jobs late: not done, or after their deadline")
}

// jobsLine is a scheduler of many jobs beside the bound.
type jobsLine struct {
	name              string
	punctual          int // runs in which no job was late
	late, jobs        float64
	all, costs, under []float64 // of all runs; of those in which no job was late
}

func (l *jobsLine) add(r *experiments.BoundRow, policy int) {
	x := r.Jobs[policy]
	l.all = append(l.all, x.CostUSD)
	l.late, l.jobs = l.late+float64(max(x.Deadlines-x.Met, x.Jobs-x.Done)), l.jobs+float64(x.Jobs)
	if c := r.CostUSD[policy]; c != nil {
		l.punctual++
		l.costs, l.under = append(l.costs, *c), append(l.under, *r.BoundUSD)
	}
}

func (l *jobsLine) cells(runs int) []any {
	cells := []any{l.name, fmt.Sprintf("%d/%d", l.punctual, runs), l.late / max(l.jobs, 1), stats.Mean(l.all)}
	var above []float64
	for i, c := range l.costs {
		if l.under[i] > 0 {
			above = append(above, c/l.under[i]-1)
		}
	}
	if len(above) == 0 {
		return cells
	}
	slices.Sort(above)
	return append(cells, stats.Mean(l.under), stats.Mean(l.costs)/stats.Mean(l.under)-1, above[len(above)/2], above[len(above)-1])
}
