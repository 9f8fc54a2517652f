package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLLMS checks that llms.txt names every page of docs, with what it is for.
func TestLLMS(t *testing.T) {
	readme, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	known := map[string]bool{}
	for _, page := range pages {
		known["docs/"+filepath.Base(page)] = true
	}
	text := llms(string(readme), known)
	for page := range known {
		if page != "docs/README.md" && !strings.Contains(text, "("+place(page)) {
			t.Errorf("llms.txt has no %s", page)
		}
	}
}
