package report

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/plots"
)

// PDF writes what the page says as a PDF document: of the runs over their time the first
// few of each objective, and of their decisions none, for which it names the page.
func (s *Study) PDF(w io.Writer) error {
	if s.Empty() {
		return fmt.Errorf("report: no runs")
	}
	if s.many() {
		return s.jobsPDF(w)
	}
	s.rank()
	p := page{Study: s}
	if err := p.fill(); err != nil {
		return err
	}
	d := printed{plots.NewDocument(), &p}
	d.Heading(1, s.name)
	d.answers()
	d.Text(s.context())
	d.warnings()
	d.cells()
	d.numbers()
	d.notebooks()
	d.Heading(2, "Figures")
	d.Text("A policy that misses the objective is hollow and faded, with the share of its runs that met it.")
	for _, f := range p.Figures {
		d.Figure(f.drawing)
		d.Text(f.Caption)
	}
	d.ledgers()
	if err := d.timelines(); err != nil {
		return err
	}
	d.provenance()
	b, err := d.Bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
