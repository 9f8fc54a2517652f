//go:build !js

package spec

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/experiments/internal/document"
)

// JSON returns a spec as the simulator reads it in a browser, which has no YAML: its keys and values as JSON. Errors
// are those of Parse.
func JSON(name string, data []byte) ([]byte, error) {
	if _, err := Parse(name, data); err != nil {
		return nil, err
	}
	doc, err := document.Parse(name, "a spec", data)
	if err != nil {
		return nil, err
	}
	s := &Spec{}
	if err := doc.Decode(s); err != nil {
		return nil, err
	}
	return doc.JSON(s)
}

// YAML returns policies as a spec has them: the key and its list.
func YAML(policies ...Policy) string {
	var b strings.Builder
	b.WriteString("policies:\n")
	for i := range policies {
		p := &policies[i]
		text, err := yaml.MarshalWithOptions(p, yaml.UseJSONMarshaler(), yaml.Indent(2))
		if err != nil {
			panic(fmt.Sprintf("spec: a policy without a YAML form: %v", err)) // names and finite numbers
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		b.WriteString("  - " + strings.Join(lines, "\n    ") + "\n")
	}
	return b.String()
}
