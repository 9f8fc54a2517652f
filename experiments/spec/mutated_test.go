//go:build !js

package spec

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/internal/fields"
)

var (
	mutations    = flag.Int("mutations", 300, "specs with a value of another type that the schema and the reader judge")
	mutationSeed = flag.Uint64("mutation-seed", 1, "seed of these")
)

// The schema and the reader accept the same types: in specs that come with marigram a value becomes one of another
// type, or a key is added with a value of any.
func TestMutatedSpecs(t *testing.T) {
	schema := resolvedSchema(t)
	draw := rand.New(rand.NewPCG(*mutationSeed, 0))
	files, err := filepath.Glob("../specs/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	accepted := 0
	for n := range *mutations {
		file := files[draw.IntN(len(files))]
		document := plainValue(t, file)
		m := mutation{draw: draw}
		m.look(document, reflect.TypeFor[Spec](), "$", nil)
		where := m.apply()
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		_, byReader := Parse(file, text)
		bySchema := schema.Validate(jsonValue(t, text))
		if bySchema == nil {
			accepted++
		}
		if (byReader == nil) != (bySchema == nil) && !(m.added && bySchema == nil) {
			t.Errorf("mutation %d of seed %d: %s, %s:\nthe reader says: %.200v\nthe schema says: %.200v",
				n, *mutationSeed, file, where, byReader, bySchema)
		}
	}
	if accepted == 0 || accepted > *mutations/2 {
		t.Errorf("the schema accepts %d of %d, expected some", accepted, *mutations)
	}
}

func resolvedSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// plainValue reads a YAML file as maps, lists and scalars.
func plainValue(t *testing.T, file string) (value any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func jsonValue(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// mutation is one change of a document, drawn among all that were looked at.
type mutation struct {
	draw   *rand.Rand
	places []place
	added  bool // a key, which may not fit to the others
}

// place is where a document can be changed.
type place struct {
	path  string
	set   func(any)
	value any // there now; nil: a key that is not
}

// look collects the places of a value that is decoded into a type. set replaces the value, nil: nothing can.
func (m *mutation) look(value any, t reflect.Type, path string, set func(any)) {
	if set != nil {
		m.places = append(m.places, place{path, set, value})
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch x := value.(type) {
	case []any:
		for i := range x {
			m.look(x[i], t.Elem(), fmt.Sprintf("%s[%d]", path, i), func(v any) { x[i] = v })
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			for key := range x {
				m.places = append(m.places, place{path + "." + key, func(v any) { x[key] = v }, x[key]})
			}
			return
		}
		for _, f := range fields.All(t) {
			key := fields.Key(f)
			setKey := func(v any) { x[key] = v }
			if inner, given := x[key]; given {
				m.look(inner, f.Type, path+"."+key, setKey)
			} else if m.draw.IntN(8) == 0 { // there are many more keys than a spec has
				m.places = append(m.places, place{path + "." + key, setKey, nil})
			}
		}
	}
}

// apply changes the document at one of the places, and says how.
func (m *mutation) apply() string {
	at := m.places[m.draw.IntN(len(m.places))]
	m.added = at.value == nil
	others := []any{
		nil, true, 5, 2.5, "x", "5", "",
		[]any{}, []any{"x"}, []any{5}, map[string]any{}, map[string]any{"x": 5},
	}
	if at.value != nil {
		others = append(others, []any{at.value}, fmt.Sprint(at.value))
	}
	for {
		other := others[m.draw.IntN(len(others))]
		if at.value == nil || typeOf(other) != typeOf(at.value) {
			at.set(other)
			return fmt.Sprintf("%s: %#v in place of %.60s", at.path, other, fmt.Sprintf("%#v", at.value))
		}
	}
}

// typeOf is the type of a value in JSON.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case int, uint64, int64, float64:
		return "number"
	}
	return strings.Trim(fmt.Sprintf("%T", value), "[]")
}
