package main

import (
	"bytes"
	"flag"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/valyala/quicktemplate/parser"
)

var updateTemplates = flag.Bool("update", false, "write the Go files of the templates")

// TestTemplates compares the Go file of each template with what the compiler of templates
// makes of it; make golden writes them.
func TestTemplates(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".qtpl" {
			return err
		}
		found++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var code bytes.Buffer
		if err := parser.Parse(&code, bytes.NewReader(text), filepath.ToSlash(path), filepath.Base(filepath.Dir(path))); err != nil {
			return err
		}
		want, err := format.Source(code.Bytes())
		if err != nil {
			return err
		}
		if *updateTemplates {
			return os.WriteFile(path+".go", want, 0o644)
		}
		if got, err := os.ReadFile(path + ".go"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s.go is not what the template says (%v): write it with make golden", path, err)
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d templates: %v", found, err)
	}
}

// TestNoMethodsByName keeps Go's own templates out of the program: they call methods by their
// names, so that the linker keeps all methods of all types, a fifth of the program.
func TestNoMethodsByName(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Imports}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("html/template")) || bytes.Contains(line, []byte("text/template")) {
			t.Errorf("%s imports templates of Go's library, expected quicktemplate's", bytes.Fields(line)[0])
		}
	}
}
