package report

import (
	"bytes"
	"testing"
)

// The PDF of a study, of one of a sweep too, is the same every time; text from files
// does no harm in it.
func TestPDF(t *testing.T) {
	for name, of := range map[string]func() *Study{"run": func() *Study { return Of(made(9, 40)) }, "sweep": swept} {
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
	if err := NewStudy(made(1, 1).Provenance).PDF(new(bytes.Buffer)); err == nil {
		t.Error("a study without runs has a PDF")
	}
}
