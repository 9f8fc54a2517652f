//go:build !js

package report

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// What a document shows of runs over their time, lest it grow with them.
const (
	maxPrinted          = 3 // runs of an objective: of the best policies
	maxPrintedInAll     = 9
	maxPrintedStretches = 2000 // stretches of a run
)

// PDF writes what the page says as a PDF document: of the runs over their time the first
// few of each objective, and of their decisions and the lists of all jobs none, for which it names the page.
func (s *Study) PDF(w io.Writer) error {
	p, err := s.page(new(canvas.Theme))
	if err != nil {
		return err
	}
	d := newPDF()
	d.Heading(1, s.name)
	for i := range p.Verdicts {
		if err := d.verdict(&p.Verdicts[i]); err != nil {
			return err
		}
	}
	before, after := s.context()
	d.Text("Simulated" + before + s.market + after)
	if len(p.Warnings) > 0 {
		d.Heading(2, "Warnings")
	}
	for _, g := range p.Warnings {
		for _, text := range g.Texts {
			d.List([]item{{g.Of + ":", text}})
		}
	}
	for _, part := range p.sections() {
		d.Heading(2, part.title)
		if err := part.write(d); err != nil {
			return err
		}
	}
	_, err = d.canvas.WriteTo(w)
	return err
}

// verdict writes the answer for an objective.
func (d *pdfDocument) verdict(v *verdict) error {
	d.Heading(3, v.Goal)
	d.Text(v.Lead() + v.Policy + v.Text)
	for _, note := range v.notes() {
		d.Text(note)
	}
	if v.figure == nil {
		return nil
	}
	return d.Figure(v.figure, "")
}

// Timelines draws the first case of each objective: the runs of the best policies from one
// start under one seed.
func (d *pdfDocument) Timelines(p *page) error {
	if p.Charts != nil && p.many() {
		d.Text("The page shows the runs over their time and every decision; the figures above show which jobs had what, and when.")
	}
	if p.Charts == nil || p.many() {
		return nil
	}
	drawn, seen := 0, map[string]bool{}
	for _, c := range p.Charts.Cases {
		if seen[c.objective] {
			continue
		}
		seen[c.objective] = true
		d.Heading(3, c.Name)
		for _, i := range c.Runs[:min(len(c.Runs), maxPrinted, maxPrintedInAll-drawn)] {
			if err := d.timeline(p.Charts.Runs[i].run); err != nil {
				return err
			}
			drawn++
		}
	}
	return nil
}

func (d *pdfDocument) timeline(r *run) error {
	spans, note := r.sampled()
	f, err := plots.Timeline(r.Summary, spans)
	if err != nil {
		return fmt.Errorf("report: run %d: %w", r.Run, err)
	}
	f.Height = 0.7 * f.Width // two on a page
	return d.Figure(f, note)
}

// sampled returns the spans of a run, or where they are more than a figure can show what
// held at equal distances, and says so.
func (r *run) sampled() (spans []results.Span, note string) {
	stretches := len(r.job)
	if stretches <= maxPrintedStretches {
		return r.Spans, ""
	}
	first := r.Spans[0].StartS
	length := (r.end() - first) / maxPrintedStretches
	k := 0
	for rows := range r.stretches() {
		last := rows[0].EndS == r.end()
		for ; k < maxPrintedStretches; k++ {
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

// Provenance says where the results come from, and how to make the page.
func (d *pdfDocument) Provenance(p *page) {
	from := &p.from
	d.Text("All runs over their time and every decision are on the page that these commands make:")
	var commands, inputs []item
	for _, c := range p.commands() {
		commands = append(commands, item{"", c})
	}
	d.List(commands)
	d.Text(fmt.Sprintf("marigram %s (%s), %s, schema %d. Spec %s, SHA-256 %s. First seed %d.",
		from.Version, from.Commit, from.GOARCH, from.SchemaVersion, from.SpecName, from.SpecSHA256, from.Seed))
	for _, in := range from.Inputs {
		inputs = append(inputs, item{in.Name + ",", "SHA-256 " + in.SHA256})
	}
	d.List(inputs)
}
