//go:build !js

package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/layout"
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

// layoutFiles returns the files of the profiles of model.layout, and its tariff.
func (s *Spec) layoutFiles() (names []string) {
	l := s.Model.Layout
	if dir, err := s.folder(l.Profiles); err == nil {
		names = layout.Files(dir)
	}
	if x := l.Links; x != nil && !slices.Contains(charges.TariffNames(), x.Tariff) {
		names = append(names, x.Tariff)
	}
	return names
}
