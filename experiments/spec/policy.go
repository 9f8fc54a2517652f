package spec

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/sim"
)

// Policy is a policy with settings other than its defaults.
type Policy struct {
	Name string `json:"name" jsonschema:"name of a policy; marigram policies lists them"`
	// Settings by name, as YAML decodes them: numbers, true or false, names.
	Settings map[string]any `json:"settings,omitempty" jsonschema:"settings by name (marigram policies lists them)"`

	Policy string `json:"policy,omitempty" jsonschema:"which policy it is, where its name is another: so that one is there twice, with different settings"`

	// A policy of one's own has a name of its own, and a command.
	Command     []string `json:"command,omitempty" jsonschema:"program that decides, and its arguments; it runs in the spec's folder, if --allow-commands allows it"`
	WatchPrices bool     `json:"watch_prices,omitempty" needs:"command" jsonschema:"a command is asked at price changes as well"`
	AnswerS     float64  `json:"answer_s,omitempty" min:"0" max:"86400" needs:"command" jsonschema:"seconds that a command may take for an answer; 30 if absent"`

	dir     string         // of the spec
	allowed bool           // to run the command
	given   *loader.Plugin // where it was not read from the spec (AddPlugin)

	Own model.PolicySection `json:"-"` // what the job is under this policy
}

// UnmarshalYAML decodes the keys of the struct and those that kinds of models have registered.
func (p *Policy) UnmarshalYAML(decode func(any) error) error { return fields.Decode(p, decode) }

// MarshalYAML returns them.
func (p *Policy) MarshalYAML() (any, error) { return fields.Plain(p), nil }

// HelpKey says that settings go below a key of their own: an unknown key of a policy is a setting, if any policy of
// marigram has one of that name or a near one, or an attempt at the key settings.
func (p *Policy) HelpKey(key, value string) string {
	var known []string
	for _, name := range policies.Names() {
		policy, err := policies.New(name)
		if err != nil {
			continue
		}
		for _, setting := range policies.Settings(policy) {
			known = append(known, setting.Name)
		}
	}
	setting := registry.Nearest(key, known)
	switch {
	case setting == "":
		return "settings of a policy go below its key settings, such as settings: {reserve_s: 600}; " +
			"marigram policies NAME lists them"
	case setting != key || strings.ContainsAny(value, "\n{["):
		value = "..."
	}
	return fmt.Sprintf("settings of a policy go below its key settings: settings: {%s: %s}", setting, value)
}

// base is the name of the policy that it is.
func (p *Policy) base() string { return cmp.Or(p.Policy, p.Name) }

// checkName refuses a name that says something else than which policy it is.
func (p *Policy) checkName() error {
	if p.Policy == "" || p.Policy == p.Name {
		return nil
	}
	if p.Command != nil {
		return fmt.Errorf("policy %s has policy next to command, expected one of them", p.Name)
	}
	if _, err := policies.Named(p.Name); err == nil {
		return fmt.Errorf("%q is the name of a policy of marigram, expected another name for %s", p.Name, p.Policy)
	}
	return nil
}

// plugin returns the policy as one of a user's own, nil if it is one of marigram's.
func (p *Policy) plugin() *loader.Plugin {
	if p.Command == nil {
		return nil
	}
	if p.given != nil {
		return p.given
	}
	return &loader.Plugin{
		Name:     p.Name,
		Settings: p.Settings,
		Command:  p.Command,
		Dir:      p.dir,
		Patience: units.Seconds(p.AnswerS),
		Watches:  p.WatchPrices,
	}
}

// checkPlugin reports what is wrong with a policy of a user's own.
func (p *Policy) checkPlugin() error {
	for _, kind := range model.Kinds() {
		if given := p.Own.Given(kind); given != nil {
			return fmt.Errorf("policy %s has %s, which is for the policies of marigram only",
				p.Name, strings.Join(given, " and "))
		}
	}
	_, err := p.New()
	return err
}

// Runs reports whether the policy can be made: it is no command, or one that may run (Reading.Commands).
func (p *Policy) Runs() bool { return p.Command == nil || p.allowed }

// New makes the policy with its settings.
func (p *Policy) New() (sim.Policy, error) {
	if g := p.plugin(); g != nil {
		err := cmp.Or(p.checkName(), g.Check())
		if err != nil {
			return nil, nearest(err)
		}
		policy, err := g.Policy(p.allowed)
		return policy, nearest(err)
	}
	if p.WatchPrices || p.AnswerS != 0 {
		return nil, fmt.Errorf("policy %s has watch_prices or answer_s but no command", p.Name)
	}
	if err := p.checkName(); err != nil {
		return nil, err
	}
	policy, err := policies.New(p.base())
	if err != nil {
		return nil, err
	}
	return policy, nearest(policies.Configure(policy, p.Settings))
}

// Assumptions returns what the policy assumes that its source does not say, with its settings (policies.Info); empty:
// nothing, or it is one of a user's own.
func (p *Policy) Assumptions() (string, error) {
	if p.plugin() != nil {
		return "", nil
	}
	info, err := policies.Named(p.base())
	if err != nil {
		return "", err
	}
	policy, err := p.New()
	if err != nil {
		return "", err
	}
	return info.Assumptions(policy), nil
}

// nearest adds the nearest name to the error of an unknown setting.
func nearest(err error) error {
	if unknown, is := errors.AsType[*policies.UnknownSettingError](err); is {
		err = fmt.Errorf("%w%s", err, registry.DidYouMean("; ", unknown.Setting, unknown.Known))
	}
	return err
}
