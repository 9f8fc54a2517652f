package main

import (
	"bytes"
	"os/exec"
	"testing"
)

// TestNoMethodsByName keeps Go's own templates out of the program: they call methods by their
// names, so that the linker keeps all methods of all types, a fifth of the program.
func TestNoMethodsByName(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Imports}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("html/template")) || bytes.Contains(line, []byte("text/template")) {
			t.Errorf("%s imports templates of Go's library, expected HTML by fmt, as in report/html.go", bytes.Fields(line)[0])
		}
	}
}
