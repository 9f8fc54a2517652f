package formats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// Events of one instant keep the order of their file, through the neutral form and back:
// Bamboo's simulator decides by it.
func TestNodeEventsKeepTheOrderOfTheFile(t *testing.T) {
	path := filepath.Join(tracetest.Recorded(t), "bamboo-preemption-traces", "p3-trace.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/p3"
	if _, err := formats.ImportTo(t.Context(), "node-events", []string{path}, traces.Options{}, dir); err != nil {
		t.Fatal(err)
	}
	set, err := traces.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	ties := 0
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, r := range set.InstanceEvents {
		if want := strings.Split(strings.TrimSpace(lines[i]), ",")[2]; r.InstanceID != want || r.SrcRow != int64(i+1) {
			t.Fatalf("event %d is of %s, line %d; expected %s of line %d", i, r.InstanceID, r.SrcRow, want, i+1)
		}
		if i > 0 && set.InstanceEvents[i-1].T == r.T {
			ties++
			if r.Seq != set.InstanceEvents[i-1].Seq+1 {
				t.Errorf("event %d has seq %d after %d", i, r.Seq, set.InstanceEvents[i-1].Seq)
			}
		}
	}
	if len(set.InstanceEvents) != len(lines) || ties < 100 {
		t.Errorf("%d events of %d lines, %d at the instant of the one before", len(set.InstanceEvents), len(lines), ties)
	}
}
