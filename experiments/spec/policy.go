package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/internal/spelling"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Policy is a policy with settings other than its defaults.
type Policy struct {
	Name string `json:"name" jsonschema:"name of a policy; marigram policies lists them"`
	// Settings by name, as YAML decodes them: numbers, true or false, names.
	Settings map[string]any `json:"settings,omitempty" jsonschema:"settings by name (marigram policies lists them)"`

	Throughput *Throughput `json:"throughput,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
	Recovery   *Recovery   `json:"recovery,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
}

// New makes the policy with its settings.
func (p *Policy) New() (sim.Policy, error) {
	policy, _, err := p.configured()
	return policy, err
}

// configured is New with warnings of former spellings.
func (p *Policy) configured() (policy sim.Policy, warnings []string, err error) {
	if policy, err = policies.New(p.Name); err != nil {
		if near := spelling.Nearest(p.Name, policies.Names()); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
		return nil, nil, err
	}
	warnings, err = policies.Configure(policy, p.Settings)
	var unknown *policies.UnknownSettingError
	if errors.As(err, &unknown) {
		if near := spelling.Nearest(unknown.Setting, unknown.Known); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
	}
	return policy, warnings, err
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
