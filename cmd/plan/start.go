package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/format"
	"github.com/spf13/cobra"
)

// startFlags are the spec whose first decision is shown.
type startFlags struct {
	cli.SpecFlags
	json bool
}

func startCommand() *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start SPEC",
		Short: "Show in which zone, region and cloud to start, and what the others would cost",
		Long: `Asks a policy once, at the start of a spec's histories and under its first seed, where to
train: dynamic-pricing, which compares what the job would cost in each spot pool at the
prices of now, or --policy skynomad, which compares what an hour of progress is worth with
what it costs. Nothing is simulated beyond the first choice: marigram run has the rest.`,
		Example: `  marigram plan start regions
  marigram plan start regions --policy skynomad`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.Add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array of candidates, the best first")
	return cmd
}

// starting is a pool where a job may start.
type starting struct {
	Pool   string  `json:"pool"`
	Score  float64 `json:"score"`
	Unit   string  `json:"unit"`
	Chosen bool    `json:"chosen"`
}

func (f *startFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("policy") {
		if err := s.Choose([]string{"dynamic-pricing"}); err != nil {
			return err
		}
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	set, err := study.Worker().Record(experiments.Case{Seed: s.Seed})
	if err != nil {
		return err
	}
	list, reason := firstChoice(set)
	if list == nil {
		return fmt.Errorf("policy %s does not compare pools: expected dynamic-pricing or skynomad", s.Policies[0].Name)
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), list)
	}
	return cli.Failed(printStart(cmd.OutOrStdout(), s.Policies[0].Name, list, reason))
}

// firstChoice returns the candidates of the first decision that has any, the best first.
func firstChoice(set *results.Set) (list []starting, reason string) {
	for _, c := range set.Candidates {
		if c.Decision == set.Candidates[0].Decision {
			list = append(list, starting{c.Name, c.Score, c.Unit, c.Chosen})
		}
	}
	for _, d := range set.Decisions {
		if list != nil && d.Number == set.Candidates[0].Decision {
			reason = d.Reason
		}
	}
	slices.SortStableFunc(list, func(a, b starting) int {
		if a.Unit == "USD" { // of costs the least, of worths the greatest
			return cmp.Compare(a.Score, b.Score)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return list, reason
}

func printStart(w io.Writer, policy string, list []starting, reason string) error {
	for _, x := range list {
		if x.Chosen {
			fmt.Fprintf(w, "start in %s (%s: %s)\n\n", x.Pool, policy, reason)
		}
	}
	t := term.NewTable("pool", list[0].Unit, "")
	for _, x := range list {
		note := ""
		if x.Chosen {
			note = "chosen"
		}
		t.Row(x.Pool, format.USD(x.Score), note)
	}
	return t.Print(w)
}
