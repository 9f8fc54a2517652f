package formats_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

func TestSchema(t *testing.T) {
	testutil.GoldenText(t, "../FORMATS.md", formats.Schema())
	for _, f := range formats.Formats() {
		s := textSource(t, "example", []byte(f.Example), read.WindowBytes)
		if found, err := formats.Recognised(s); err != nil || found != f.Name {
			t.Errorf("the example of %s is recognised as %v, %v", f.Name, found, err)
		}
		opt := traces.Options{Polarity: traces.OneIsAvailable, Start: time.Unix(1e9, 0), End: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
		if _, _, err := formats.ImportText(t.Context(), f.Name, s, opt, formats.Memory{}); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		}
	}
}
