package formats_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestSchema(t *testing.T) {
	testutil.GoldenText(t, "../FORMATS.md", formats.Schema())
	for _, f := range formats.Formats() {
		s := textSource(t, "example", []byte(f.Example), read.WindowBytes)
		if found, err := formats.Recognised(s); err != nil || found != f.Name {
			t.Errorf("the example of %s is recognised as %v, %v", f.Name, found, err)
		}
		if f.Kind == formats.Run {
			if _, err := formats.ImportRun("", []string{tracetest.File(t, "example", f.Example)}, traces.Options{}); err != nil {
				t.Errorf("the example of %s: %v", f.Name, err)
			}
			if _, _, err := formats.Import("", []string{tracetest.File(t, "example", f.Example)}, traces.Options{}); err == nil ||
				!strings.Contains(err.Error(), "which records a run") {
				t.Errorf("the example of %s as a trace: %v", f.Name, err)
			}
			continue
		}
		opt := traces.Options{Polarity: traces.OneIsAvailable, Start: time.Unix(1e9, 0), End: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
		if _, _, err := formats.ImportText(t.Context(), f.Name, s, opt, formats.Memory{}); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		}
	}
}
