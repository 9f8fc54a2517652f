//go:build !js

package spec

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

// What the schema accepts is what the reader accepts, as far as a schema says.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(text string) bool {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(plain) == nil
	}
	edits := map[string][][2]string{
		"regions":       {{"objectives:", "objektives:"}},
		"quickstart":    {{"published: spotdnn-resnet110", "published: nothing"}, {"loss: 0.54", "loss: low"}},
		"real-aws-2020": {{"published: spotdnn-resnet110", "published: nothing"}, {"loss: 0.54", "loss: low"}},
		"systems-p3":    {{"published: varuna-bert-large-a40", "published: varuna"}, {"usd_per_h: 0.91", "usd_per_h: cheap"}},
		"shrinking-fleet": {{"time_s: 86400", "within: 1d, time_s: 86400"}, {"time_s: 86400", "share: 0.9"}, {"published: bamboo-bert", "published: bert"},
			{"loss: covered", "loss: hidden"}, {"name: oobleck, recovery", "name: oobleck, rec"}},
	}
	for _, name := range Builtin() {
		data, err := os.ReadFile("../specs/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !accepts(string(data)) {
			t.Errorf("the schema refuses %s", name)
		}
		for _, bad := range append(edits[name], [2]string{"name: " + name, "nam: " + name}, [2]string{"\nmarket:", "\nmarkt:"}) {
			text := strings.Replace(string(data), bad[0], bad[1], 1)
			if text == string(data) {
				t.Fatalf("%s has no %q", name, bad[0])
			}
			if _, err := Parse("x.yaml", []byte(text)); err == nil || accepts(text) {
				t.Errorf("%s with %q: the reader says %v, the schema accepts it: %v", name, bad[1], err, accepts(text))
			}
		}
	}
}

func TestParseBounds(t *testing.T) {
	for says, text := range map[string]string{
		"nested 3000 deep":          strings.Repeat("[", 3000),
		"larger than 65536":         strings.Repeat("x", 70000),
		"expected keys with values": strings.Repeat("- {a: b}\n", 5000),
		"unknown field":             strings.Repeat("x", 60000) + ":",
		"cannot unmarshal":          "a: &a [x]\nb: &b [*a,*a]\nname: *b\n",
	} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) && says != "cannot unmarshal" {
			t.Errorf("got %.100v, expected %q", err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"dynamic-pricing", "parcae-p3", "quickstart", "real-aws-2020", "regions", "shrinking-fleet", "systems-p3"} {
		data, _ := os.ReadFile("../specs/" + name + ".yaml")
		f.Add(data)
	}
	f.Add([]byte("name: x\nseeds: 1e3\nobjectives: [{loss: .nan}]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f.yaml", data)
		if err == nil && (s.Seeds < 1 || len(s.Objectives) == 0 || len(s.Market.Pools) == 0 || !(s.HorizonS > 0)) {
			t.Errorf("accepted %+v", s)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml") {
			t.Errorf("an error without its file: %v", err)
		}
	})
}
