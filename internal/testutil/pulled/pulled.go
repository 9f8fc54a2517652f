// Package pulled gives tests the public data sets that marigram traces pull brought, by name.
package pulled

import (
	"os"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// Dir returns the folder of a pulled set. The test is skipped without it.
func Dir(t testing.TB, name string) string {
	t.Helper()
	if !Has(t, name) {
		testutil.Missing(t, name)
	}
	dir, err := catalogue.PulledDir(name)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Has reports whether a set is pulled, for tests that go on without it.
func Has(t testing.TB, name string) bool {
	t.Helper()
	_ = os.Getenv(testutil.EnvPulled)
	if _, err := catalogue.EntryNamed(name); err != nil {
		t.Fatal(err)
	}
	_, err := catalogue.PulledDir(name)
	return err == nil
}

// Set reads a pulled set. The test is skipped without it.
func Set(t testing.TB, name string) *traces.Set {
	t.Helper()
	set, err := traces.Read(Dir(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
