package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// SpecFlags change a spec from the command line, without its file.
type SpecFlags struct {
	Policies []string `flag:"policy" split:"true" complete:"@policies" help:"only these policies, <a,b>, with their settings in the spec or else the defaults"`
	Set      []string `flag:"set,s" complete:"settings" help:"value of a parameter, <path=value>, instead of that of the spec"`
	Seed     *int64   `flag:"seed" min:"0" help:"first seed, instead of the spec's"`
	Seeds    *int     `flag:"seeds" min:"1" max:"1000000" help:"number of seeds, instead of the spec's"`
	Own      []string `flag:"policy-command" help:"a policy of your own, <[NAME=]COMMAND>: a program and its arguments"`
	Commands
}

// Commands is the flag that allows the programs of a spec.
type Commands struct {
	Allow bool `flag:"allow-commands" help:"start the programs that the spec names for policies"`
}

// Settings reads the values of flags --set.
func Settings(texts []string) (settings []spec.Setting, err error) {
	for _, text := range texts {
		setting, err := spec.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
		settings = append(settings, setting)
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
		own, err := loader.ParseFile(text)
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

// Starts are the starts through recorded traces that a command looks at.
type Starts struct {
	Every time.Duration `flag:"every" min:"1s" help:"from starts that far apart through recorded traces, instead of the spec's, with its unit: 10m, 6h"`
	many  bool
}

// Bounds opens a spec and returns what no policy can beat, by objective, start and seed.
func (s *Starts) Bounds(ctx context.Context, sp *spec.Spec, run bool) (*experiments.Study, []experiments.BoundRow,
	error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if s.Every > 0 {
		sp.Starts = spec.Starts{EveryS: s.Every.Seconds()}
	}
	study, err := experiments.NewStudy(sp)
	if err != nil {
		return nil, nil, err
	}
	s.many = len(study.Starts) > 1
	rows, err := study.Bounds(ctx, run)
	return study, rows, err
}

// Of counts the points of an objective: "from at most 3 of 9 starts", "with 3 of 20 seeds".
func (s *Starts) Of(largest string, n, points, seeds int) string {
	return fmt.Sprintf("%s %s%d of %s", s.In(seeds), largest, n, s.all(points, seeds))
}

func (s *Starts) all(points, seeds int) string {
	switch s.In(seeds) {
	case "from":
		return units.Count(points, "start", "starts")
	case "in":
		return units.Count(points, "run", "runs") + " (starts and seeds)"
	}
	return units.Count(points, "seed", "seeds")
}

// In is how one speaks of a start, of a seed, and of both.
func (s *Starts) In(seeds int) string {
	switch {
	case !s.many:
		return "with"
	case seeds == 1:
		return "from"
	}
	return "in"
}

// maxListed is how many starts or seeds a line lists.
const maxListed = 8

// Never says of the rows of an objective in which of them no policy can meet it, with their
// starts, or seeds.
func (s *Starts) Never(rows []experiments.BoundRow, seeds int) string {
	var names []string
	never := 0
	for i := range rows {
		row := &rows[i]
		if row.BoundUSD != nil {
			continue
		}
		never++
		if never > maxListed {
			continue
		}
		name := fmt.Sprint(row.Seed)
		if s.many {
			name = (time.Duration(row.StartS) * time.Second).String()
		}
		names = append(names, name)
	}
	if never == 0 {
		return fmt.Sprintf("the bound rules out nothing: a policy may meet the objective %s each of %s", s.In(seeds),
			s.all(len(rows), seeds))
	}
	text := "by the bound no policy can meet the objective " + s.Of("", never, len(rows), seeds)
	if never > maxListed {
		names = append(names, "...")
	}
	return text + ": " + strings.Join(names, ", ")
}
