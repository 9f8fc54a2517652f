package calibrate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate"
	_ "github.com/marigram/marigram/papers/extensions"
)

// Families of all packages are there, in the order of their names. PROFILES.md,
// which a test compares with the code, lists them.
func TestFamilies(t *testing.T) {
	var names []string
	for _, f := range calibrate.Families() {
		names = append(names, f.Name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	for _, name := range []string{"step-time-linear", "ps-contention", "stall-layers"} { // of gpu, ps and stalls
		if !slices.Contains(names, name) {
			t.Errorf("no %s among %v", name, names)
		}
	}
	if _, err := calibrate.FamilyNamed("cubic"); err == nil ||
		!strings.HasPrefix(err.Error(), `unknown family "cubic", expected one of: batch-memory, checkpoint-time`) {
		t.Errorf("got %v", err)
	}
}
