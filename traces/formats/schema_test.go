package formats_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var update = flag.Bool("update", false, "write FORMATS.md")

func TestSchema(t *testing.T) {
	want := formats.Schema()
	if *update {
		if err := os.WriteFile("../FORMATS.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../FORMATS.md")
	if err != nil || string(got) != want {
		t.Errorf("FORMATS.md is not what the code says (%v); run go test ./traces/formats -run TestSchema -update", err)
	}
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
