// Package bound is the command marigram bound: the least that any policy can cost.
package bound

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/format"
)

type flags struct {
	cli.SpecFlags
	json bool
}

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "bound SPEC",
		Short: "The least that any policy can cost, and whether one can meet the objective",
		Long: `Works out for every objective and seed of a spec what no policy can beat, even one that
knows the future: the least cost of a run that meets the objective, and the least time.
It runs the spec's policies as well and prints how far they are above the bound.

"above bound" is cost / bound - 1 of the runs that met the objective. Where no policy
can meet the objective, that is a proof. The bound holds for asynchronous workers with as many
parameter servers as the spec says, but for the paper's loss form, and for data-parallel
jobs and pipelines on one instance type; anything else is refused.`,
		Example:           "  marigram bound quickstart --seeds 20\n  marigram bound my.yaml --policy spotdnn-safe --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.Add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array, a row an objective and seed, instead of the tables")
	return cmd
}

func (f *flags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	rows, err := study.Bounds(ctx, true)
	if err != nil {
		return err
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), rows)
	}
	for o := range s.Objectives {
		if err := print(cmd.OutOrStdout(), study, o, rows[o*s.Seeds:(o+1)*s.Seeds]); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}

// print prints one objective: the bound first, then the policies beside it.
func print(w io.Writer, study *experiments.Study, o int, rows []experiments.BoundRow) error {
	if o > 0 {
		fmt.Fprintln(w)
	}
	var bounds, fastest []float64
	spot := 0
	for i := range rows {
		if r := &rows[i]; r.BoundUSD != nil {
			bounds, fastest = append(bounds, *r.BoundUSD), append(fastest, *r.FastestS)
		}
		if rows[i].OnSpotUSD != nil {
			spot++
		}
	}
	fmt.Fprintf(w, "%s: a policy can meet the objective with at most %d of %s, on spot alone with %d\n", rows[0].Objective, len(bounds),
		cli.Count(len(rows), "seed", "seeds"), spot)
	t := term.NewTable("policy", "met", "cost USD", "bound USD", "above bound", "median", "max")
	if len(bounds) > 0 {
		t.Row("bound", fmt.Sprintf("%d/%d", len(bounds), len(rows)), "", format.USD(mean(bounds)), "", "", "")
	}
	for p := range study.Spec.Policies {
		var costs, under, above []float64
		for i := range rows {
			if c := rows[i].CostUSD[p]; c != nil {
				costs, under = append(costs, *c), append(under, *rows[i].BoundUSD)
				above = append(above, *c / *rows[i].BoundUSD - 1)
			}
		}
		cells := []string{study.Spec.Policies[p].Name, fmt.Sprintf("%d/%d", len(costs), len(rows)), "", "", "", "", ""}
		if len(costs) > 0 {
			slices.Sort(above)
			cells = append(cells[:2], format.USD(mean(costs)), format.USD(mean(under)), format.Percent(mean(costs)/mean(under)-1),
				format.Percent(above[len(above)/2]), format.Percent(above[len(above)-1]))
		}
		t.Row(cells...)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	if len(fastest) > 0 {
		slices.Sort(fastest)
		fmt.Fprintf(w, "no run can finish before %.0f s (median of the seeds; the least %.0f s, the most %.0f s)\n",
			fastest[len(fastest)/2], fastest[0], fastest[len(fastest)-1])
	}
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
