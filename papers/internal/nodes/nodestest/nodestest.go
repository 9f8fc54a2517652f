// Package nodestest reads recorded events of nodes, for tests.
package nodestest

import (
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/nodes"
)

// Recorded returns the events of ../shared/path. The test is skipped where it is not there.
func Recorded(t testing.TB, path string) []nodes.Change {
	t.Helper()
	events, err := nodes.Parse(testutil.Table(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return events
}
