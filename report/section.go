package report

import (
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/plots/canvas"
)

// section is a part of a report: it appears where the results have rows for it.
type section interface {
	head() (anchor, title string)
	has() bool
	write(d document) error
}

// document is what sections are written into: an HTML page, or a PDF document.
type document interface {
	Heading(level int, words string)
	Text(words string)
	List(items []item)
	Table(t *table.Table)
	// Details is a table that is read by few: folded on a page, and not printed.
	Details(summary string, t *table.Table)
	Figure(f *canvas.Figure, caption string) error
	// Timelines are the runs over their time, Provenance is where the results come from.
	Timelines(p *page) error
	Provenance(p *page)
}

// eachObjective writes a heading and what follows for every objective.
func (p *page) eachObjective(d document, write func(o *objective)) error {
	for _, o := range p.objectives {
		d.Heading(3, o.Name)
		write(o)
	}
	return nil
}

// figures is the section of the figures.
type figures struct{ *page }

func (figures) head() (anchor, title string) { return "figures", "Figures" }
func (s figures) has() bool                  { return len(s.drawings) > 0 }

func (s figures) write(d document) error {
	if !s.many() {
		d.Text("A policy that misses the objective is hollow and faded, with the share of its runs that met it.")
	}
	for _, f := range s.drawings {
		if err := d.Figure(f.figure, f.caption); err != nil {
			return err
		}
	}
	return nil
}

// runs is the section of runs over their time, with their decisions.
type runs struct{ *page }

func (runs) head() (anchor, title string) { return "runs", "Runs and decisions" }
func (s runs) has() bool                  { return !s.many() || s.Charts != nil }
func (s runs) write(d document) error {
	if s.ChartsNote != "" {
		d.Text(s.ChartsNote)
	}
	s.worstRuns(d)
	return d.Timelines(s.page)
}

// worstRuns lists, of a sweep, the runs that did worst under the best policies.
func (p *page) worstRuns(d document) {
	if p.Sweep == nil {
		return
	}
	for _, o := range p.objectives {
		best := o.Best()
		if best == nil {
			continue
		}
		d.Heading(3, "Worst runs of "+best.Policy+", "+o.Name)
		var worst []*point
		for i := range best.worst {
			worst = append(worst, &best.worst[i])
		}
		d.Table(tableOf(worst, worstColumns, nil))
	}
	d.Text("marigram report --run NUMBER shows others over their time, of all policies side by side.")
}

// provenance is the section on where the results come from.
type provenance struct{ *page }

func (provenance) head() (anchor, title string) { return "provenance", "Provenance" }
func (provenance) has() bool                    { return true }
func (s provenance) write(d document) error {
	d.Provenance(s.page)
	return nil
}
