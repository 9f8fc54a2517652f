package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// SpecFlags change a spec from the command line, without its file.
type SpecFlags struct {
	Policies []string `flag:"policy" split:"true" complete:"@policies" help:"only these policies, <a,b>, with their settings in the spec or else the defaults"`
	Set      []string `flag:"set,s" complete:"settings" help:"value of a parameter, <path=value>, instead of that of the spec"`
	Seed     *int64   `flag:"seed" min:"0" help:"first seed, instead of the spec's"`
	Seeds    *int     `flag:"seeds" min:"1" max:"1000000" help:"number of seeds, instead of the spec's"`
	Own      []string `flag:"policy-command" help:"a policy of your own, <[NAME=]COMMAND>: a program and its arguments, or a .wasm file"`
	Commands
}

// Commands is the flag that allows the programs of a spec.
type Commands struct {
	Allow bool `flag:"allow-commands" help:"start the programs that the spec names for policies"`
}

// Settings reads the values of flags --set.
func Settings(texts []string) (settings []spec.Setting, err error) {
	for _, text := range texts {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
		settings = append(settings, x)
	}
	return settings, nil
}

// Open opens a spec by its file or name with what the flags change, and validates it.
// It returns the flags as well, as they are written on a command line.
func (f *SpecFlags) Open(name string) (s *spec.Spec, line []string, err error) {
	settings, err := Settings(f.Set)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range f.Set {
		line = append(line, "--set", text)
	}
	if f.Policies != nil { // before their settings
		settings = slices.Insert(settings, 0, spec.Setting{Path: "policy", Value: f.Policies})
		line = append(line, "--policy", strings.Join(f.Policies, ","))
	}
	reading := spec.Reading{Commands: f.Allow}
	for _, text := range f.Own {
		own, err := loader.Parse(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--policy-command: %w", err)
		}
		reading.Plugins = append(reading.Plugins, own)
		line = append(line, "--policy-command", text)
	}
	if s, err = reading.Open(name, settings...); err != nil {
		if text, of := strings.CutPrefix(err.Error(), "policy: "); of && f.Policies != nil {
			err = fmt.Errorf("--policy: %s", text)
		}
		return nil, nil, err
	}
	if err := f.checkCommands(s); err != nil {
		return nil, nil, err
	}
	if f.Seed != nil {
		s.Seed = *f.Seed
		line = append(line, "--seed", fmt.Sprint(s.Seed))
	}
	if f.Seeds != nil {
		s.Seeds = *f.Seeds
		line = append(line, "--seeds", fmt.Sprint(s.Seeds))
	}
	return s, line, s.Validate()
}

// checkCommands refuses a spec with commands that are not allowed, and says how to allow them.
func (f *Commands) checkCommands(s *spec.Spec) error {
	if names := s.Commands(); len(names) > 0 {
		return fmt.Errorf("policy %s: %w", strings.Join(names, ", "), loader.ErrNotAllowed)
	}
	return nil
}
