package main

import (
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

// fonts writes a module instead of liberation, and a go.mod that takes it: with all twelve fonts the module of Try had 1.5 MB more.
func fonts(dir string) error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", liberation).Output()
	if err != nil {
		return fmt.Errorf("go list -m %s: %w", liberation, err)
	}
	from, to := strings.TrimSpace(string(out)), filepath.Join(dir, "fonts")
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
		text := fmt.Sprintf("package %s\n\nimport %q\n\nvar TTF = liberationsansregular.TTF\n", name, liberation+"/liberationsansregular")
		if err := os.WriteFile(filepath.Join(to, name, name+".go"), []byte(text), 0o666); err != nil {
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
	edit := exec.Command("go", "mod", "edit", "-replace", liberation+"=./"+filepath.ToSlash(to), filepath.Join(dir, "go.mod"))
	if out, err := edit.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod edit: %w\n%s", err, out)
	}
	return nil
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
