//go:build !js

package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/traces/catalogue"
)

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

// folder returns a folder named in the spec: pulled:NAME is a data set that was pulled.
func (s *Spec) folder(name string) (string, error) {
	if set, pulled := strings.CutPrefix(name, catalogue.PulledPrefix); pulled {
		return catalogue.PulledDir(set)
	}
	return s.Path(name), nil
}

// absent reports whether an error is that a public set is not pulled.
func absent(err error) bool { return errors.Is(err, catalogue.ErrNotPulled) }
