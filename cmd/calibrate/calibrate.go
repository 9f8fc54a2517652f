// Package calibrate is the command marigram calibrate: models fitted to measured runs.
package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/cmd/internal/cli"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "calibrate",
		Short: "Fit models to measured runs, and check them",
		Example: `  marigram calibrate list
  marigram calibrate fit runs.csv --as step-time-linear --where gpu=V100 -o v100.json
  marigram calibrate check v100.json --profile others.csv`,
	}, fitCommand(), checkCommand(), predictCommand(), summaryCommand(),
		listCommand())
}

// familyInfo is a family with the names of its JSON form.
type familyInfo struct {
	Name       string          `json:"name"`
	Formula    string          `json:"formula"`
	Source     string          `json:"source"`
	Target     string          `json:"target"`
	Inputs     []string        `json:"inputs"`
	Same       []string        `json:"same"`
	Parameters []fit.Parameter `json:"parameters"`
	Repeated   []fit.Parameter `json:"repeated,omitempty"` // follow, numbered, as often as a fit needs them
}

func listCommand() *cobra.Command {
	var f cli.Answer
	return cli.WithFlags(&cobra.Command{
		Use:     "list",
		Short:   "List the families of models, and the profiles that come with marigram",
		Example: "  marigram calibrate list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			infos := familyInfos()
			return f.Give(cmd, struct {
				Families []familyInfo `json:"families"`
				Runs     []string     `json:"profiles_of_runs"`
				Profiles []string     `json:"profiles"`
			}{infos, fit.PublishedMeasuredNames(), ps.PublishedNames()}, func(w io.Writer) { printFamilies(w, infos) })
		},
	}, &f)
}

func printFamilies(w io.Writer, infos []familyInfo) {
	for _, f := range infos {
		fmt.Fprintf(w, "%s: %s\n  source: %s\n", f.Name, f.Formula, f.Source)
		if len(f.Same) > 0 {
			fmt.Fprintf(w, "  rows with the same %s\n", strings.Join(f.Same, ", "))
		}
		for _, p := range f.Parameters {
			fmt.Fprintf(w, "  %s (%s): %s\n", p.Name, p.Unit, p.Doc)
		}
		for _, p := range f.Repeated {
			fmt.Fprintf(w, "  %s-1, %s-2, ... (%s): %s\n", p.Name, p.Name, p.Unit, p.Doc)
		}
	}
	profiles := strings.Join(fit.PublishedMeasuredNames(), ", ")
	fmt.Fprintf(w, "\nprofiles of runs that come with marigram, for fit: %s\n", profiles)
	types := strings.Join(ps.PublishedNames(), ", ")
	fmt.Fprintf(w, "profiles of instance types, for specs: %s\n", types)
}

func familyInfos() []familyInfo {
	var out []familyInfo
	for _, f := range calibrate.Families() {
		out = append(out, familyInfo{f.Name, f.Formula, f.Source, f.Target, append([]string{}, f.Inputs...),
			append([]string{}, f.Same...), f.Parameters, f.Repeated})
	}
	return out
}
