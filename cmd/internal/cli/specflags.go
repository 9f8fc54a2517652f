package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// SpecFlags change a spec from the command line, without its file.
type SpecFlags struct {
	flags         *pflag.FlagSet
	policies, set []string
	seed          int64
	seeds         int
	allow         bool
	own           []string
}

// Add adds --policy, --set, --seed and --seeds to a command.
func (f *SpecFlags) Add(cmd *cobra.Command) {
	f.flags = cmd.Flags()
	f.flags.StringSliceVar(&f.policies, "policy", nil,
		"only these policies, `a,b`, with their settings in the spec or else the defaults")
	f.flags.StringArrayVarP(&f.set, "set", "s", nil, "value of a parameter, `path=value`, instead of that of the spec")
	f.flags.Int64Var(&f.seed, "seed", 0, "first seed, instead of the spec's")
	f.flags.IntVar(&f.seeds, "seeds", 0, "number of seeds, instead of the spec's")
	AllowCommands(cmd, &f.allow)
	f.flags.StringArrayVar(&f.own, "policy-command", nil, "a policy of your own, `[NAME=]COMMAND`: a program and its arguments, or a .wasm file")
	Must(cmd.RegisterFlagCompletionFunc("policy", CompletePolicies))
}

// AllowCommands adds --allow-commands to a command.
func AllowCommands(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-commands", false, "start the programs that the spec names for policies")
}

// Open opens a spec by its file or name with what the flags change, and validates it.
// It returns the flags as well, as they are written on a command line.
func (f *SpecFlags) Open(name string) (s *spec.Spec, line []string, err error) {
	settings := make([]spec.Setting, 0, len(f.set)+1)
	for _, text := range f.set {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--set %w", err)
		}
		settings, line = append(settings, x), append(line, "--set", text)
	}
	if f.flags.Changed("policy") { // before their settings
		settings = slices.Insert(settings, 0, spec.Setting{Path: "policy", Value: f.policies})
		line = append(line, "--policy", f.flags.Lookup("policy").Value.String())
	}
	if s, err = spec.Open(name, settings...); err != nil {
		if text, of := strings.CutPrefix(err.Error(), "policy: "); of && f.flags.Changed("policy") {
			err = fmt.Errorf("--policy: %s", text)
		}
		return nil, nil, err
	}
	for _, text := range f.own {
		own, err := loader.Parse(text)
		if err == nil {
			err = s.AddGuest(own)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--policy-command: %w", err)
		}
		line = append(line, "--policy-command", text)
	}
	if err := f.allowCommands(s); err != nil {
		return nil, nil, err
	}
	if f.flags.Changed("seed") {
		if f.seed < 0 {
			return nil, nil, fmt.Errorf("--seed %d, expected at least 0", f.seed)
		}
		s.Seed = f.seed
		line = append(line, "--seed", fmt.Sprint(f.seed))
	}
	if f.flags.Changed("seeds") {
		if f.seeds < 1 || f.seeds > spec.MaxSeeds {
			return nil, nil, fmt.Errorf("--seeds %d, expected 1 to %d", f.seeds, spec.MaxSeeds)
		}
		s.Seeds = f.seeds
		line = append(line, "--seeds", fmt.Sprint(f.seeds))
	}
	return s, line, s.Validate()
}

// allowCommands allows the commands of a spec, or says how to.
func (f *SpecFlags) allowCommands(s *spec.Spec) error {
	if f.allow {
		s.AllowCommands()
	} else if names := s.Commands(); len(names) > 0 {
		return fmt.Errorf("policy %s: %w", strings.Join(names, ", "), loader.ErrNotAllowed)
	}
	return nil
}
