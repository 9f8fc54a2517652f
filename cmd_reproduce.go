package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/claims"
	"github.com/marigram/marigram/plots"
)

type reproduceFlags struct {
	json, list, report bool
	out, output        string
}

func reproduceCommand() *cobra.Command {
	var f reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce [CLAIM ...]",
		Short: "Hold marigram against published numbers",
		Long: `Computes published figures and tables anew and compares every number that
marigram claims: published, simulated, error, tolerance, verdict. A CLAIM is the
name of one number, of a figure or table, or of a system, for all of its numbers;
without names, everything is compared.

The error is a share of the published number (relative), a difference in its
unit (absolute, exact), or by how much a bound is missed (most, least). An open
claim is not claimed, for the reason given, or needs a history that is not
pulled (marigram traces pull). The seconds are those of the whole
figure. Exit status 3 if a claim misses its tolerance.

--report writes all of it as one file that needs no other: a table of figures and
tables with their minutes on this machine, each claim with its source and, if it
is open, why; with -o NAME.html also a plot of each figure.`,
		Example: `  marigram reproduce spotdnn/fig6
  marigram reproduce --list
  marigram reproduce --report -o claims.html
  marigram reproduce icac19 cmdare --json --out overlays`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []string
			for _, c := range claims.Published() {
				names = append(names, c.Figure(), c.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print a JSON array")
	flags.BoolVar(&f.list, "list", false, "print what is claimed and compute nothing")
	flags.BoolVar(&f.report, "report", false, "write a report instead of the table: Markdown, or what -o says")
	flags.StringVarP(&f.output, "output", "o", "", "with --report: write it into this `file`, by its name .html or .md")
	flags.StringVar(&f.out, "out", "", "write claims.json and a plot of each figure, ours over the published points, into this `folder`")
	return cmd
}

func (f *reproduceFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.checkReport(); err != nil {
		return err
	}
	list, err := claims.Select(args...)
	if err != nil {
		return err
	}
	if f.list {
		return failed(f.printList(cmd.OutOrStdout(), list))
	}
	progress := func(figure string) { fmt.Fprintln(cmd.ErrOrStderr(), figure) }
	outcomes, err := claims.Run(cmd.Context(), list, progress)
	if err != nil {
		return err
	}
	command := strings.Join(append([]string{"marigram", "reproduce"}, args...), " ")
	if f.report {
		err = f.writeReport(cmd.OutOrStdout(), command, outcomes)
	} else {
		err = f.print(cmd.OutOrStdout(), outcomes)
	}
	if err != nil {
		return failed(err)
	}
	if err := f.save(outcomes); err != nil {
		return failed(err)
	}
	if n := claims.Missed(outcomes); n > 0 {
		return missed{fmt.Errorf("%d of %d claims miss their tolerance", n, len(outcomes))}
	}
	return nil
}

// listed is a claim with the names of its JSON form.
type listed struct {
	Name      string      `json:"name"`
	Source    string      `json:"source"`
	Published float64     `json:"published"`
	Unit      string      `json:"unit"`
	Kind      claims.Kind `json:"kind"`
	Tolerance float64     `json:"tolerance"`
	Open      string      `json:"open,omitempty"`
}

func (f *reproduceFlags) printList(w io.Writer, list []claims.Claim) error {
	var rows []listed
	t := newTable("claim", "published", "tolerance", "source")
	t.text = []int{3}
	for _, c := range list {
		rows = append(rows, listed{c.Name, c.Source, c.Published, c.Unit, c.Kind, c.Tolerance, c.Open})
		t.row(c.Name, significant(c.Published)+" "+c.Unit, tolerance(c), c.Source)
	}
	if f.json {
		return writeJSON(w, rows)
	}
	return t.print(w)
}

func (f *reproduceFlags) print(w io.Writer, list []claims.Outcome) error {
	if f.json {
		return writeJSON(w, list)
	}
	t := newTable("claim", "published", "simulated", "error", "tolerance", "verdict", "seconds", "source")
	t.text = []int{7}
	counts := map[claims.Verdict]int{}
	var reasons []string
	for _, o := range list {
		counts[o.Verdict]++
		t.row(o.Name, significant(o.Published)+" "+o.Unit, simulatedText(o), errorText(o), tolerance(o.Claim), string(o.Verdict),
			strconv.FormatFloat(o.Seconds, 'f', 1, 64), o.Source)
		t.tint(5, map[claims.Verdict]tone{claims.Pass: green, claims.Fail: red, claims.Open: yellow}[o.Verdict])
		if o.Reason != "" {
			reasons = append(reasons, fmt.Sprintf("%s %s: %s", o.Verdict, o.Name, o.Reason))
		}
	}
	if err := t.print(w); err != nil {
		return err
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(reasons, "\n"))
	}
	_, err := fmt.Fprintf(w, "\n%d claims: %d pass, %d fail, %d open\n", len(list), counts[claims.Pass], counts[claims.Fail], counts[claims.Open])
	return err
}

// significant prints a number for people, to five digits.
func significant(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

func simulatedText(o claims.Outcome) string {
	if o.Simulated == nil {
		return "none"
	}
	return significant(*o.Simulated)
}

func errorText(o claims.Outcome) string {
	switch {
	case o.Error == nil:
		return "none"
	case o.Kind == claims.Relative:
		return percent(*o.Error)
	}
	return strconv.FormatFloat(*o.Error, 'g', 3, 64)
}

func tolerance(c claims.Claim) string {
	switch c.Kind {
	case claims.Relative:
		return percent(c.Tolerance)
	case claims.Absolute:
		return strconv.FormatFloat(c.Tolerance, 'g', 3, 64)
	case claims.Most:
		return "at most"
	case claims.Least:
		return "at least"
	}
	return "exact"
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }

// save writes the outcomes and the overlays, all or none.
func (f *reproduceFlags) save(list []claims.Outcome) error {
	if f.out == "" {
		return nil
	}
	_, err := replaceFiles(f.out, []string{"claims.json", "claim-*.svg", "claim-*.png", "claim-*.pdf"}, func(dir string) ([]string, error) {
		data, err := json.MarshalIndent(list, "", "  ")
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

// overlays draws each figure's claims, ours over the published points.
func overlays(list []claims.Outcome) ([]plots.Named, error) {
	points := map[string][]plots.ClaimPoint{}
	var order []string
	for _, o := range list {
		figure := o.Claim.Figure()
		if points[figure] == nil {
			order = append(order, figure)
		}
		points[figure] = append(points[figure], plots.ClaimPoint{
			Item: strings.TrimPrefix(o.Name, figure+"/"), Series: o.Claim.Series, X: o.Claim.X, Unit: o.Unit,
			Published: o.Published, Simulated: o.Simulated,
		})
	}
	var out []plots.Named
	for _, figure := range order {
		spec, err := experiments.OpenFigure(figure)
		if err != nil {
			return nil, err
		}
		fig, err := plots.Overlay(figure, spec.X, points[figure])
		if err != nil {
			return nil, err
		}
		out = append(out, plots.Named{Name: "claim-" + strings.ReplaceAll(figure, "/", "-"), Figure: fig})
	}
	return out, nil
}
