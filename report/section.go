// Package report makes results readable: one page for a folder of them (Page),
// why a policy did what it did (Explain), and a trace of instances and jobs for
// Perfetto (Trace). It knows result tables only; the same tables give the same
// bytes.
package report

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

// section is a part of a report: it appears where the results have rows for it.
type section struct {
	anchor, title string
	has           bool
	write         func(w *webPage) error
}

// eachObjective writes a heading and what follows for every objective.
func (p *page) eachObjective(w *webPage, write func(o *objective)) error {
	for _, o := range p.objectives {
		w.Heading(3, o.Name)
		write(o)
	}
	return nil
}

// writeFigures writes the section of the figures.
func (p *page) writeFigures(w *webPage) error {
	if !p.many() {
		w.Text("A policy that misses the objective is hollow and faded, with the share of its runs that met it.")
	}
	for _, drawing := range p.drawings {
		if err := w.Figure(drawing.figure, drawing.caption); err != nil {
			return err
		}
	}
	return nil
}

// writeRuns writes the section of runs over their time, with their decisions.
func (p *page) writeRuns(w *webPage) error {
	if p.ChartsNote != "" {
		w.Text(p.ChartsNote)
	}
	p.worstRuns(w)
	return w.Timelines(p)
}

// worstRuns lists, of a sweep, the runs that did worst under the best policies.
func (p *page) worstRuns(w *webPage) {
	if p.Sweep == nil {
		return
	}
	for _, objective := range p.objectives {
		best := objective.Best()
		if best == nil {
			continue
		}
		w.Heading(3, "Worst runs of "+best.Policy+", "+objective.Name)
		var worst []*point
		for i := range best.worst {
			worst = append(worst, &best.worst[i])
		}
		w.Table(tableOf(worst, worstColumns, nil))
	}
	w.Text("marigram report --run NUMBER shows others over their time, of all policies side by side.")
}

// writeProvenance writes the section on where the results come from.
func (p *page) writeProvenance(w *webPage) error {
	w.Provenance(p)
	return nil
}

// writeJobs writes the section on jobs of a cluster: those that waited longest, and all.
func (p *page) writeJobs(w *webPage) error {
	if len(p.listed) == 0 {
		text := "No timeline is kept of these runs"
		if p.Sweep != nil && p.Sweep.NoTimelines != "" {
			text += ": " + p.Sweep.NoTimelines
		}
		w.Text(text + ".")
		return nil
	}
	w.Text("The jobs that waited longest, of one run of each policy, and why. " +
		"marigram explain DIR --job NAME --policy POLICY says it of any job.")
	for _, one := range p.listed {
		w.Heading(3, one.name)
		if len(one.waits) > 0 {
			w.List(one.waits)
		} else {
			w.Text("No job waited.")
		}
		summary := units.Count(len(one.jobs), "job", "jobs")
		if len(one.jobs) < one.all {
			summary += fmt.Sprintf(", of %d; all are in jobs.parquet", one.all)
		}
		w.Details(summary, tableOf(one.jobs, jobColumns, nil))
	}
	return nil
}

var jobColumns = []column[results.Job]{
	words("job", func(j *results.Job) string { return j.ID }),
	words("kind", func(j *results.Job) string { return j.Kind }),
	number("GPUs", func(j *results.Job) string { return j.GPUsText() }),
	number("submitted (h)", func(j *results.Job) string { return hours(j.SubmitS) }),
	number("started (h)", func(j *results.Job) string { return optionalHours(j.StartS) }),
	number("done (h)", func(j *results.Job) string { return optionalHours(j.FinishS) }),
	number("JCT (h)", func(j *results.Job) string { return optionalHours(j.JCTS) }),
	number("queue (h)", func(j *results.Job) string { return optionalHours(j.QueueS) }),
	number("suspended", func(j *results.Job) string { return fmt.Sprint(j.Suspensions) }),
	number("preempted", func(j *results.Job) string { return fmt.Sprint(j.Preemptions) }),
	number("moved", func(j *results.Job) string { return fmt.Sprint(j.Moves) }),
	number("resized", func(j *results.Job) string { return fmt.Sprint(j.Resizes) }),
	number("GPU-hours", func(j *results.Job) string { return fixed(orZero(j.GPUH)) }),
	number("USD", func(j *results.Job) string { return units.USD(j.CostUSD) }),
}
