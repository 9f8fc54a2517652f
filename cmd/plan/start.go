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
	"github.com/marigram/marigram/internal/table"
	"github.com/spf13/cobra"
)

// startFlags are the spec whose first decision is shown.
type startFlags struct {
	cli.SpecFlags
	cli.Answer
}

func startCommand() *cobra.Command {
	var f startFlags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "start SPEC",
		Short: "Show in which zone, region and cloud to start, and what the others would cost",
		Long: `Asks a policy once, at the start of a spec's traces and under its first seed, where to
train: dynamic-pricing, which compares what the job would cost in each spot pool at the
prices of now, or --policy skynomad, which compares what an hour of progress is worth with
what it costs. Nothing is simulated beyond the first choice: marigram run has the rest.`,
		Example: `  marigram plan start regions
  marigram plan start regions --policy skynomad`,
	}, f.run), &f)
}

// starting is a pool where a job may start.
type starting struct {
	Pool   string  `json:"pool" head:"pool"`
	Score  float64 `json:"score" head:"score" format:"usd"`
	Unit   string  `json:"unit"`
	Chosen bool    `json:"chosen" head:"" format:"chosen/"`
}

func (f *startFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	if f.Policies == nil {
		if err := s.Choose([]string{"dynamic-pricing"}); err != nil {
			return err
		}
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	warnSpeed(cmd, study)
	set, err := study.Worker().Record(experiments.Case{Seed: s.Seed})
	if err != nil {
		return err
	}
	list, reason := firstChoice(set)
	if list == nil {
		return fmt.Errorf("policy %s does not compare pools: expected dynamic-pricing or skynomad", s.Policies[0].Name)
	}
	return f.Give(cmd, list, func(w io.Writer) {
		for _, x := range list {
			if x.Chosen {
				fmt.Fprintf(w, "start in %s (%s: %s)\n\n", x.Pool, s.Policies[0].Name, reason)
			}
		}
		term.Print(w, table.Of(list).Rename("score", list[0].Unit))
	})
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
