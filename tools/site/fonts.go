package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// liberation is the module of the fonts that gonum/plot draws with.
const liberation = "codeberg.org/go-fonts/liberation"

// kept are its fonts that figures use. An SVG needs the widths of their letters only, so their outlines are left out.
var kept = map[string]bool{"liberationsansregular": true, "liberationsansbold": true}

// image is the module of the Go fonts, in which gonum/plot would set formulas.
const image = "golang.org/x/image"

// fonts writes modules instead of liberation and image, and a go.mod that takes them: with all fonts the module of Try
// had 1.9 MB more by gzip.
func fonts(dir string) error {
	from, err := folderOf(liberation)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, "fonts")
	files, err := filepath.Glob(filepath.Join(from, "liberation*", "*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has no fonts: %v", from, err)
	}
	copied := map[string]string{filepath.Join(from, "go.mod"): filepath.Join(to, "go.mod"),
		"go.mod": filepath.Join(dir, "go.mod"), "go.sum": filepath.Join(dir, "go.sum")}
	for _, file := range files {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		if err := os.MkdirAll(filepath.Join(to, name), 0o777); err != nil {
			return err
		}
		if kept[name] {
			names, err := filepath.Glob(filepath.Join(folder, "*"))
			if err != nil {
				return err
			}
			for _, n := range names {
				copied[n] = filepath.Join(to, name, filepath.Base(n))
			}
			continue
		}
		if err := standIn(filepath.Join(to, name, name+".go"), name); err != nil {
			return err
		}
	}
	gofonts := filepath.Join(dir, "image")
	if from, err = folderOf(image); err != nil {
		return err
	}
	if err := sources(from, gofonts, copied); err != nil {
		return err
	}
	for _, name := range []string{"goregular", "gobold", "goitalic", "gobolditalic"} {
		delete(copied, filepath.Join(from, "font", "gofont", name, "data.go"))
		if err := standIn(filepath.Join(gofonts, "font/gofont", name, "data.go"), name); err != nil {
			return err
		}
	}
	for from, to := range copied {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if filepath.Ext(from) == ".ttf" {
			if data, err = withoutOutlines(data); err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	edit := exec.Command("go", "mod", "edit", "-replace", liberation+"=./"+filepath.ToSlash(to), "-replace", image+"=./"+filepath.ToSlash(gofonts),
		filepath.Join(dir, "go.mod"))
	if out, err := edit.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod edit: %w\n%s", err, out)
	}
	return nil
}

// folderOf returns where the files of a module are.
func folderOf(module string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// sources makes the folders of a module and adds its sources, without tests, to what is copied.
func sources(from, to string, copied map[string]string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		rel, name := strings.TrimPrefix(path, from), d.Name()
		switch {
		case err != nil || d.IsDir() && name == "testdata":
			return cmp.Or(err, filepath.SkipDir)
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		case name == "go.mod" || filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			copied[path] = filepath.Join(to, rel)
		}
		return nil
	})
}

// standIn writes a package whose font is the regular one of kept.
func standIn(path, name string) error {
	text := fmt.Sprintf("package %s\n\nimport %q\n\nvar TTF = liberationsansregular.TTF\n", name, liberation+"/liberationsansregular")
	return os.WriteFile(path, []byte(text), 0o666)
}

// withoutOutlines is a TrueType font whose outlines and their instructions are zeros.
func withoutOutlines(font []byte) ([]byte, error) {
	if len(font) < 12 {
		return nil, fmt.Errorf("%d bytes, expected a font", len(font))
	}
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		entry := 12 + 16*i
		if entry+16 > len(font) {
			return nil, fmt.Errorf("table %d is beyond the end", i)
		}
		from, n := int(binary.BigEndian.Uint32(font[entry+8:])), int(binary.BigEndian.Uint32(font[entry+12:]))
		if from+n > len(font) {
			return nil, fmt.Errorf("table %d ends beyond the end", i)
		}
		switch string(font[entry : entry+4]) {
		case "glyf", "fpgm", "prep", "cvt ", "GSUB":
			clear(font[from : from+n])
		}
	}
	return font, nil
}
