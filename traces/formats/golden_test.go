package formats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
)

// shared is the folder of recorded data beside the repository.
const shared = "../../../shared"

// Recorded returns the path of recorded data, and skips the test without it.
func recorded(t testing.TB, path ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{shared, "traces"}, path...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("recorded data is not here: %v", err)
	}
	return p
}

// golden returns an entry of golden.json.
func golden(t testing.TB, entry string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared, "oracles", "traces", "golden.json"))
	if err != nil {
		t.Skipf("golden values are not here: %v", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[entry], into); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

func mustImport(t testing.TB, format string, opt traces.Options, paths ...string) (*traces.Set, traces.Report) {
	t.Helper()
	s, r, err := Import(format, paths, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// same compares an object of golden.json with the fields of the same names of
// what we report.
func same(t *testing.T, want map[string]any, got any, but ...string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var have map[string]any
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if strings.Contains(strings.Join(but, " "), name) {
			continue
		}
		if fmt.Sprint(have[name]) != fmt.Sprint(w) {
			t.Errorf("%s is %v, golden %v", name, have[name], w)
		}
	}
}

const hourUs = int64(3600e6)

// near compares a number that must be there.
func near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-6 {
		t.Errorf("%s is %v, expected %v", what, got, want)
	}
}
