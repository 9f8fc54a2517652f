package ownruns

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces/ownruns"
)

// figure is what is drawn, and where.
type figure struct {
	Plot      string  `flag:"plot" writes:"true" help:"draw the run's timeline into this <file>: .svg, .png or .pdf"`
	Goal      float64 `flag:"goal" with:"plot" help:"<steps> that are the whole way, for the figure; by default the most that were done"`
	Simulated string  `flag:"simulated" with:"plot" help:"draw the run over the simulated runs of this <folder> of results, those that have a timeline"`
	Policy    string  `flag:"policy" with:"simulated" help:"<name> of the policy whose simulated runs are drawn; by default all"`
}

// draw draws the run, alone or over simulated ones, where that is asked for.
func (f *figure) draw(run *ownruns.Run) error {
	if f.Plot == "" {
		return nil
	}
	summary, spans, err := backtest.ObservedTables(run, f.Goal)
	if err != nil {
		return err
	}
	var drawn *canvas.Figure
	if f.Simulated == "" {
		drawn, err = plots.Timeline(summary, spans)
	} else {
		var simulated []results.Run
		if simulated, err = f.simulations(); err == nil {
			drawn, err = plots.Observed(results.Run{Summary: summary, Spans: spans}, simulated)
		}
	}
	if err != nil {
		return err
	}
	return f.save(drawn)
}

// save writes a figure, in the form of its file's ending.
func (f *figure) save(drawn *canvas.Figure) error {
	file, err := canvas.Forms[strings.ToLower(filepath.Ext(f.Plot))](drawn)
	if err == nil {
		err = atomicfile.WriteBytes(f.Plot, file)
	}
	return cli.Failed(err)
}

// simulations are the simulated runs that have a timeline, of one policy or of all.
func (f *figure) simulations() (out []results.Run, err error) {
	set, err := results.ReadAll(f.Simulated)
	if err != nil {
		return nil, err
	}
	var policies []string
	for _, run := range set.Runs() {
		policies = append(policies, run.Policy)
		if len(run.Spans) > 0 && (f.Policy == "" || f.Policy == run.Policy) {
			out = append(out, run)
		}
	}
	switch {
	case len(out) == 0:
		return nil, fmt.Errorf("--simulated %s: no run%s has a timeline; it has runs of %s", f.Simulated,
			ofPolicy(f.Policy), list(policies))
	case len(out) > plots.MaxSimulated:
		return nil, fmt.Errorf("--simulated %s: %d runs have a timeline, expected at most %d; "+
			"choose a policy with --policy", f.Simulated, len(out), plots.MaxSimulated)
	}
	return out, nil
}

func ofPolicy(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" of policy %q", name)
}

// list names each of some names once.
func list(names []string) string {
	var once []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			once = append(once, name)
		}
	}
	return strings.Join(once, ", ")
}
