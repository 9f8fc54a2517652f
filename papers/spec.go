package papers

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/marigram/marigram/internal/store"
)

// Spec says how one published figure or table is reproduced. Its file is
// papers/SYSTEM/FIGURE.yaml.
type Spec struct {
	Name      string `json:"name"`      // system/figure, as the file
	About     string `json:"about"`     // what is computed and compared
	X         string `json:"x"`         // what the claims' places on the x axis are, and their unit; empty if they are none
	Origin    string `json:"origin"`    // what kind of source its numbers have, unless their own rows say so (papers.Origin)
	Procedure string `json:"procedure"` // the code that does
	Given     inputs `json:"inputs"`    // what that reads
	// Minutes of processor time that it takes, where that is too long for a run that names no figures; 0: it is part of such a run.
	Minutes float64 `json:"minutes"`
}

// inputs is a part of a YAML document that is decoded later.
type inputs []byte

func (in *inputs) UnmarshalYAML(data []byte) error {
	*in = bytes.Clone(data)
	return nil
}

// Inputs decodes the spec's inputs into a struct; unknown keys are errors.
func (f *Spec) Inputs(into any) error {
	if err := yaml.UnmarshalWithOptions(f.Given, into, yaml.Strict()); err != nil {
		return fmt.Errorf("inputs of %s: %s", f.Name, yaml.FormatError(err, false, true))
	}
	return nil
}

// File returns the name of the spec's file in the sources.
func (f *Spec) File() string { return "papers/" + f.Name + ".yaml" }

// SpecNames returns the names of the figures that have a spec, paper by paper.
func SpecNames() (names []string) {
	for _, p := range registered.All() {
		files, _ := fs.Glob(p.Files, "*.yaml")
		for _, file := range files {
			names = append(names, p.Name+"/"+strings.TrimSuffix(file, ".yaml"))
		}
	}
	return names
}

// SpecSource returns the YAML text of the spec of a figure.
func SpecSource(name string) ([]byte, error) {
	if p, ok := paperOf(name); ok {
		if data, err := fs.ReadFile(p.Files, path.Base(name)+".yaml"); err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("no spec of a figure %q", name)
}

// OpenSpec reads the spec of a figure that comes with marigram.
func OpenSpec(name string) (*Spec, error) {
	data, err := SpecSource(name)
	if err != nil {
		return nil, err
	}
	f, err := parseSpec(name+".yaml", data)
	if err == nil && f.Name != name {
		return nil, fmt.Errorf("%s.yaml: the name is %q, expected that of the file", name, f.Name)
	}
	return f, err
}

// ReadSpec reads the spec of a figure from a file, such as a copy with other inputs.
func ReadSpec(path string) (*Spec, error) {
	file, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("%s: larger than %d bytes", path, maxBytes)
	}
	if err != nil {
		return nil, err
	}
	return parseSpec(path, data)
}

// maxBytes bounds a file.
const maxBytes = 64 << 10

func parseSpec(name string, data []byte) (f *Spec, err error) {
	defer func() { // the YAML library has panicked on bad input before
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%s: not readable as YAML: %v", name, r)
		}
	}()
	f = &Spec{}
	if err := yaml.UnmarshalWithOptions(data, f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	return f, nil
}
