package main

import (
	"strings"
	"testing"
)

// Nothing but marigram reproduce, and other papers, imports papers: what marigram simulates does not depend on what
// it is compared with.
func TestPapersAreLeaves(t *testing.T) {
	paper := func(folder string) bool { return folder == "papers" || strings.HasPrefix(folder, "papers/") }
	found := false
	for arrow := range readImports(t) {
		from, to, _ := strings.Cut(arrow, " -> ")
		from = strings.TrimSuffix(from, " (tests)")
		if !paper(to) || paper(from) {
			continue
		}
		if found = true; from != "cmd/reproduce" {
			t.Errorf("%s: only cmd/reproduce may import papers", arrow)
		}
	}
	if !found {
		t.Error("imports.txt has no command that imports papers")
	}
}
