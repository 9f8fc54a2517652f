package report

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
)

// What a document shows of runs over their time, lest it grow with them.
const (
	mostPrinted          = 3 // runs of an objective: of the best policies
	mostInAll            = 9
	mostPrintedStretches = 2000 // stretches of a run
)

// timelines draws the first case of each objective: the runs of the best policies from one
// start under one seed.
func (d *printed) timelines() error {
	d.Heading(2, "Runs over their time")
	d.Text(d.page.ChartsNote)
	if d.page.Charts == nil {
		return nil
	}
	drawn, seen := 0, map[string]bool{}
	for _, c := range d.page.Charts.Cases {
		if seen[c.objective] {
			continue
		}
		seen[c.objective] = true
		d.Heading(3, c.Name)
		for _, i := range c.Runs[:min(len(c.Runs), mostPrinted, mostInAll-drawn)] {
			if err := d.timeline(d.page.Charts.Runs[i].run); err != nil {
				return err
			}
			drawn++
		}
	}
	return nil
}

func (d *printed) timeline(r *run) error {
	spans, note := r.sampled()
	f, err := plots.Timeline(r.Summary, spans)
	if err != nil {
		return fmt.Errorf("report: run %d: %w", r.Run, err)
	}
	f.Height = 0.7 * f.Width // two on a page
	d.Figure(f)
	d.Text(note)
	return nil
}

// sampled returns the spans of a run, or where they are more than a figure can show what
// held at equal distances, and says so.
func (r *run) sampled() (spans []results.Span, note string) {
	stretches := len(r.job)
	if stretches <= mostPrintedStretches {
		return r.spans, ""
	}
	first := r.spans[0].StartS
	length := (r.end() - first) / mostPrintedStretches
	k := 0
	for rows := range r.stretches() {
		last := rows[0].EndS == r.end()
		for ; k < mostPrintedStretches; k++ {
			from, until := first+float64(k)*length, first+float64(k+1)*length
			if rows[0].EndS <= from && !last {
				break
			}
			for _, s := range rows {
				s.StartS, s.EndS, s.Progress = from, until, r.progress(until)
				spans = append(spans, s)
			}
		}
	}
	return spans, fmt.Sprintf("Drawn every %s: the run changed %d times.", span(length), stretches)
}
