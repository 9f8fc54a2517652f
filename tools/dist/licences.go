package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile is the name of a file with the terms of a module, or with what they ask to be passed on.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([._-].*)?$`)

// module is one that is linked, and where its files are.
type module struct {
	Path, Version, Dir string
	Main               bool // the one that is released
}

// licences are the terms of all modules that are linked into the program of a target, and of Go. One without is an
// error.
func licences(t target) (files []file, err error) {
	linked, err := modules(t)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(linked)) {
		m := linked[path]
		terms, err := termsIn(m.Dir)
		if err != nil {
			return nil, err
		}
		if len(terms) == 0 {
			return nil, fmt.Errorf("%s %s: %s has no licence", m.Path, m.Version, m.Dir)
		}
		for _, name := range terms {
			text, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, err
			}
			files = append(files, file{"licences/" + path + "/" + name, text, 0o644})
		}
	}
	return files, nil
}

// modules are those that the program imports packages of, and Go itself.
func modules(t target) (map[string]module, error) {
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS="}
	text, err := output(env, "go", "list", "-deps", "-json=Module", ".")
	if err != nil {
		return nil, err
	}
	root, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	linked := map[string]module{"go": {Path: "go", Dir: strings.TrimSpace(root)}}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return linked, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main { // the standard library has none
			linked[p.Module.Path] = *p.Module
		}
	}
}

// termsIn are the names of the files with terms in a folder; where there is none the terms may be in what it says of
// itself.
func termsIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() && licenceFile.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "README.md")); len(names) == 0 && strings.Contains(string(text), "THE SOFTWARE IS PROVIDED") {
		names = append(names, "README.md")
	}
	return names, err
}
