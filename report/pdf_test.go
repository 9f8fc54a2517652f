package report

import (
	"bytes"
	"testing"

	"github.com/marigram/marigram/experiments/results"

	"github.com/marigram/marigram/plots"
)

// The PDF of a study, of one of a sweep too, is the same every time; text from files
// does no harm in it.
func TestPDF(t *testing.T) {
	for name, of := range map[string]func() *Study{"run": func() *Study { return Of(synthetic(9, 40)) }, "sweep": swept} {
		var first, again bytes.Buffer
		if err := of().PDF(&first); err != nil {
			t.Fatal(err)
		}
		if err := of().PDF(&again); err != nil {
			t.Fatal(err)
		}
		if pages := bytes.Count(first.Bytes(), []byte("/Type /Page\n")); !bytes.Equal(first.Bytes(), again.Bytes()) || pages < 3 || pages > 12 || first.Len() > 3e6 {
			t.Errorf("%s: %d pages, %d bytes, the same: %v", name, pages, first.Len(), bytes.Equal(first.Bytes(), again.Bytes()))
		}
	}
	if err := NewStudy(synthetic(1, 1).Provenance).PDF(new(bytes.Buffer)); err == nil {
		t.Error("a study without runs has a PDF")
	}
}

// A document shows the runs of the best policies over their time, and long ones at fewer
// instants than they have changes.
func TestPDFTimelines(t *testing.T) {
	pages := func(s *Study) int {
		var b bytes.Buffer
		if err := s.PDF(&b); err != nil {
			t.Fatal(err)
		}
		return bytes.Count(b.Bytes(), []byte("/Type /Page\n"))
	}
	without := Of(synthetic(3, 40))
	without.Timelines(nil)
	if with, none := pages(Of(synthetic(3, 40))), pages(without); with < none+2 {
		t.Errorf("%d pages with runs over their time, %d without", with, none)
	}
	long := runsOf(synthetic(1, 3*maxPrintedStretches))[0]
	spans, note := long.sampled()
	pools := len(results.FirstSpans(long.Spans))
	if len(spans) != pools*maxPrintedStretches || note == "" || spans[len(spans)-1].EndS != long.end() ||
		spans[len(spans)-1].Progress != long.Spans[len(long.Spans)-1].Progress {
		t.Errorf("%d spans of %d pools, %q, the last %+v", len(spans), pools, note, spans[len(spans)-1])
	}
	if _, err := plots.Timeline(long.Summary, spans); err != nil {
		t.Error(err)
	}
	short := runsOf(synthetic(1, 40))[0]
	if spans, note := short.sampled(); len(spans) != len(short.Spans) || note != "" {
		t.Errorf("a short run is drawn with %d of %d spans, %q", len(spans), len(short.Spans), note)
	}
}
