package sweep

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/experiments/spec"
)

// sets are specs whose market is a set's, or whose values a program puts in: the rest is filled in before they are
// read.
var sets = regexp.MustCompile(`^(experiments/judge/sets/|papers/.*/(template|world)\.yaml)`)

// Every spec and sweep of the repository is valid under the schema of its kind.
func TestShippedSpecs(t *testing.T) {
	kinds := map[string]*jsonschema.Resolved{"market": resolved(t, spec.Schema()), "base": resolved(t, Schema())}
	found := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel("../..", path)
		name = filepath.ToSlash(name)
		if err != nil || d.IsDir() && (name == ".git" || name == "bin" || name == "out" || name == "dist") {
			return skipped(err, d)
		}
		if filepath.Ext(path) != ".yaml" || sets.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for key, schema := range kinds {
			if !regexp.MustCompile(`(?m)^`+key+`:`).Match(text) || key == "market" && regexp.MustCompile(`(?m)^base:`).Match(text) {
				continue
			}
			found[key]++
			if err := schema.Validate(jsonOf(t, text)); err != nil {
				t.Errorf("%s: %.300v", name, err)
			}
			named := append([]byte("$schema: https://example.org/other.json\n"), text...)
			if err := schema.Validate(jsonOf(t, named)); err != nil {
				t.Errorf("%s with the name of its schema: %.300v", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found["market"] < 20 || found["base"] < 8 {
		t.Errorf("found %v files, expected more", found)
	}
}

func skipped(err error, d fs.DirEntry) error {
	if err == nil && d.IsDir() {
		return fs.SkipDir
	}
	return err
}

func resolved(t *testing.T, text []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.ID, "https://github.com/marigram/marigram/releases/latest/download/marigram-") {
		t.Errorf("the schema is at %s", s.ID)
	}
	return r
}

// exponents are numbers like 8e9: floats in YAML 1.2, as editors read them, but text in goccy's conversion to JSON.
var exponents = regexp.MustCompile(`(: *[0-9]+)e([0-9]+)`)

// jsonOf is YAML as JSON has it.
func jsonOf(t *testing.T, text []byte) (v any) {
	t.Helper()
	data, err := yaml.YAMLToJSON(exponents.ReplaceAll(text, []byte("$1.0e+$2")))
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(data)).Decode(&v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
