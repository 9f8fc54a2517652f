package testutil

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// UpdateGolden is whether files are written.
var UpdateGolden = flag.Bool("update", false, "write the golden files anew")

// GoldenText compares a text with a file, whose path is relative to the test's folder, or writes it.
func GoldenText(t testing.TB, file, text string) {
	t.Helper()
	if *UpdateGolden {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		dir, _ := os.Getwd()
		t.Errorf("%s is not what the code says (%v): go test -run '^%s$' -update in the folder %s writes it", file, err, t.Name(), filepath.Base(dir))
	}
}
