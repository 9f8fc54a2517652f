package formats

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
)

var update = flag.Bool("update", false, "write FORMATS.md")

func TestSchema(t *testing.T) {
	want := Schema()
	if *update {
		if err := os.WriteFile("../FORMATS.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../FORMATS.md")
	if err != nil || string(got) != want {
		t.Errorf("FORMATS.md is not what the code says (%v); run go test ./traces/formats -run TestSchema -update", err)
	}
	for _, f := range Formats() {
		s := textSource(t, "example", []byte(f.Example), windowBytes)
		if im := recognise(s); im == nil || im.Name != f.Name {
			t.Errorf("the example of %s is recognised as %v", f.Name, im)
		}
		b := newBuild(traces.Options{Polarity: traces.OneIsAvailable, Start: time.Unix(1e9, 0)})
		im, err := importerNamed(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.add(s, im); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		} else if _, err := b.finish(im, b.collect); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		}
	}
}
