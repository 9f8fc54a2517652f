// Package reproduce is the command marigram reproduce: published numbers computed again.
package reproduce

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/papers"
	_ "github.com/marigram/marigram/papers/all"
	"github.com/marigram/marigram/plots"
)

type reproduceFlags struct {
	JSON        bool   `flag:"json" help:"print JSON: totals by origin, figures with their inputs, claims; with --list an array of claims"`
	List        bool   `flag:"list" help:"print the claims and compute nothing"`
	Spec        bool   `flag:"spec" help:"print the specs of the figures with their inputs (YAML) and compute nothing"`
	Report      bool   `flag:"report" help:"write a report instead of the table: Markdown, or what -o says"`
	BibTeX      bool   `flag:"bibtex" help:"print the publications that the claims come from (BibTeX) and compute nothing"`
	Sensitivity bool   `flag:"sensitivity" help:"make each input parameter 10 % larger, one at a time, and count the claims that notice (CSV)"`
	Output      string `flag:"output,o" help:"with --report: write into this <file>, .html or .md"`
	Out         string `flag:"out" help:"write claims.json and a plot of each figure, ours over the published points, into this <folder>"`
}

// Command returns the command.
func Command() *cobra.Command {
	var f reproduceFlags
	return cli.TakesNames(cli.Writes(cli.WithFlags(&cobra.Command{
		Use:   "reproduce [CLAIM ...]",
		Short: "Recompute published numbers and compare",
		Long: `Recomputes published figures and tables, and prints for every number: published,
simulated, error, tolerance, verdict. The origin says where a number comes from:
"paper" (printed in a publication), "code" (from the authors' public code or data),
"formula" (a closed form, evaluated independently), "bound" (ours) or "constructed" (a
case made up to check arithmetic). They are shown and counted in this order; numbers of
value 0, which say little, are counted apart. A CLAIM is the name of one number, of a figure or table, or of a system.
Without names, everything is compared but figures that take minutes each, which are named.

The error is relative to the published number (relative), a difference in its unit
(absolute, exact), or the amount by which a bound is missed (most, least). Verdicts:
pass; fail; fitted: within its tolerance, but an input or used in a fit, so it predicts
nothing and is not a pass; open: not claimed, with the reason; not pulled: not computed,
it needs a trace that is not in the cache (marigram traces pull). A tolerance is "paper"
(the source's own error or bound), "digits" (up to a unit of its last digit, or
rounding), "noise" (standard errors), "ours", or "after" (ours, set when the error was
known or next to it). Seconds are those of the whole figure. --spec prints the inputs.
The exit status is 3 if a claim misses its tolerance.

--report writes one self-contained file: a table of figures with their minutes on this
machine, and each claim with its source and, if it is open, the reason, and the
publications in full; with -o NAME.html also a plot of each figure. --bibtex prints the
publications as BibTeX.

--sensitivity makes each number of a figure's inputs 10 % larger, one at a time, and each
column of a table of facts or a profile that it reads; for each it prints how many claims
have another verdict, and how many another number. Open claims and claims about speed do
not count.
papers/SYSTEM/sensitivity.csv have the results; --report names what no claim notices.`,
		Example: `  marigram reproduce spotdnn/fig6
  marigram reproduce --list
  marigram reproduce --spec spotdnn/fig9
  marigram reproduce --report -o claims.html
  marigram reproduce icac19 cmdare --json --out overlays
  marigram reproduce --bibtex > references.bib`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			for _, c := range papers.Published() {
				names = append(names, c.Figure(), c.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}, &f), ownFiles...))
}

func (f *reproduceFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.checkReport(); err != nil {
		return err
	}
	list, err := papers.Select(args...)
	if err != nil {
		return err
	}
	if f.List {
		return cli.Failed(printList(cmd.OutOrStdout(), list, f.JSON))
	}
	if f.Spec {
		return cli.Failed(printSpecs(cmd.OutOrStdout(), list))
	}
	if f.Sensitivity {
		return printSensitivity(cmd, list)
	}
	if f.BibTeX {
		return cli.Failed(printBibTeX(cmd.OutOrStdout(), list))
	}
	if len(args) == 0 {
		list = quick(cmd, list)
	}
	progress := func(figure string) { fmt.Fprintln(cmd.ErrOrStderr(), figure) }
	outcomes, err := papers.Run(cmd.Context(), list, progress)
	if err != nil {
		return err
	}
	command := strings.Join(append([]string{"marigram", "reproduce"}, args...), " ")
	if f.Report {
		err = writeReport(cmd.OutOrStdout(), f.Output, command, outcomes)
	} else {
		err = printAll(cmd.OutOrStdout(), outcomes, len(args) > 0, f.JSON)
	}
	if err != nil {
		return cli.Failed(err)
	}
	if err := f.save(outcomes); err != nil {
		return cli.Failed(err)
	}
	if missed := papers.Missed(outcomes); missed > 0 {
		return cli.Missed(fmt.Errorf("%d of %d claims miss their tolerance", missed, len(outcomes)))
	}
	return nil
}

// quick returns the claims that a run without names computes, and says which it leaves out.
func quick(cmd *cobra.Command, list []papers.Claim) []papers.Claim {
	list, slow := papers.Quick(list)
	for _, name := range slices.Sorted(maps.Keys(slow)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s is left out: it takes %g minutes (marigram reproduce %[1]s)\n",
			name, slow[name])
	}
	return list
}

// save writes the outcomes and the overlays, all or none.
func (f *reproduceFlags) save(list []papers.Outcome) error {
	if f.Out == "" {
		return nil
	}
	_, err := store.Files(context.Background(), f.Out, ownFiles, func(dir string) ([]string, error) {
		reproduced, err := newReproduced(list)
		if err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(reproduced, "", "  ")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "claims.json"), append(data, '\n'), 0o666); err != nil {
			return nil, err
		}
		figures, err := overlays(list)
		if err != nil {
			return nil, err
		}
		paths, err := plots.SaveFigures(dir, figures)
		names := []string{"claims.json"}
		for _, path := range paths {
			names = append(names, filepath.Base(path))
		}
		return names, err
	})
	return err
}

// ownFiles are what reproduce writes: those of an earlier time are taken away.
var ownFiles = append(plots.Files("claim-*"), "claims.json")

// checkReport refuses what the flags of a report or of specs cannot mean, before anything is
// computed.
func (f *reproduceFlags) checkReport() error {
	ext := filepath.Ext(f.Output)
	switch {
	case f.Output != "" && !f.Report:
		return fmt.Errorf("-o %s without --report", f.Output)
	case f.Output != "" && ext != ".html" && ext != ".md":
		return fmt.Errorf("-o %s: expected a name that ends in .html or .md", f.Output)
	case f.Report && (f.JSON || f.List):
		return fmt.Errorf("--report cannot be combined with --json or --list")
	case f.Sensitivity && (f.BibTeX || f.Report || f.JSON || f.List || f.Spec):
		return fmt.Errorf("--sensitivity cannot be combined with --bibtex, --report, --json, --list or --spec")
	case f.BibTeX && (f.Report || f.JSON || f.List || f.Spec):
		return fmt.Errorf("--bibtex cannot be combined with --report, --json, --list or --spec")
	case f.Spec && (f.Report || f.JSON || f.List):
		return fmt.Errorf("--spec cannot be combined with --report, --json or --list")
	}
	return nil
}
