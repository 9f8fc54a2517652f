//go:build !js

// Package live writes a page on which the settings of a spec are sliders: a folder with the simulator
// itself, compiled for browsers, that works from any file server.
package live

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
)

//go:embed page
var page embed.FS

// compiled are the files that make playground builds.
var compiled = []string{"marigram.wasm", "wasm_exec.js"}

// Write writes the page of a spec into a folder, which it makes. The compiled files are taken from the folder
// playground beside the program. Errors say what a browser cannot run, and what to do.
func Write(dir string, text []byte) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return write(dir, filepath.Join(filepath.Dir(program), "playground"), text)
}

// write takes the compiled files from a folder.
func write(dir, built string, text []byte) error {
	if err := ours(dir); err != nil {
		return err
	}
	s, err := spec.Parse("spec.yaml", text)
	if err != nil {
		return err
	}
	if err := runnable(s); err != nil {
		return err
	}
	asJSON, err := spec.JSON("spec.yaml", text) // the simulator of the page reads no YAML
	if err != nil {
		return err
	}
	sets, err := market.Sets(s)
	if err != nil {
		return err
	}
	recorded, err := Packed(sets)
	if err != nil {
		return err
	}
	files := map[string][]byte{"spec.yaml": text, "spec.json": asJSON, "recorded.bin": recorded}
	for _, name := range compiled {
		from := filepath.Join(built, name)
		if files[name], err = os.ReadFile(from); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not there: make playground builds it", from)
		} else if err != nil {
			return err
		}
	}
	for _, name := range pages() {
		if files[name], err = page.ReadFile("page/" + name); err != nil {
			return err
		}
	}
	if err := store.MakeFolder(dir); err != nil {
		return err
	}
	for name, data := range files { // in any order
		if err := store.WriteBytes(context.Background(), store.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// Files returns the names of what Write writes.
func Files() []string {
	return slices.Concat(pages(), compiled, []string{"spec.yaml", "spec.json", "recorded.bin"})
}

// pages are the names of the files of the page.
func pages() (names []string) {
	entries, err := page.ReadDir("page")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ours refuses a folder where some of the files are, but not all: they are not of an
// earlier page, and nobody asked to replace them.
func ours(dir string) error {
	found, missing := "", ""
	for _, name := range Files() {
		path := store.Join(dir, name)
		there, err := store.Exists(context.Background(), path)
		switch {
		case err != nil:
			return err
		case there:
			found = path
		default:
			missing = name
		}
	}
	if found != "" && missing != "" {
		return fmt.Errorf("%s would be replaced and is not of a page that marigram wrote (there is no %s), expected another folder", found, missing)
	}
	return nil
}

// runnable says why a browser, which has no files and no programs, cannot run a spec.
func runnable(s *spec.Spec) error {
	if files := s.OtherFiles(); len(files) > 0 {
		return fmt.Errorf("%s reads %s: a page in a browser has no files, expected a published model", s.Name, files[0])
	}
	if s.Jobs != nil {
		return fmt.Errorf("%s has many jobs: a page in a browser has no schedulers of clusters, expected a spec of one job", s.Name)
	}
	for i := range s.Policies {
		if p := &s.Policies[i]; p.Command != nil || p.Wasm != "" {
			return fmt.Errorf("policy %s of %s is a program: a page in a browser runs the policies of marigram only", p.Name, s.Name)
		}
	}
	return nil
}
