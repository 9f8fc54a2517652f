// Package nodestest reads recorded events of nodes, for tests.
package nodestest

import (
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/nodes"
)

// Recorded returns the events of a table of the repository (testutil.Table).
func Recorded(t testing.TB, path string) []nodes.Change {
	t.Helper()
	return parsed(t, testutil.Table(t, path))
}

// Published returns the events of a file as it was published (testutil.Published). The test is skipped without it.
func Published(t testing.TB, path ...string) []nodes.Change {
	t.Helper()
	return parsed(t, testutil.PublishedTable(t, path...))
}

func parsed(t testing.TB, lines [][]string) []nodes.Change {
	t.Helper()
	events, err := nodes.Parse(lines)
	if err != nil {
		t.Fatal(err)
	}
	return events
}
